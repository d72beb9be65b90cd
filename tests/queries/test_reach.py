import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import ONE, Contributions
from dalenius.queries.reach import norm_of, scalar

CHANGE = Relation.CHANGE_ONE


@pytest.mark.theorem("A Rem 3.9")
@pytest.mark.parametrize(
    ("low", "high", "cells", "dropped", "added", "changed"),
    [
        (10, 11, 1, False, 11, 1),
        (10, 11, 1, True, 11, 11),
        (-5, 3, 1, False, 5, 8),
        (-5, 3, 1, True, 5, 8),
        (-5, 3, 2, True, 5, 10),
        (0, 4, 7, True, 4, 8),
    ],
)
def test_a_row_is_added_or_changed(low, high, cells, dropped, added, changed):
    reach = scalar(low, high, Metric.L1, cells=cells, dropped=dropped)
    assert reach.sensitivity(Unit.row(), None).l1 == added
    assert reach.sensitivity(Unit.row(CHANGE), None).l1 == changed


@pytest.mark.theorem("G complaints count")
@pytest.mark.parametrize(
    ("low", "high", "cells", "metric", "square"),
    [
        (10, 11, 1, Metric.L1, 11**2),
        (-5, 3, 1, Metric.L2, 8**2),
        (-5, 3, 2, Metric.L1, 10**2),
        (-5, 3, 2, Metric.L2, 10**2),
        (0, 4, 2, Metric.L2, 2 * 4**2),
        (-5, 3, 2, Metric.LINF, 8**2),
    ],
)
def test_a_changed_unit_takes_all_away_and_adds_as_much(low, high, cells, metric, square):
    reach = scalar(low, high, metric, cells=cells, dropped=False)
    assert reach.sensitivity(Unit("u", CHANGE), Contributions("u", 3)).square == square * (3 * ONE) ** 2


def test_a_bound_for_nobody_is_refused():
    reach = scalar(0, 1, Metric.L1, cells=1, dropped=True)
    with pytest.raises(UnboundedQuery, match="any number of rows"):
        reach.sensitivity(Unit("u"), None)
    with pytest.raises(InvalidParameter, match="each v, not for each u"):
        reach.sensitivity(Unit("u"), Contributions("v", 1))
    with pytest.raises(InvalidParameter, match="UNITS"):
        norm_of(Metric.UNITS)
