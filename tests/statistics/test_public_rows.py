import pytest

from dalenius.curator import Curator, Facts, Measure
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.queries import CenteredMoments, Sum, Table
from dalenius.queries.view import View
from dalenius.statistics import mean
from dalenius.statistics.public_rows import PublicRowCount

CHANGED = Unit.row(Relation.CHANGE_ONE)
INNER = Measure.calibrated(CenteredMoments("x", (0, 1)), epsilon=1, unit=CHANGED, name="s")


def test_it_is_the_plan_in_all_but_its_fingerprint():
    plan = PublicRowCount(INNER, 3)
    assert (plan.unit, plan.keys, plan.names, plan.blocks) == (CHANGED, None, INNER.names, None)
    assert plan.guarantee.sum_form == INNER.guarantee.sum_form
    assert str(plan.explain()) == str(INNER.explain())
    assert len({plan.fingerprint, PublicRowCount(INNER, 4).fingerprint, INNER.fingerprint}) == 3


def test_another_number_of_rows_is_refused_before_the_charge(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit=CHANGED)
    curator = Curator({"x": [0.5] * 7}, unit=CHANGED, ledger=ledger, dataset="people", bounds={"x": (0, 1)}, rows=8)
    with pytest.raises(InvalidParameter, match="rows=8 was declared") as refusal:
        curator.release(mean("x", epsilon=1, about=curator))
    assert "7" not in str(refusal.value)
    with pytest.raises(InvalidParameter, match="rows=8 was declared"):
        curator.release(mean("x", "private", epsilon=1, about=curator))
    assert curator.budget.epsilon == 1
    with pytest.raises(InvalidParameter, match="another number"):
        PublicRowCount(INNER, 3).check(Table.of({"x": [1, 2]}))
    with pytest.raises(InvalidParameter, match="in memory"):
        PublicRowCount(INNER, 3).check(View())
    PublicRowCount(INNER, 2).check(Table.of({"x": [1, 2]}))


@pytest.mark.theorem("L §5.1 mean")
def test_the_number_of_rows_is_private_under_add_remove():
    with pytest.raises(InvalidParameter, match="public for change-one"):
        PublicRowCount(Measure.calibrated(Sum("x", (0, 1)), epsilon=1, unit=Unit.row()), 3)
    with pytest.raises(InvalidParameter, match="public for change-one"):
        Facts.declare(rows=3)
