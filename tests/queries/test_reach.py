import itertools
from collections import Counter

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import ONE, Contributions, Count, Keys, Sum, Table
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


def data_sets(most):
    """All data sets of at most so many rows with values 0, 1 and 2."""
    return [rows for size in range(most + 1) for rows in itertools.product((0, 1, 2), repeat=size)]


def differ(one, other, relation):
    """Neighbors by the notes' words: in one place (Hamming distance 1), or one of them has one row more."""
    if relation is Relation.CHANGE_ONE:
        return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1
    longer, shorter = Counter(one), Counter(other)
    return sum(((longer - shorter) + (shorter - longer)).values()) == 1


@pytest.mark.theorem("A Def 3.2", "A §4.1 two neighbour relations", "D §1.2 neighbouring", "L §2.1 adjacency")
@pytest.mark.theorem("S Def 2.1", "D Def 2.2", "L §3.2 sensitivity", "G counting queries", "A Ex 3.3", "A Ex 3.4")
@pytest.mark.parametrize(
    ("query", "added", "changed"),
    [
        (Count(), 1, 0),
        (Count(Keys("x", [1])), 1, 1),
        (Count(Keys("x", [0, 1, 2])), 1, 2),
        (Sum("x", (0, 2)), 2, 2),
        (Sum("x", (1, 2)), 2, 1),
    ],
)
def test_a_sensitivity_is_the_largest_l1_change_between_neighbors_by_either_definition(query, added, changed):
    """Of all data sets of up to three rows, every pair that is a neighbor by the words of the notes."""
    sets = data_sets(3)
    answers = {rows: query.evaluate(Table.of({"x": np.array(rows, int)})) for rows in sets}
    for relation, largest in ((Relation.ADD_REMOVE, added), (Relation.CHANGE_ONE, changed)):
        moved = [np.abs(answers[a] - answers[b]).sum() for a in sets for b in sets if differ(a, b, relation)]
        if query == Sum("x", (1, 2)) and relation is Relation.CHANGE_ONE:
            query = Sum("x", (1, 2), missing="nearest")  # no row can vanish, so each counts 1 at least
        assert max(moved) == largest == query.sensitivity(Unit.row(relation)).l1
