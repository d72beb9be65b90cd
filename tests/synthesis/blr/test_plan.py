import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.ledger import Ledger
from dalenius.mechanisms import Exponential
from dalenius.neighbors import Relation, Unit
from dalenius.synthesis import blr


@pytest.fixture
def curator(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=3, unit="row")
    return Curator({"age": [20, 30, 31, 90], "x": [1, 2, 2, 2]}, unit="row", ledger=ledger, dataset="people")


def test_a_sample_leaves_the_curator_and_is_charged(curator):
    release = curator.release(blr.thresholds("age", epsilon=2, rows=10, cells=64, bounds=(0, 100), about=curator))
    assert len(release.value["age"]) == 10
    assert all(0 < value < 100 for value in release.value["age"])
    assert release.guarantee == BoundedRange(2)
    assert curator.budget.epsilon == 1
    assert release.to_pandas().shape == (10, 2)


def test_error_is_told_in_rows_of_the_worst_count(curator):
    plan = blr.thresholds("age", epsilon=2, rows=10, cells=64, bounds=(0, 100))
    told = str(plan.explain())
    assert "64 counts over 64 items" in told
    assert "rows more than the best" in told


def test_a_missing_column_is_refused_before_the_charge(curator):
    with pytest.raises(UnknownName):
        curator.release(blr.thresholds("weight", epsilon=1, bounds=(0, 9), about=curator))
    assert curator.budget.epsilon == 3


def test_the_price_is_by_the_rows_of_a_unit_and_the_steps_of_the_level():
    plan = blr.thresholds("age", epsilon=1, bounds=(0, 9), unit=Unit("who", Relation.CHANGE_ONE), contributions=5)
    assert plan.mechanism.scale == 10
    assert plan.guarantee == BoundedRange(1, Relation.CHANGE_ONE)
    fine = blr.conjunctions({"a": [0, 1]}, epsilon=1, rows=6)
    assert fine.mechanism.scale == 12
    assert plan.fingerprint != fine.fingerprint


def test_the_base_measure_is_the_familys():
    plan = blr.conjunctions({"a": [0, 1]}, epsilon=1, rows=6)
    with pytest.raises(InvalidParameter):
        blr.SmallDatabase(plan.universe, plan.family, Exponential(1, (1, 2)), plan.unit)
