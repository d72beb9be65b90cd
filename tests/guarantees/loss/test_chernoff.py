"""The bound that always exists is above the truth, and not absurdly."""

from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.chernoff import chernoff_delta, chernoff_epsilon
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
