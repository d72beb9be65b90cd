import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.stats

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.numerics import precision
from dalenius.queries import Keys, Table
from dalenius.statistics import quantiles
from tests.statistics.small import GRID, breaks, column, owned, row_pairs, unit_pairs

LEVELS = [0.25, 0.5]
POOL = [0.5, 1.5, 2.5, math.nan]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def law(plan, view):
    """All outputs with their chances, for rows of one cell in one place: the mechanism's tests check the digits."""
    with precision(200):
        found = plan.mechanism.outputs(plan.query.evaluate(view))
        return {cells: mp.mpf(mass.mid().str(40, radius=False)) for cells, mass in found.items()}


def both(plan, first, second):
    p, q = law(plan, first), law(plan, second)
    outputs = sorted(set(p) | set(q))
    return [p.get(o, mp.mpf(0)) for o in outputs], [q.get(o, mp.mpf(0)) for o in outputs]


@pytest.mark.parametrize("relation", list(Relation))
def test_every_neighbor_of_every_small_table_is_within_the_guarantee(relation):
    plan = quantiles("x", LEVELS, (0, 3), epsilon=1, cells=3, unit=Unit.row(relation))
    base = [] if relation is Relation.ADD_REMOVE else [0.5, 1.5]
    for first, second in row_pairs(POOL, 2 if relation is Relation.ADD_REMOVE else 1, relation):
        assert not breaks(*both(plan, column(base + first), column(base + second)), plan.guarantee, GRID)


def test_units_with_several_rows_are_within_the_guarantee_and_half_the_scale_is_not():
    units = [[0.5], [0.5, 2.5], [1.5] * 4, [2.5, None]]
    plan = quantiles("x", LEVELS, (0, 3), epsilon=1, cells=3, unit="u", contributions=1)
    cheap = type(plan)(plan.query, plan.mechanism.scaled(Fraction(1, 2)), plan.unit, plan.name)
    caught = False
    for first, second in unit_pairs(units, [[0.5], [1.5], [2.5]] * 4, Relation.ADD_REMOVE):
        assert not breaks(*both(plan, owned(first), owned(second)), plan.guarantee, GRID)
        caught |= breaks(*both(cheap, owned(first), owned(second)), plan.guarantee)
    assert caught


def test_the_answer_is_a_table_of_growing_values_by_level():
    levels = [0.1, 0.25, 0.5, 0.75, 0.9]
    numbers = np.random.default_rng(5).uniform(size=20_000)
    plan = quantiles("x", levels, (0, 1), epsilon=1)
    assert plan.keys == Keys("level", levels)
    outcome = plan.run(Table.of({"x": numbers}), Bits())
    values = outcome.columns[0].values
    assert list(values) == sorted(values)
    assert np.allclose(values, levels, atol=0.05)  # 1000 ranks; the scale is some ten


@pytest.mark.parametrize("owner", [False, True])
def test_values_miss_by_more_than_the_accuracy_no_more_often_than_said(owner):
    # false alarm 1e-9 by the binomial; with weights a rank is a row that counts in full
    numbers = np.random.default_rng(3).uniform(size=400)
    options = {"unit": "u", "contributions": 1} if owner else {}
    plan, bits = quantiles("x", [0.2, 0.5, 0.7], (0, 1), epsilon=2, cells=2**16, **options), Bits()
    table, order = Table.of({"x": numbers, "u": np.arange(400)}), np.sort(numbers)
    told = plan.explain().expected.accuracy(0.05)
    drawn = np.array([plan.run(table, bits).columns[0].values for _ in range(60)])
    missed = np.abs(np.searchsorted(order, drawn) - 400 * np.array([0.2, 0.5, 0.7])) > told + 1
    assert missed[:, 1].sum() <= scipy.stats.binom.isf(1e-9, 60, 0.05)
    assert told < 400


@pytest.mark.parametrize("levels", [[], "0.5", [0.5, 0.5], [0.9, 0.1], [0, 0.5], [0.5, 1], [2], 0.5, [math.nan]])
def test_levels_that_do_not_grow_between_0_and_1_are_refused(levels):
    with pytest.raises(InvalidParameter):
        quantiles("x", levels, (0, 1), epsilon=1)


@pytest.mark.parametrize("rows", [[], [math.nan, None], [math.inf] * 3], ids=["empty", "none", "inf"])
def test_there_is_always_a_value(rows):
    values = quantiles("x", [0.5, 0.9], (0, 10), epsilon=1).run(Table.of({"x": rows}), Bits()).columns[0].values
    assert all(0 <= value <= 10 for value in values)
