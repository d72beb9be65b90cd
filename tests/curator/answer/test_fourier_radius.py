import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import binomial, gammainc, mp, mpf
from scipy.special import ndtr

from dalenius.curator.answer.fourier_radius import _rounded_gaussian, equal_radius, laplace_radius
from dalenius.curator.answer.sum_radius import alike, radius_of
from dalenius.mechanisms import DiscreteGaussian, Gaussian, Geometric
from dalenius.noise import Lattice

BETA = Fraction(1, 20)


def outside_of_sum(mechanism, count):
    """P[|Z₁ + … + Zₙ| > r] for every r, from the masses by convolution, two halves at a time."""
    scale = float(mechanism.scale)
    values = np.arange(-math.ceil(45 * scale), math.ceil(45 * scale) + 1)
    one = np.exp(-np.abs(values) / scale if isinstance(mechanism, Geometric) else -(values**2) / (2 * scale**2))
    if isinstance(mechanism, Gaussian):
        one = ndtr((0.5 - np.abs(values)) / scale) - ndtr((-0.5 - np.abs(values)) / scale)
    total, power, left = np.array([1.0]), one / one.sum(), count
    while left:
        total = np.convolve(total, power) if left % 2 else total
        power, left = _trimmed(np.convolve(power, power)) if left > 1 else power, left // 2
        total = _trimmed(total)
    middle = len(total) // 2
    return 1 - np.cumsum(np.concatenate([[total[middle]], 2 * total[middle + 1 :]]))


def _trimmed(law):
    heavy = int(np.argmax(law > 1e-18))
    return law[heavy : len(law) - heavy]


@pytest.mark.parametrize("beta", [Fraction(1, 20), Fraction(1, 10**5)])
@pytest.mark.parametrize("count", [1, 2, 3, 30, 365, 730])
@pytest.mark.parametrize(
    "mechanism",
    [
        *(Geometric(Fraction(1, 2)), Geometric(Fraction(10)), DiscreteGaussian(Fraction(1))),
        *(DiscreteGaussian(Fraction(8)), Gaussian(1, Lattice(0)), Gaussian(8, Lattice(0))),
    ],
)
def test_the_radius_of_equal_noises_is_the_least_that_convolution_allows(mechanism, count, beta):
    outside = outside_of_sum(mechanism, count)
    r = equal_radius(mechanism, count, beta)
    assert outside[r] <= float(beta) * (1 + 1e-9)
    assert outside[r - 1] > float(beta) * (1 - 2e-6)  # a step less is too little, but for a millionth of beta


@pytest.mark.parametrize("scale", [1.0, 1.3, 5.0])
def test_the_transform_of_rounded_gaussian_noise_is_that_of_its_cells_and_falls(scale):
    t = np.linspace(0.01, np.pi, 500)
    k = np.arange(-80, 81)
    cells = ndtr((k + 0.5) / scale) - ndtr((k - 0.5) / scale)
    surprises = _rounded_gaussian(scale, 1)(t)
    np.testing.assert_allclose(np.exp(-surprises), np.cos(np.outer(t, k)) @ cells, atol=1e-13)
    assert (np.diff(surprises) > -1e-8).all()


def tail_of_equal_laplace(count, r):
    """P[|Σ Lᵢ| > r] = 2·Σₖ C(n − 1 + k, k)·2^−(n + k)·Q(n − k, r): mixed gamma variables, in mpmath."""
    with mp.workdps(40):
        return 2 * sum(
            binomial(count - 1 + k, k) / mpf(2) ** (count + k) * gammainc(count - k, r, regularized=True)
            for k in range(count)
        )


@pytest.mark.parametrize("beta", [Fraction(1, 20), Fraction(1, 10**6)])
@pytest.mark.parametrize("count", [5, 12, 65, 300])
def test_the_radius_of_equal_laplace_variables_is_that_of_their_closed_form(count, beta):
    r = laplace_radius(((Fraction(3), count),), beta) / 3
    assert tail_of_equal_laplace(count, r) <= float(beta)
    assert tail_of_equal_laplace(count, r * 0.9998) > float(beta)


def test_a_wide_variable_among_many_narrow_ones_has_a_radius_that_covers_both():
    """Var = 2·(1 + 400/400) = 4: by Chebyshev's inequality for the whole, and more than the wide one alone needs."""
    r = laplace_radius(((Fraction(1, 20), 400), (Fraction(1), 1)), BETA)
    assert math.log(20) < r < math.sqrt(4 * 20)
    rng = np.random.default_rng()
    sums = rng.laplace(size=10_000) + rng.laplace(scale=1 / 20, size=(10_000, 400)).sum(axis=1)
    six = 6 * math.sqrt(0.0475 * len(sums))
    assert np.count_nonzero(np.abs(sums) > r) <= 0.05 * len(sums) + six
    assert np.count_nonzero(np.abs(sums) > 0.75 * r) > 0.05 * len(sums) + six


def test_more_noise_of_the_same_kinds_never_has_a_smaller_radius_for_every_smaller_coefficient():
    ten = Geometric(Fraction(10))
    wide = [radius_of(alike([(ten, Fraction(c, 8))] * 100 + [(ten, Fraction(1))] * 9), BETA, True) for c in range(1, 9)]
    assert wide == sorted(wide)


def test_what_takes_too_many_waves_or_too_small_a_chance_has_no_radius_here():
    assert equal_radius(Geometric(Fraction(10**6)), 2, BETA) is None
    assert equal_radius(Geometric(Fraction(10)), 2, Fraction(1, 10**12)) is None
    assert equal_radius(DiscreteGaussian(Fraction(1, 2)), 2, BETA) is None
    assert equal_radius(Gaussian(Fraction(1, 2), Lattice(0)), 2, BETA) is None
    assert equal_radius(Gaussian(2), 2, BETA) is None
    assert laplace_radius(((Fraction(1), 2),), BETA) is None
    assert laplace_radius(((Fraction(1), 9),), Fraction(1)) is None
