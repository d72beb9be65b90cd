import pyarrow as pa

from dalenius.synthesis import SyntheticAnswer, fit
from tests.synthesis.copies.test_copy import curator_of


def test_an_answer_over_a_copy_is_labelled_at_every_exit(tmp_path):
    copy = fit(curator_of(tmp_path, rows=50), ["sex"], epsilon=2)
    answer = SyntheticAnswer.of([copy], pa.table({"n": [3, 4]}))
    assert answer.rows == [(3,), (4,)]
    assert answer.columns == ("n",)
    assert answer.to_dict()["synthetic"] is True
    assert answer.to_pandas().attrs == {"dalenius": "synthetic"}
    assert answer.to_polars().shape == (2, 1)
    assert "nothing is proved" in repr(answer)
    assert answer.accuracy(0.05) is None
    assert answer.bias is None
    assert answer.guarantee == copy.guarantee
