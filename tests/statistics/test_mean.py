import math

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.curator import Facts
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Table
from dalenius.statistics import mean
from tests.statistics.neighbors import measures, table, worst_loss
from tests.statistics.releases import intervals, many, thinner, values

CHANGED = Unit.row(Relation.CHANGE_ONE)
DATA = np.clip(np.random.default_rng(5).normal(30, 12, 10_000), 0, 100)
VIEW = Table.of({"x": DATA})
PUBLIC = Facts.declare(unit=CHANGED, rows=len(DATA))


def test_one_mechanism_releases_both_sums_and_no_budget_is_split():
    (parts,) = measures(mean("x", (0, 100), epsilon=0.5))
    assert parts.mechanism.scale * parts.query.lattice.step == 2
    (parts,) = measures(mean("x", (0, 100), epsilon=0.5, about=PUBLIC))
    assert parts.mechanism.scale * parts.query.lattice.step == 4  # Σs in [−1, 1] moves by 2


@pytest.mark.parametrize("about", [None, PUBLIC])
def test_it_is_the_mean_of_what_is_held_in_the_bounds(about):
    outcome = mean("x", (10, 40), epsilon=1e6, about=about).run(VIEW, Bits())
    assert outcome.column(outcome.numbers[0])[0] == pytest.approx(np.clip(DATA, 10, 40).mean(), abs=1e-6)


def test_by_keys_each_group_has_its_own():
    view = Table.of({"x": [1, 2, 9, 5], "g": ["a", "a", "b", "c"]})
    outcome = mean("x", (0, 10), epsilon=1e6, by=Keys("g", ["a", "b", "none"])).run(view, Bits())
    assert outcome.column(outcome.numbers[0])[:2] == pytest.approx((1.5, 9), abs=1e-4)
    assert outcome.column(outcome.shown[0]) == ("a", "b", "none")


def test_missing_rows_follow_the_declared_rule():
    rows = Table.of({"x": [8.0, float("nan"), None, "text"]})

    def told(**rule):
        outcome = mean("x", (2, 10), epsilon=1e6, **rule).run(rows, Bits())
        return outcome.column(outcome.numbers[0])[0]

    assert told() == pytest.approx(8, abs=1e-3)
    assert told(missing="nearest") == pytest.approx((8 + 3 * 2) / 4, abs=1e-3)
    assert told(missing=4) == pytest.approx((8 + 3 * 4) / 4, abs=1e-3)
    assert told(about=Facts.declare(unit=CHANGED, rows=4)) == pytest.approx(3.5, abs=1e-3)
    with pytest.raises(InvalidParameter, match="dropped"):
        mean("x", (0, 1), epsilon=1, missing="drop", about=PUBLIC)


def test_without_rows_it_is_the_middle_or_a_number_in_the_bounds():
    found = values(many(mean("x", (2, 10), epsilon=1), Table.of({"x": []}), 4_000))
    assert found.min() >= 2
    assert found.max() <= 10
    assert np.count_nonzero(found == 6) > 1_000  # the noisy count is not above 0 in half of all releases


@pytest.mark.parametrize(("about", "exact"), [(None, False), (PUBLIC, True)])
def test_the_interval_holds_the_mean_as_often_as_it_says(about, exact):
    """8 000 releases; each comparison fails by chance with probability below 1e-9."""
    outcome, size = many(mean("x", (0, 100), epsilon=1, about=about), VIEW, 8_000), 8_000
    truth = DATA.mean()

    def misses(releases):
        low, high = intervals(releases)
        return np.count_nonzero((truth < low) | (truth > high))

    assert misses(outcome) <= binom.isf(1e-9, size, 0.05)
    if exact:  # one noisy sum: neither more nor less, and a law off by a quarter is seen
        assert misses(outcome) >= binom.ppf(1e-9, size, 0.05)
        assert misses(thinner(outcome, 0.8)) > binom.isf(1e-9, size, 0.05)
        assert misses(thinner(outcome, 1.25)) < binom.ppf(1e-9, size, 0.05)


def test_the_interval_is_at_most_two_and_a_half_times_as_wide_as_need_be():
    outcome = many(mean("x", (0, 100), epsilon=1), VIEW, 20_000)
    low, high = intervals(outcome)
    needed = np.quantile(abs(values(outcome) - DATA.mean()), 0.95)
    assert np.median(high - low) / 2 <= 2.5 * needed


@pytest.mark.theorem("L §5.1 mean")
def test_the_printed_sensitivity_for_add_remove_is_rejected():
    """Noise of scale M/(nε) gives n away: n = 10 against 9, M = 1, ε = 1, a loss of 4.9 at y = 5."""

    def log_density(y, n, center):
        scale = 1 / n
        return -math.log(2 * scale) - abs(y - center) / scale

    printed = abs(log_density(5, 10, 0) - log_density(5, 9, 0))
    assert printed == pytest.approx(5 - math.log(10 / 9))
    assert printed > 4.89
    rows = [(0, 0, "a", i) for i in range(10)]
    (ours,) = measures(mean("x", (0, 1), epsilon=1))
    assert worst_loss(ours, rows, rows[:1]) == 1  # every loss, whatever is released


@pytest.mark.theorem("L §5.2 private mean", "L §5.1 mean")
def test_with_a_public_number_of_rows_the_noise_is_that_of_the_width_over_n():
    (parts,) = measures(mean("x", (0, 100), epsilon=1, about=PUBLIC))
    released = values(many(mean("x", (0, 100), epsilon=1, about=PUBLIC), VIEW, 20_000)) - DATA.mean()
    # the mean absolute error of Laplace noise is its scale; its own error is one 141st of that, six times over 4.3 %
    assert abs(released).mean() == pytest.approx(100 / len(DATA), rel=0.043)
    assert parts.guarantee.sum_form[0] == 1


def test_the_noise_does_not_give_the_number_of_rows_away():
    for size in (1, 9, 10):
        (parts,) = measures(mean("x", (0, 1), epsilon=1))
        assert parts.mechanism.scale == 2**30
        assert parts.query.evaluate(table([(0, 0, "a", 1)] * size)).sum() == size * 2**30
