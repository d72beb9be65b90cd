import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.synthesis import fit
from tests.synthesis.copies.test_copy import curator_of


def test_what_was_not_measured_has_no_interval_and_sums_to_what_was(tmp_path):
    copy = fit(curator_of(tmp_path), epsilon=2, delta=1e-5, nulls=[])
    three = copy.marginal(["smokes", "sex", "age"])
    assert not three.measured
    assert three.lower is None
    assert "nothing is proved" in repr(three)
    assert three.counts.sum(axis=2) == pytest.approx(copy.marginal(["smokes", "sex"]).modelled, rel=1e-4)
    assert three.to_pandas().shape == (2 * 2 * 32, 4)
    with pytest.raises(UnknownName):
        copy.marginal(["height"])
    with pytest.raises(InvalidParameter):
        copy.marginal(["sex", "sex"])


def test_with_a_target_every_table_with_it_is_measured_or_summed(tmp_path):
    copy = fit(curator_of(tmp_path), epsilon=5, delta=1e-5, nulls=[], target="smokes")
    assert copy.marginal(["sex", "age", "smokes"]).measured
    pair = copy.marginal(["smokes", "sex"])
    assert pair.measured
    assert pair.counts.shape == (2, 2)
    assert pair.counts.sum() == pytest.approx(3000, abs=300)
    assert copy.marginal(["sex", "age"]).measured
    assert pair.modelled.sum() == pytest.approx(copy.rows, rel=1e-3)
    assert pair.disagreement < 0.1
