"""Which Gaussian noise whole answers get: both prices by mpmath, and the variances compared."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.guarantees import GDP
from dalenius.mechanisms import DiscreteGaussian, Gaussian, discrete_gaussians, least_gaussians
from dalenius.mechanisms.integer_gaussian import rounded_gaussians
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise.lattice import INTEGERS

ONE = Sensitivity(1, Metric.L2)
STEPS = Sensitivity.root(50 * 2**40, Metric.L2)
PRICES = [(1, "1e-6"), ("1/2", "1e-9"), (3, "1e-5")]


def exact_delta(mu, epsilon):
    """Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), at 40 digits."""
    with mpmath.workdps(40):
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def renyi_delta(rho, epsilon):
    """The conversion that a paper prints, on a fine grid of orders: inf exp((α−1)(αρ−ε))/(α−1)·(1−1/α)^α."""
    orders = np.geomspace(1.0001, 2000, 40_000)
    logs = (orders - 1) * (orders * rho - epsilon) - np.log(orders - 1) + orders * np.log1p(-1 / orders)
    return math.exp(logs.min())


@pytest.mark.parametrize(("epsilon", "delta"), PRICES)
@pytest.mark.parametrize("shares", [(1,), ("1/3", "2/3"), ("1/10", "1/5", "7/10")])
def test_the_squares_of_mu_are_shared_out_and_meet_the_price_exactly(epsilon, delta, shares):
    moves = [(STEPS if at else ONE, Fraction(share)) for at, share in enumerate(shares)]
    noises = rounded_gaussians(moves, epsilon, delta)
    whole = sum(moved.square / one.scale**2 for (moved, _), one in zip(moves, noises, strict=True))
    with mpmath.workdps(40):
        mu = mpmath.sqrt(mpmath.mpf(whole.numerator) / whole.denominator)
        wanted, at = mpmath.mpf(delta), mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator
        assert exact_delta(mu, at) <= wanted
        assert exact_delta(mu * (1 + mpmath.mpf("1e-9")), at) > wanted
    together = [one.guarantee(moved) for (moved, _), one in zip(moves, noises, strict=True)]
    assert together[0].compose(*together[1:]) == GDP.root(whole)
    assert all(one.lattice == INTEGERS for one in noises)


@pytest.mark.parametrize(("epsilon", "delta"), PRICES)
def test_discrete_noise_meets_the_price_by_its_divergences(epsilon, delta):
    moves = [(ONE, Fraction(1, 4)), (STEPS, Fraction(3, 4))]
    noises = discrete_gaussians(moves, epsilon, delta)
    rho = sum(float(moved.square / (2 * one.scale**2)) for (moved, _), one in zip(moves, noises, strict=True))
    assert 0.98 * float(delta) < renyi_delta(rho, float(Fraction(epsilon))) <= float(delta) * (1 + 1e-6)


@pytest.mark.parametrize("moved", [ONE, Sensitivity(3, Metric.L2), STEPS], ids=lambda one: f"{float(one.value):.3g}")
@pytest.mark.parametrize("epsilon", ["1/10", 1, 3, 5, 8, 20, 50])
def test_the_kind_with_the_smaller_variance_is_taken(epsilon, moved):
    (chosen,) = least_gaussians([(moved, Fraction(1))], epsilon, "1e-6")
    (one,) = rounded_gaussians([(moved, Fraction(1))], epsilon, "1e-6")
    (other,) = discrete_gaussians([(moved, Fraction(1))], epsilon, "1e-6")
    assert chosen.noise.variance == min(one.noise.variance, other.noise.variance)


def test_rounded_noise_is_less_for_prices_as_people_pay_them_and_more_below_a_step():
    (usual,), (huge,) = (least_gaussians([(ONE, Fraction(1))], epsilon, "1e-6") for epsilon in (1, 20))
    assert isinstance(usual, Gaussian)
    assert isinstance(huge, DiscreteGaussian)
    (before,) = discrete_gaussians([(ONE, Fraction(1))], 1, "1e-6")
    assert usual.noise.variance < 0.88 * before.noise.variance


def test_answers_that_share_a_price_have_one_kind_of_noise():
    """At ε = 9 a count in whole steps would rather have discrete noise, a sum in fine steps rounded noise."""
    moves = [(ONE, Fraction(1, 2)), (STEPS, Fraction(1, 2))]
    kinds = {type(one) for one in least_gaussians(moves, 9, "1e-6")}
    assert len(kinds) == 1
