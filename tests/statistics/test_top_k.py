from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.errors import InvalidParameter
from dalenius.mechanisms import MonotoneExponential, TopK
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Table
from dalenius.statistics import top_k
from tests.contracts.selection_laws import violates
from tests.statistics.small import GRID, column, owned, row_pairs, top_law, unit_pairs

KEYS = ["a", "b", "c"]
POOL = ["a", "b", "c", None]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


@pytest.mark.theorem("A Thm 3.3", "A Thm 7.1")
@pytest.mark.parametrize("relation", list(Relation))
def test_every_neighbor_of_every_small_table_is_within_the_guarantee(relation):
    plan = top_k("x", KEYS, 2, epsilon=1, unit=Unit.row(relation))
    assert plan.guarantee.sum_form == (1, 0)
    pool, most = (POOL, 2) if relation is Relation.ADD_REMOVE else (POOL[1:], 2)
    for first, second in row_pairs(pool, most, relation):
        assert not violates(top_law(plan, column(first)), top_law(plan, column(second)), plan.guarantee, GRID)


@pytest.mark.parametrize("relation", list(Relation))
def test_units_with_several_rows_are_within_the_guarantee(relation):
    plan = top_k("x", KEYS, 2, epsilon=1, unit=Unit("u", relation), contributions=2)
    for first, second in unit_pairs([["a"] * 3, ["a", "b"], ["c"] * 9, [None]], [["a"], ["b", "b"]], relation):
        assert not violates(top_law(plan, owned(first)), top_law(plan, owned(second)), plan.guarantee, GRID)


def test_too_little_noise_is_caught():
    # one row moves one count, which is chosen once: the true loss is half of what two choices are charged for
    plan = top_k("x", KEYS, 2, epsilon=1)
    assert plan.mechanism.selection.scale == 2
    cheap = type(plan)(plan.query, TopK(MonotoneExponential(Fraction(9, 10)), 2), plan.unit, plan.name)
    first, second = column(["a"] * 9 + ["b"] * 9), column(["a"] * 9 + ["b"] * 9 + ["c"])
    assert violates(top_law(cheap, first), top_law(cheap, second), plan.guarantee, [])


def test_frequent_keys_come_in_order():
    table = Table.of({"x": ["c"] * 900 + ["b"] * 500 + ["a"] * 100})
    plan = top_k("x", KEYS, 2, epsilon=1)
    assert plan.keys == Keys("rank", [1, 2])
    assert plan.run(table, Bits()).columns[0].values == ("c", "b")  # else with chance below 1e-80


@pytest.mark.parametrize("k", [0, 4, True, 1.0, "2"])
def test_a_k_that_the_keys_do_not_have_is_refused(k):
    with pytest.raises(InvalidParameter):
        top_k("x", KEYS, k, epsilon=1)
