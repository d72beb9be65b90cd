from dataclasses import replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.contour import _summed, line, log_tail_factor
from dalenius.guarantees.loss.saddle import saddle_for_epsilon
from dalenius.guarantees.loss.tilt import tilt
from tests.guarantees.loss import loss_truth as truth


def as_any_pair(mu_squared):
    """A Gaussian pair that the engine must integrate: its closed form is hidden."""
    return replace(pairs.gaussian(mu_squared), gaussian=None)


def beyond(t):
    """2∫ e^(−u²)/(2πu²) du from t on, for μ² = 2, over what stands before the sum."""
    return float(mp.quad(lambda u: mp.exp(-u * u) / (mp.pi * u * u), [t, t + 2, t + 10])) * 1.0001


@pytest.mark.parametrize("tolerance", [0.9, 1e-3, 1e-8])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 10.0])
def test_a_line_encloses_the_closed_form_of_many_gaussian_steps(epsilon, tolerance):
    composition = LossComposition.of([(as_any_pair(Fraction(1, 50)), 100)])
    made = line(composition, saddle_for_epsilon(composition, epsilon), tolerance)
    at = np.array([epsilon - 0.05, epsilon, epsilon + 0.3])
    for e, low, high in zip(at.tolist(), *(side.tolist() for side in made.delta(at)), strict=True):
        true = truth.gaussian_delta(mp.sqrt(2), mp.mpf(e))
        assert low <= true <= high
        assert high - low <= 10 * tolerance * true


@pytest.mark.parametrize("step", [0.05, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("s", [0.5, 2.0, 5.0])
def test_a_step_far_too_coarse_adds_aliases_above_and_owns_to_them_below(s, step):
    mu2, epsilon = 2.0, np.array([0.0, 1.0, 3.0])
    composition = LossComposition.of([(pairs.gaussian(2), 1)])
    t = step * np.arange(int(12 / step) + 2, dtype=np.float64)
    made = _summed(mu2, [], s, step, t, beyond(t[-1]), log_tail_factor(composition, s + 2))
    low, high = made.delta(epsilon)
    for k, e in enumerate(epsilon.tolist()):
        true = truth.gaussian_delta(mp.sqrt(2), mp.mpf(e))
        assert low[k] <= true <= high[k]
    if step == 2.0 and s == 0.5:
        assert high[1] > 1.1 * float(truth.gaussian_delta(mp.sqrt(2), mp.mpf(1)))  # the aliases are really there


@pytest.mark.parametrize("end", [0.5, 1.0, 2.0])
def test_a_sum_cut_far_too_early_is_still_enclosed(end):
    composition = LossComposition.of([(pairs.gaussian(2), 1)])
    t = np.arange(0.0, end + 0.01, 0.05)
    low, high = _summed(2.0, [], 2.0, 0.05, t, beyond(t[-1]), log_tail_factor(composition, 4.0)).delta(np.array([1.0]))
    assert low[0] <= truth.gaussian_delta(mp.sqrt(2), mp.mpf(1)) <= high[0]


@pytest.mark.parametrize("share", ["0.02", "0.1"])
def test_one_wide_step_among_gaussian_ones_is_enclosed_to_ten_digits(share):
    composition = LossComposition.of([(as_any_pair(100), 1), (pairs.gaussian(100 * Fraction(share)), 1)])
    mu = mp.sqrt(100 * (1 + truth.number(share)))
    epsilon = float(mu**2 / 2 + mu)
    low, high = line(composition, saddle_for_epsilon(composition, epsilon), 1e-9).delta(np.array([epsilon]))
    assert low[0] <= truth.gaussian_delta(mu, mp.mpf(epsilon)) <= high[0] <= low[0] * (1 + 1e-8)


def test_a_transform_near_zero_is_within_its_error():
    t = np.linspace(2, 6, 41)
    log_modulus, angle, error = tilt(as_any_pair(4), 3.0, 6.0).log_characteristic(t)
    true = np.exp(-2 * t * t + 14j * t)  # −μ²t²/2 and μ²(s + ½)t
    assert np.all(np.abs(np.exp(log_modulus + 1j * angle) - true) <= error)
