import itertools
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName
from dalenius.ledger import Ledger
from dalenius.mechanisms import MonotonePermuteAndFlip
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import choose
from tests.contracts.selection_laws import violates
from tests.statistics.small import GRID, column, mode_law, owned, row_pairs, unit_pairs

POOL = [0.5, 1.0, 4.01, None, 1e300]
UNITS = [[1.0], [4.01, 1.0], [0.1] * 4, [None], [1e300, 1e300]]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def revenue(rows, price):
    """What one buyer pays at this price: nothing if it is above all that they bid."""
    return price if (rows["x"] >= price).any() else 0


def spent(rows, price):
    return rows["x"].sum()


PUMPKINS, CHOCOLATE = [1.0, 1.01, 4.01, 4.02], [1.0, 3.0, 3.1, 3.2]


def prices(candidates, *, epsilon=1, **options):
    return choose(candidates, revenue, ["x"], max(candidates), epsilon=epsilon, version="revenue", **options)


@pytest.mark.theorem("A Thm 7.1")
@pytest.mark.parametrize("utility", [revenue, spent])
@pytest.mark.parametrize("relation", list(Relation))
def test_every_neighbor_of_every_small_table_is_within_the_guarantee(relation, utility):
    plan = choose([1, 4], utility, ["x"], 4, epsilon=1, version="v", unit=Unit.row(relation))
    assert plan.guarantee.sum_form == (1, 0)
    moved = 4 if relation is Relation.ADD_REMOVE else 8  # Δ/ε for sums that only grow, else 2Δ/ε
    assert plan.mechanism.scale * plan.query.scale.lattice.step == moved
    for first, second in row_pairs(POOL, 2, relation):
        assert not violates(mode_law(plan, column(first)), mode_law(plan, column(second)), plan.guarantee, GRID)


@pytest.mark.parametrize("relation", list(Relation))
def test_units_with_several_rows_are_within_the_guarantee(relation):
    plan = choose([1, 4], spent, ["x"], 4, epsilon=1, version="v", unit=Unit("u", relation))
    for first, second in unit_pairs(UNITS, [[1.0], [2.0, 2.0]], relation):
        assert not violates(mode_law(plan, owned(first)), mode_law(plan, owned(second)), plan.guarantee, GRID)


def test_half_the_noise_for_changed_rows_is_caught():
    def either(rows, candidate):
        return rows["x"] == candidate

    plan = choose([1, 4], either, ["x"], 1, epsilon=1, version="v", unit=Unit.row(Relation.CHANGE_ONE))
    cheap = type(plan)(plan.query, MonotonePermuteAndFlip(plan.mechanism.scale / 2), plan.unit, plan.name)
    first, second = column([1.0] * 9), column([1.0] * 8 + [4.0])
    assert not violates(mode_law(plan, first), mode_law(plan, second), plan.guarantee, GRID)
    assert violates(mode_law(cheap, first), mode_law(cheap, second), plan.guarantee, GRID)


@pytest.mark.theorem("A Ex 7.1")
def test_pumpkins_sell_best_at_the_highest_bid_and_noise_on_the_price_would_earn_nothing(tmp_path):
    """The printed revenues of four bids, and of a thousand times as many through a curator."""
    plan = prices(PUMPKINS)
    step = plan.query.scale.lattice.step
    earned = [float(total * step) for total in plan.query.evaluate(column([1.0, 1.0, 1.0, 4.01]))]
    assert earned == pytest.approx([4, 1.01, 4.01, 0], abs=1e-8)
    bids = [1.0, 1.0, 1.0, 4.01] * 1000
    curator = _curator(tmp_path, bids, 10)
    release = curator.release(prices(PUMPKINS, epsilon=10, about=curator))
    assert release.value == 4.01  # at $1 they earn 10 less, 24 times the noise scale of .402: else with chance e⁻²⁴
    assert release.guarantee.sum_form == (10, 0)
    assert curator.budget.epsilon == 0


