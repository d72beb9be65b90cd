"""The bound that always exists is above the truth, and not absurdly."""

from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.chernoff import chernoff_delta, chernoff_epsilon, least_bound
from dalenius.guarantees.loss.composition import LossComposition
from tests.guarantees.loss import loss_truth as truth


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
@pytest.mark.parametrize("rate", ["0.001", "0.1"])
def test_the_bound_is_above_one_step_and_below_one(rate, epsilon):
    composition = LossComposition.of([(pairs.gaussian(1).sampled(Fraction(rate)), 1)])
    with mp.workdps(40):
        expected = truth.one_sampled_step(truth.number(rate), mp.mpf(1), mp.mpf(epsilon), first=True)
    bound = chernoff_delta(composition, epsilon)
    assert expected <= bound < 1e-3 if rate == "0.001" else expected <= bound < 1


@pytest.mark.parametrize("delta", [1e-3, 1e-12, 1e-40])
def test_epsilon_and_delta_agree(delta):
    composition = LossComposition.of([(pairs.gaussian(1).sampled(Fraction(1, 100)), 50)])
    epsilon = chernoff_epsilon(composition, delta)
    assert chernoff_delta(composition, epsilon) <= delta * (1 + 1e-6)
    assert chernoff_delta(composition, epsilon * 0.98) > delta


def test_no_delta_is_reached_by_nothing():
    composition = LossComposition.of([(pairs.gaussian(1).sampled(Fraction(1, 100)), 50)])
    assert chernoff_epsilon(composition, 0.0) == float("inf")
    assert chernoff_delta(composition, 0.0) <= 1.0


@pytest.mark.parametrize("epsilon", [0.3, 12345.678, 1e7 / 3])
@pytest.mark.parametrize("s", [1.0 / 3, 2.0**20.5, 2.0**30])
def test_the_bound_is_rounded_up_where_s_times_epsilon_is_large(s, epsilon):
    """Held against exact arithmetic: log factor − s·ε loses its last digits where both are large."""
    for off in range(1, 40):
        log_factor = float(Fraction(s) * Fraction(epsilon)) - off / 7
        with mp.workdps(60):
            exact = mp.exp(mp.mpf(log_factor) - mp.mpf(s) * mp.mpf(epsilon))
        assert least_bound([(s, log_factor)], epsilon) >= min(exact, 1)
