from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.mechanisms import MonotonePermuteAndFlip
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import mode
from tests.contracts.selection_laws import violates
from tests.statistics.small import GRID, column, mode_law, owned, row_pairs, unit_pairs

KEYS = ["a", "b", 3]
POOL = ["a", "b", 3.0, None, "other"]
UNITS = [["a"], ["a", "b"], [3] * 4, ["a", "a", "other"], [None]]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


@pytest.mark.theorem("A §5.1 report noisy max", "A Prop 5.1")
@pytest.mark.parametrize("relation", list(Relation))
def test_every_neighbor_of_every_small_table_is_within_the_guarantee(relation):
    plan = mode("x", KEYS, epsilon=1, unit=Unit.row(relation))
    assert plan.guarantee.sum_form == (1, 0)
    for first, second in row_pairs(POOL, 3, relation):
        assert not violates(mode_law(plan, column(first)), mode_law(plan, column(second)), plan.guarantee, GRID)


@pytest.mark.parametrize("relation", list(Relation))
def test_units_with_several_rows_are_within_the_guarantee(relation):
    plan = mode("x", KEYS, epsilon=1, unit=Unit("u", relation), contributions=1)
    for first, second in unit_pairs(UNITS, [["a"], ["b", "b"]], relation):
        assert not violates(mode_law(plan, owned(first)), mode_law(plan, owned(second)), plan.guarantee, GRID)


def test_half_the_noise_for_changed_rows_is_caught():
    # errata: what is enough where all counts move the same way is not where one falls and another rises
    plan = mode("x", KEYS, epsilon=1, unit=Unit.row(Relation.CHANGE_ONE))
    cheap = type(plan)(plan.query, MonotonePermuteAndFlip(Fraction(1)), plan.unit, plan.name)
    pairs = [*row_pairs(POOL, 3, Relation.CHANGE_ONE), (["a"] * 9, ["a"] * 8 + ["b"])]
    assert any(violates(mode_law(cheap, column(a)), mode_law(cheap, column(b)), plan.guarantee, []) for a, b in pairs)


@pytest.mark.theorem("A Thm 7.2")
def test_the_chosen_count_is_as_near_the_largest_as_said():
    plan = mode("x", KEYS, epsilon=1)
    table = column(["a"] * 5 + ["b"] * 4)
    for beta in (0.5, 0.1, 0.01):
        told = plan.explain().expected.accuracy(beta)
        assert sum(p for p, count in zip(mode_law(plan, table), [5, 4, 0], strict=True) if 5 - count > told) <= beta


def test_a_frequent_key_is_named():
    table = Table.of({"x": ["b"] * 300 + ["a"] * 100 + [None]})
    assert mode("x", KEYS, epsilon=1).run(table, Bits()).columns[0].values == ("b",)  # else with chance e^−200


def test_keys_must_be_public():
    with pytest.raises(UnboundedQuery):
        mode("x", epsilon=1)
    with pytest.raises(UnboundedQuery):
        mode("x", [], epsilon=1)
    with pytest.raises(InvalidParameter):
        mode("x", KEYS, epsilon=0)
    with pytest.raises(UnboundedQuery):
        mode("x", KEYS, epsilon=1, unit="u")


def test_without_rows_some_key_is_named():
    assert mode("x", KEYS, epsilon=1).run(Table.of({"x": []}), Bits()).columns[0].values[0] in KEYS
