from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.graphs.queries import DegreeHistogram, EdgeCount, EdgeSum
from dalenius.neighbors import Metric, Nodes, Relation, Unit
from dalenius.queries import Table
from tests.graphs.small_graphs import ENDS, all_graphs, table, without

NODES = Nodes(*ENDS)
QUERIES = [EdgeCount(ENDS, 2), DegreeHistogram(ENDS, 2), EdgeSum(ENDS, 2), EdgeSum(ENDS, 2, "v", Fraction(5, 2))]


@pytest.mark.theorem("A Ex 4.1")
@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_no_person_moves_an_answer_by_more_than_its_sensitivity_and_some_by_as_much_as_three_fourths(query):
    values = {
        edge: (0.0, 2.5, 9e9, -1.0, None, 1.25)[i]
        for i, edge in enumerate([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    }
    worst = 0
    for graph in all_graphs(4):
        here = query.evaluate(table(graph, values))
        for person in range(4):
            there = query.evaluate(table(without(graph, person), values))
            worst = max(worst, int(np.abs(here - there).sum()))
    claimed = query.sensitivity(NODES).l1
    assert claimed * Fraction(3, 4) <= worst <= claimed
    assert query.sensitivity(Nodes(*ENDS, Relation.CHANGE_ONE)).l1 == 2 * claimed


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_edge_privacy_and_other_columns_are_refused_by_type(query):
    for unit in (Unit.row(), Unit("a")):
        with pytest.raises(UnprovenClaim, match="edge privacy"):
            query.sensitivity(unit)
    with pytest.raises(InvalidParameter, match="the unit is each node, by a or c"):
        query.sensitivity(Nodes("a", "c"))
    assert query.sensitivity(NODES, Metric.LINF).linf <= query.sensitivity(NODES).l1


def test_a_sum_is_exact_where_nobody_has_more_edges_than_count():
    view = Table.of({"a": ["x", "y", "x"], "b": ["y", "z", "y"], "v": [1.5, 2.25, 100]})
    query = EdgeSum(ENDS, 3, "v", Fraction(5, 2))
    assert query.evaluate(view)[0] * query.lattice.step == pytest.approx(1.5 + 2.25 + 2.5, abs=1e-5)
    whole = EdgeSum(ENDS, 3, "v", Fraction(7))
    assert whole.evaluate(view)[0] * whole.lattice.step == 1 + 2 + 7


@pytest.mark.parametrize("most", [0, -1, 1.5, True, 2**31])
def test_what_is_no_bound_is_refused(most):
    for make in (EdgeCount, DegreeHistogram, EdgeSum):
        with pytest.raises(InvalidParameter, match="most"):
            make(ENDS, most)
    with pytest.raises(InvalidParameter, match="largest"):
        EdgeSum(ENDS, 1, "v", Fraction(0))


def test_no_rows_and_rows_of_every_kind_have_an_answer():
    nasty = [None, 1.0, float("inf"), "x", [1], b"y", 2**70, True, float("nan")]
    for rows in ([], nasty):
        view = Table.of({"a": rows, "b": rows[::-1], "v": rows})
        for query in QUERIES:
            assert query.evaluate(view).shape == (2 if isinstance(query, DegreeHistogram) else 1,)
