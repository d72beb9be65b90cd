import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import Table
from dalenius.queries.marginals import OneWayMarginals

NASTY = [1, 0, True, -1, None, math.nan, math.inf, "yes"]
ROWS = list(itertools.product(NASTY, [0, 1]))


def answer(query, rows):
    return query.evaluate(Table.of({"x": [x for x, _ in rows], "y": [y for _, y in rows]}))


@pytest.mark.theorem("A Ex 3.3")
@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("relation", list(Relation))
def test_no_row_moves_m_counts_by_more_than_m_and_some_row_by_as_much(relation, counted):
    query, worst = OneWayMarginals(["x", "y"], counted), dict.fromkeys(Metric, 0.0)
    for rows in itertools.combinations(ROWS, 2):
        here = answer(query, rows)
        others = [rows[:1], rows[1:]] if relation is Relation.ADD_REMOVE else [(rows[0], row) for row in ROWS]
        for other in others:
            moved = np.abs(here - answer(query, other)).astype(float)
            for metric, length in (
                (Metric.L1, moved.sum()),
                (Metric.L2, math.sqrt(moved @ moved)),
                (Metric.LINF, moved.max()),
            ):
                worst[metric] = max(worst[metric], float(length))
    for metric in (Metric.L1, Metric.L2, Metric.LINF):
        assert float(query.sensitivity(Unit.row(relation), metric).value) == pytest.approx(worst[metric], rel=1e-12)


def test_what_counts_as_yes():
    assert answer(OneWayMarginals(["x", "y"]), [(value, 1) for value in NASTY]).tolist() == [3, 8, 8]
    assert OneWayMarginals(["x"]).sensitivity(Unit.row()).l1 == Fraction(2)


def test_people_with_several_rows_and_columns_given_twice_are_refused():
    with pytest.raises(UnboundedQuery):
        OneWayMarginals(["x"]).sensitivity(Unit("u"))
    for wrong in ([], "x", ["x", "x"], [3]):
        with pytest.raises(InvalidParameter):
            OneWayMarginals(wrong)
    with pytest.raises(InvalidParameter):
        OneWayMarginals(["x"]).sensitivity(Unit.row(), Metric.UNITS)