@pytest.mark.theorem("S Ex 2.1")
def test_chocolate_is_priced_at_one_dollar_through_the_curator(tmp_path):
    plan = prices(CHOCOLATE)
    step = plan.query.scale.lattice.step
    earned = [float(total * step) for total in plan.query.evaluate(column([1.0, 1.0, 1.0, 3.1]))]
    assert earned == pytest.approx([4, 3, 3.1, 0], abs=1e-8)  # the survey prints 3.0 for the first
    curator = _curator(tmp_path, [1.0, 1.0, 1.0, 3.1] * 100, 1)
    assert curator.release(prices(CHOCOLATE, about=curator)).value == 1.0  # else with chance e⁻²⁸


def _curator(tmp_path, bids, epsilon):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("buyers", epsilon=epsilon, unit="row")
    return Curator({"x": bids}, unit="row", ledger=ledger, dataset="buyers")


def test_a_function_of_the_whole_table_goes_through_blocks_and_one_unit_changes_one_block():
    def near_the_median(rows, candidate):
        return 1 / (1 + abs(np.median(rows["x"]) - candidate))

    plan = choose([1, 4], near_the_median, ["x"], 1, epsilon=1, version="v", blocks=3)
    assert plan.guarantee.sum_form == (1, 0)
    assert plan.guarantee.relation is Relation.ADD_REMOVE
    data = [0.0, 5.0, 1.0, 2.0, 4.0]
    for blocks in itertools.product(range(3), repeat=5):
        here = plan.plan.query.evaluate(plan.answers(column(data), np.array(blocks)))
        there = plan.plan.query.evaluate(plan.answers(column(data[:-1]), np.array(blocks[:-1])))
        moved = max(abs(a - b) for a, b in zip(here, there, strict=True))
        assert moved <= plan.plan.query.sensitivity(plan.plan.unit).linf
    many = Table.of({"x": np.full(20000, 4.0)})
    sure = choose([1, 4], near_the_median, ["x"], 1, epsilon=1, version="v", blocks=200)
    assert sure.run(many, Bits()).columns[0].values == (4,)  # else with chance e⁻⁷⁵


@pytest.mark.theorem("A Thm 7.2")
def test_the_chosen_utility_is_as_near_the_largest_as_said():
    plan = prices(PUMPKINS)
    table = column([1.0] * 15 + [4.01] * 4)
    gaps = [19 - earned for earned in (19, 4.04, 16.04, 0)]
    for beta in (0.5, 0.1, 0.01):
        told = plan.explain().expected.accuracy(beta)
        assert sum(p for p, gap in zip(mode_law(plan, table), gaps, strict=True) if gap > told) <= beta


def test_what_is_told_is_in_the_units_of_the_utility_and_refusals_come_first():
    assert "sensitivity  4.02 in ℓ∞" in str(prices(PUMPKINS).explain())
    assert prices(PUMPKINS).fingerprint != prices(PUMPKINS, unit=Unit.row(Relation.CHANGE_ONE)).fingerprint
    with pytest.raises(UnboundedQuery):
        choose([], revenue, ["x"], 1, epsilon=1, version="v")
    for wrong in ({"most": 0}, {"epsilon": 0}, {"version": ""}, {"columns": "x"}, {"utility": 3}, {"blocks": 0}):
        good = {"candidates": [1], "utility": revenue, "columns": ["x"], "most": 1, "epsilon": 1, "version": "v"}
        with pytest.raises(InvalidParameter):
            choose(**(good | wrong))
    with pytest.raises(UnknownName):
        prices(PUMPKINS).check(Table.of({"y": [1]}))


def test_a_twentieth_of_a_cent_is_kept():
    plan = choose([1], lambda rows, _: Fraction(1, 2000), ["x"], 4, epsilon=1, version="v")
    assert plan.query.evaluate(column([1.0] * 1000))[0] * plan.query.scale.lattice.step == pytest.approx(0.5, abs=1e-6)
