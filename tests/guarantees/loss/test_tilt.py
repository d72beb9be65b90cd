"""Moments, characteristic functions and their decay against mpmath."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.tilt import tilt
from tests.guarantees.loss import loss_truth as truth

CASES = [
    ("0.004", "1.1", 12.0, 15.0),
    ("0.0001", "0.8", 20.0, 30.0),
    ("0.01", "0.3", 3.0, 10.0),
    ("0.5", "4", 30.0, 20.0),
]


@pytest.mark.theorem("A §14.2 characteristic function", "A Rem 14.5", "A Prop 14.2")
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("rate", "sigma", "s", "t"), CASES)
def test_moments_are_within_their_proven_error(rate, sigma, s, t, first):
    pair = pairs.gaussian(1 / Fraction(sigma) ** 2).sampled(Fraction(rate))
    made = tilt(pair if first else pair.swapped(), s, t)
    with mp.workdps(30):
        q, mu = truth.number(rate), 1 / truth.number(sigma)
        real = truth.sampled_gaussian_moment(q, mu, mp.mpf(s), first)
        ratio = truth.sampled_gaussian_moment(q, mu, mp.mpc(s, t), first) / real
    assert abs(mp.log(real) - made.log_moment) <= made.log_moment_error <= 1e-10
    log_modulus, angle, error = made.log_characteristic(np.array([t]))
    assert abs(complex(ratio) - np.exp(log_modulus[0] + 1j * angle[0])) <= error[0] <= 1e-7


@pytest.mark.parametrize(("rate", "sigma", "s", "t"), CASES)
def test_decay_is_above_the_characteristic_function(rate, sigma, s, t):
    pair = pairs.gaussian(1 / Fraction(sigma) ** 2).sampled(Fraction(rate))
    points = np.linspace(0.01 * t, 4 * t, 400)
    made = tilt(pair, s, float(points[-1]), decay=True)
    log_modulus, _, error = made.log_characteristic(points)
    bounds = np.array([made.log_decay(float(each)) for each in points])
    assert np.all(np.exp(log_modulus) <= np.exp(bounds) * (1 + 1e-9) + error)
    assert np.all(np.diff(bounds) <= 1e-12)


@pytest.mark.theorem("A §14.2 characteristic function")
def test_laplace_moment_has_its_closed_form():
    made = tilt(pairs.laplace("0.05"), 10.0, 100.0)
    with mp.workdps(30):
        e = mp.mpf("0.05")
        moment = lambda z: ((z + 1) * mp.exp(z * e) + z * mp.exp(-(1 + z) * e)) / (2 * z + 1)  # noqa: E731
        assert abs(mp.log(moment(mp.mpf(10))) - made.log_moment) <= made.log_moment_error
        ratio = complex(moment(mp.mpc(10, 100)) / moment(mp.mpf(10)))
    log_modulus, angle, error = made.log_characteristic(np.array([100.0]))
    assert abs(ratio - np.exp(log_modulus[0] + 1j * angle[0])) <= error[0]


@pytest.mark.theorem("A Rem 14.5", "A Prop 14.2")
def test_transforms_of_a_composition_multiply():
    """φ of the sum of two losses, outcome by outcome, against the product of both transforms."""
    first, second = pairs.from_masses(["1/2", "1/2"], ["1/4", "3/4"]), pairs.from_masses(["2/3", "1/3"], ["1/3", "2/3"])
    s, t = 1.5, 2.0
    one, two = tilt(first, s, t), tilt(second, s, t)
    told = [made.log_characteristic(np.array([t])) for made in (one, two)]
    logs, angles = [each[0][0] for each in told], [each[1][0] for each in told]
    joint = [(a.loss + b.loss, a.first * b.first) for a in first.atoms for b in second.atoms]
    real = sum(mass * np.exp(s * loss) for loss, mass in joint)
    whole = sum(mass * np.exp((s + 1j * t) * loss) for loss, mass in joint) / real
    assert np.log(real) == pytest.approx(one.log_moment + two.log_moment, abs=1e-12)
    assert np.exp(sum(logs) + 1j * sum(angles)) == pytest.approx(whole, abs=1e-12)
