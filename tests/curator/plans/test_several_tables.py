import pytest

from dalenius.curator import Curator, Measure, SeveralTables, TablesRelease
from dalenius.errors import BudgetExceeded, InvalidParameter
from dalenius.ledger import Ledger
from dalenius.neighbors import Unit
from dalenius.queries import Count, Keys


def plans(epsilon=1):
    by_sex = Count(Keys("sex", ["F", "M"]))
    return [Measure.calibrated(query, epsilon=epsilon, unit=Unit.row(), name="n") for query in (by_sex, Count())]


@pytest.fixture
def curator(tmp_path):
    ledger = Ledger.open(tmp_path / "s.ledger")
    ledger.create("people", epsilon=3, unit="row")
    return Curator({"sex": ["F", "M", "M"]}, unit="row", ledger=ledger, dataset="people")


def test_tables_with_keys_of_their_own_are_charged_as_one(curator):
    release = curator.release(SeveralTables(plans()))
    assert isinstance(release, TablesRelease)
    assert [sorted(table.value) if isinstance(table.value, dict) else None for table in release.tables] == [
        ["n", "sex"],
        None,
    ]
    assert curator.budget.epsilon == 1
    assert curator.release(SeveralTables(plans())).value == release.value
    assert curator.budget.epsilon == 1
    assert len(release.interval(0.95)) == len(release.accuracy(0.05)) == len(release.bias) == 2
    wide, narrow = (release.interval(0.95, joint=joint)[1] for joint in (True, False))
    assert wide[0] < narrow[0]
    assert wide[1] > narrow[1]
    with pytest.raises(InvalidParameter, match="several tables"):
        release.to_csv()


def test_either_all_are_admitted_or_nothing_is(curator):
    with pytest.raises(BudgetExceeded):
        curator.release(SeveralTables(plans(2)))
    assert curator.budget.epsilon == 3


def test_the_price_is_the_composition_and_the_order_of_plans_is_part_of_the_question():
    both, turned = SeveralTables(plans()), SeveralTables(plans()[::-1])
    assert both.guarantee.sum_form == (2, 0)
    assert both.fingerprint != turned.fingerprint
    assert "2 together" in str(both.explain())
    with pytest.raises(InvalidParameter):
        SeveralTables([])
