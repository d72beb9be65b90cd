import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import maximum, minimum
from tests.statistics.small import GRID, breaks, column, owned, rank_law, row_pairs, unit_pairs

POOL = [0.5, 1.5, 3.5, math.nan]
UNITS = [[0.5], [3.5, 3.5, 3.5], [0.5, 3.5], [2.5, None]]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


@pytest.mark.theorem("A Alg 3", "A Thm 7.1")
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("extreme", [minimum, maximum])
def test_every_neighbor_is_within_the_guarantee_and_half_the_scale_is_caught(extreme, relation):
    plan = extreme("x", (0, 4), epsilon=16, cells=4, unit=Unit.row(relation))  # a shift of one row: data are small
    cheap = type(plan)(plan.query, plan.mechanism.scaled(Fraction(1, 2)), plan.unit, plan.name)
    caught = False
    for first, second in row_pairs(POOL, 3, relation):
        assert not breaks(rank_law(plan, column(first)), rank_law(plan, column(second)), plan.guarantee, GRID)
        caught |= breaks(rank_law(cheap, column(first)), rank_law(cheap, column(second)), plan.guarantee)
    assert caught


@pytest.mark.parametrize("extreme", [minimum, maximum])
def test_units_with_several_rows_are_within_the_guarantee(extreme):
    plan = extreme("x", (0, 4), epsilon=1, cells=4, unit="u", contributions=2)
    for first, second in unit_pairs(UNITS, [[1.5], [2.5, 0.5]], Relation.ADD_REMOVE):
        assert not breaks(rank_law(plan, owned(first)), rank_law(plan, owned(second)), plan.guarantee, GRID)


@pytest.mark.theorem("A Thm 7.2")
@pytest.mark.parametrize("extreme", [minimum, maximum])
@pytest.mark.parametrize("owner", [False, True])
def test_few_ranks_lie_beyond_the_value(extreme, owner):
    rows = np.repeat(np.arange(300.0, 701.0), 100)
    options = {"unit": "u", "contributions": 1} if owner else {}
    plan = extreme("x", (0, 1000), epsilon=1, **options)
    told = plan.explain().expected.accuracy(1e-9)  # the false alarm
    value = plan.run(Table.of({"x": rows, "u": np.arange(len(rows))}), Bits()).columns[0].values[0]
    beyond = np.count_nonzero(rows < value) if extreme is minimum else np.count_nonzero(rows > value)
    assert beyond <= told < 200


@pytest.mark.parametrize("extreme", [minimum, maximum])
@pytest.mark.parametrize("rows", [[], [math.nan], [5.0]], ids=["empty", "nan", "one"])
def test_there_is_always_a_value(extreme, rows):
    assert 0 <= extreme("x", (0, 10), epsilon=1).run(Table.of({"x": rows}), Bits()).columns[0].values[0] <= 10


@pytest.mark.parametrize(("extreme", "near"), [(minimum, range(30, 34)), (maximum, range(67, 71))])
def test_the_value_is_next_to_the_extreme_and_hardly_ever_in_the_empty_part_beyond(extreme, near):
    law = rank_law(extreme("x", (0, 100), epsilon=1, cells=100), column([x + 0.5 for x in range(30, 71)] * 20))
    beyond = law[:30] if extreme is minimum else law[71:]
    assert sum(beyond) < 1e-3
    assert sum(law[cell] for cell in near) > 0.99


def test_it_aims_inside_the_data_by_what_it_may_miss():
    low, high = minimum("x", (0, 1), epsilon=1), maximum("x", (0, 1), epsilon=1)
    assert low.mechanism.shift == -high.mechanism.shift
    assert float(low.mechanism.shift) == pytest.approx(2 * math.log((2**20 - 1) * 999), rel=1e-9)
    assert low.fingerprint != high.fingerprint
