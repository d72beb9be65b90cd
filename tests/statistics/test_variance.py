import numpy as np
import pytest
from scipy.stats import binom

from dalenius.curator import Facts
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Table
from dalenius.statistics import std, variance
from tests.statistics.neighbors import measures
from tests.statistics.releases import intervals, many, thinner, values

DATA = np.clip(np.random.default_rng(5).normal(30, 12, 10_000), 0, 100)
VIEW = Table.of({"x": DATA})
PUBLIC = Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=len(DATA))
SETS = {
    "normal": DATA,
    "uniform": np.linspace(0, 100, 10_000),
    "two ends": np.repeat([0.0, 100.0], 5_000),
    "one end": np.repeat([0.0, 100.0], [9_900, 100]),
    "equal": np.full(10_000, 30.0),
}


def test_three_sums_cost_what_a_count_costs():
    (parts,) = measures(variance("x", (0, 100), epsilon=1))
    assert parts.mechanism.scale * parts.query.lattice.step == 1
    assert len(parts.names) == 3


@pytest.mark.parametrize("about", [None, PUBLIC])
@pytest.mark.parametrize("name", SETS)
def test_it_is_the_variance_of_what_is_held_in_the_bounds(about, name):
    held = np.clip(SETS[name], 10, 60)
    for make, truth in ((variance, held.var()), (std, held.std())):
        outcome = make("x", (10, 60), epsilon=1e9, about=about).run(Table.of({"x": SETS[name]}), Bits())
        assert outcome.column(outcome.numbers[0])[0] == pytest.approx(truth, abs=2e-3)


def test_by_keys_each_group_has_its_own():
    view = Table.of({"x": [1, 3, 9, 5], "g": ["a", "a", "b", "c"]})
    outcome = variance("x", (0, 10), epsilon=1e7, by=Keys("g", ["a", "b"])).run(view, Bits())
    assert outcome.column(outcome.numbers[0]) == pytest.approx((1, 0), abs=1e-3)


def test_without_rows_it_stays_within_what_a_variance_can_be():
    found = values(many(variance("x", (2, 10), epsilon=1), Table.of({"x": []}), 4_000))
    assert found.min() >= 0
    assert found.max() <= 16
    assert np.count_nonzero(found == 8) > 1_000


@pytest.mark.parametrize("about", [None, PUBLIC])
@pytest.mark.parametrize("name", SETS)
def test_the_interval_holds_the_variance_as_often_as_it_says(about, name):
    """4 000 releases; each comparison fails by chance with probability below 1e-9."""
    data, size = SETS[name], 4_000
    for make, truth in ((variance, data.var()), (std, data.std())):
        outcome = many(make("x", (0, 100), epsilon=1, about=about), Table.of({"x": data}), size)
        low, high = intervals(outcome)
        slack = 1e-6 * (1 + truth)  # the answer's own rounding to 2⁻³⁰
        assert np.count_nonzero((truth < low - slack) | (truth > high + slack)) <= binom.isf(1e-9, size, 0.05)


def test_an_interval_for_a_third_of_the_noise_is_caught():
    outcome = thinner(many(variance("x", (0, 100), epsilon=1), VIEW, 4_000), 1 / 3)
    low, high = intervals(outcome)
    assert np.count_nonzero((DATA.var() < low) | (DATA.var() > high)) > binom.isf(1e-9, 4_000, 0.05)


@pytest.mark.parametrize("make", [variance, std])
@pytest.mark.parametrize("name", ["normal", "uniform"])
def test_the_interval_is_at_most_two_and_a_half_times_as_wide_as_need_be(make, name):
    data = SETS[name]
    outcome = many(make("x", (0, 100), epsilon=1), Table.of({"x": data}), 20_000)
    low, high = intervals(outcome)
    needed = np.quantile(abs(values(outcome) - (data.var() if make is variance else data.std())), 0.95)
    assert np.median(high - low) / 2 <= 2.5 * needed
