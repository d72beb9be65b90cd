import pytest

from dalenius.errors import UnprovenClaim
from dalenius.remote.answers import read_release
from dalenius.server.answers import answer_json
from tests.remote.ways import Embedded


def test_an_answer_over_copies_comes_back_with_its_labels_and_the_ends_of_one_level(tmp_path):
    db = Embedded(tmp_path).open("ann")
    db.sql("CREATE SYNTHETIC TABLE s AS SELECT ward FROM visits", epsilon=2)
    here = db.sql("SELECT ward, COUNT(*) AS n FROM s GROUP BY ward ORDER BY ward")
    there = read_release(answer_json(here))
    assert (there.value, there.warnings, str(there)) == (here.value, here.warnings, str(here))
    assert there.interval("0.95") == here.interval("0.95")
    assert there.to_pandas().attrs == here.to_pandas().attrs
    with pytest.raises(UnprovenClaim, match=r"0\.95"):
        there.interval("0.9")
    rows = db.sql("SELECT * FROM s LIMIT 2")
    assert read_release(answer_json(rows)).value == rows.value
