import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Contributions
from dalenius.statistics import count
from dalenius.synthesis.conjunctions.mwem import MwemCopy, mwem
from dalenius.synthesis.conjunctions.yes_no import YesNo

UNIVERSE = YesNo.of(dict.fromkeys("abcdef", (0, 1)))


def data(rows=20000):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, rows)
    return {"a": a, "b": a ^ (rng.random(rows) < 0.1), **{name: rng.integers(0, 2, rows) for name in "cdef"}}


def test_the_dependence_that_matters_is_found_for_the_price(tmp_path):
    ledger = Ledger.open(tmp_path / "m.ledger")
    ledger.create("d", epsilon=3, unit="row")
    curator = Curator(data(), unit="row", ledger=ledger, dataset="d")
    release = curator.release(mwem(UNIVERSE, epsilon=1, rounds=6, width=2))
    copy = MwemCopy.of(release)
    assert release.guarantee == PureDP(1)
    assert copy.count(a=True, b=True) == pytest.approx(9000, abs=900)  # independent columns would give 5,000
    assert copy.count(c=True, d=True) == pytest.approx(5000, abs=900)
    assert MwemCopy.of(release).count(a=True) == copy.count(a=True)
    with pytest.raises(InvalidParameter):
        MwemCopy.of(curator.release(count(epsilon=1, about=curator)))


def test_the_price_is_exact_and_other_units_are_refused():
    assert mwem(UNIVERSE, epsilon="0.7", rounds=13).guarantee.budget * 10 == 7
    assert "13 conjunctions" in mwem(UNIVERSE, epsilon=1, rounds=13).explain()
    with pytest.raises(UnprovenClaim):
        mwem(UNIVERSE, epsilon=1, unit=Unit(None, Relation.CHANGE_ONE))
    with pytest.raises(UnprovenClaim):
        mwem(YesNo.of({"a": (0, 1)}, Contributions("who", 2)), epsilon=1, unit=Unit("who"))
    for given in ({"rounds": 0}, {"width": 4}):
        with pytest.raises(InvalidParameter):
            mwem(UNIVERSE, epsilon=1, **given)
