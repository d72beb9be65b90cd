import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits, DiscreteLaplace
from tests.noise import fit

SCALES = [Fraction(1, 3), Fraction(1), Fraction(10), Fraction(255, 2), Fraction(128), Fraction(10_000)]


@pytest.mark.theorem("D Def 2.6")
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_law_sampled_is_the_two_sided_geometric_law(scale):
    b = float(scale)
    sample = DiscreteLaplace(scale).sample(Bits(), 4_000_000)
    reach = int(60 * b) + 60
    edges, law = fit.groups_of(fit.discrete_laplace_cdf(b), -reach, reach, 400)
    assert fit.p_value(sample, edges, law) > fit.FALSE_ALARM
    for wrong in (0.75, 1.25):
        edges, law = fit.groups_of(fit.discrete_laplace_cdf(b * wrong), -reach, reach, 400)
        assert fit.p_value(sample, edges, law) < fit.FALSE_ALARM


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_far_tails_have_their_share(scale):
    # of 1000 or more expected hits a sample passes for a half more with probability below 1e-16
    n, law = 16_000_000, DiscreteLaplace(scale)
    sample = np.abs(law.sample(Bits(), n))
    for chance in (1e-3, 1e-4):
        radius = int(law.radius(chance))
        exact = 2 * math.exp(-radius / float(scale)) / (math.exp(1 / float(scale)) + 1)
        hits = int((sample > radius).sum())
        assert fit.binomial_p_value(hits, n, exact) > fit.FALSE_ALARM
        if exact * n >= 1000:
            assert fit.binomial_p_value(hits, n, 1.5 * exact) < fit.FALSE_ALARM


@pytest.mark.theorem("D Thm 2.7")
@pytest.mark.parametrize("scale", [*SCALES, Fraction(10**9), Fraction(1, 50)], ids=str)
def test_tail_and_moments_are_the_series_of_the_definition(scale):
    """mean 0, variance 2α/(1 − α)², P[|Z| > z] = 2α^−z/(α + 1) ≤ α^−z, against sums and closed forms at 50 digits."""
    law = DiscreteLaplace(scale)
    with mpmath.workdps(50):
        alpha = mpmath.exp(1 / (mpmath.mpf(scale.numerator) / scale.denominator))
        assert law.mean == 0
        assert law.variance == pytest.approx(float(2 * alpha / (1 - alpha) ** 2), rel=1e-15)
        assert mpmath.mpf(law.variance) >= 2 * alpha / (1 - alpha) ** 2
        for z in (0, 1, 2, 17, int(5 * scale)):
            exact = 2 * alpha**-z / (alpha + 1)
            if scale <= 10:
                series = 1 - (alpha - 1) / (alpha + 1) * mpmath.fsum(alpha ** -abs(k) for k in range(-z, z + 1))
                assert abs(series - exact) < mpmath.mpf(10) ** -40
            tail = mpmath.mpf(law.tail(z))
            assert exact <= tail <= max(exact * (1 + mpmath.mpf(2) ** -52), 5e-324)
            assert exact <= alpha**-z
            mass = mpmath.log((alpha - 1) / (alpha + 1)) - z * mpmath.log(alpha)
            assert law.log_mass(z) == law.log_mass(-z) == float(mass)


@pytest.mark.theorem("D Def 2.6")
def test_masses_sum_to_one():
    law = DiscreteLaplace(Fraction(7, 3))
    assert math.fsum(math.exp(law.log_mass(k)) for k in range(-120, 121)) == pytest.approx(1, abs=1e-15)
    assert law.log_mass(0.5) == -math.inf


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_radius_and_quantile_are_the_smallest_that_hold(scale):
    law = DiscreteLaplace(scale)
    with mpmath.workdps(60):
        q = mpmath.exp(-1 / (mpmath.mpf(scale.numerator) / scale.denominator))

    def outside(z):
        return 2 * q ** (z + 1) / (1 + q) if z >= 0 else mpmath.mpf(1)

    def cdf(z):
        return 1 - q ** (z + 1) / (1 + q) if z >= 0 else q**-z / (1 + q)

    with mpmath.workdps(50):
        for beta in (0.9, 0.5, 0.05, 1e-6, 1e-100):
            radius = int(law.radius(beta))
            assert outside(radius) <= mpmath.mpf(str(beta)) < outside(radius - 1)
        for p in (1e-9, 0.01, 0.3, 0.5, 0.500001, 0.7, 0.99):
            z = int(law.quantile(p))
            assert cdf(z - 1) < mpmath.mpf(str(p)) <= cdf(z)


def test_tiny_scales_keep_a_chance_of_noise():
    law = DiscreteLaplace(Fraction(1, 1000))
    assert (law.sample(Bits(), 10_000) == 0).all()  # e^-1000 each: not in a lifetime
    assert law.log_mass(1) == pytest.approx(-1000)
    assert 0 < law.tail(0) < 1e-300  # e^-1000 is below every float, and rounds up


def test_huge_scales_have_the_right_spread():
    law = DiscreteLaplace(2**50)
    sample = law.sample(Bits(), 400_000).astype(float) / 2.0**50
    inside = int((np.abs(sample) <= math.log(2)).sum())
    assert fit.binomial_p_value(inside, 400_000, 0.5) > fit.FALSE_ALARM
    low_bits = np.bincount(law.sample(Bits(), 400_000) & 63, minlength=64).astype(float)
    assert fit.chi_square(low_bits, np.full(64, 1 / 64)) > fit.FALSE_ALARM


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "x", None, 2**50 + 1, True])
def test_bad_scales_are_refused_by_name(scale):
    with pytest.raises(InvalidParameter, match="scale must be"):
        DiscreteLaplace(scale)


@pytest.mark.parametrize("size", [-1, 1.5, "3", None, True])
def test_bad_sizes_are_refused_before_a_bit_is_drawn(size):
    class NoBits(Bits):
        def octets(self, size):
            raise AssertionError("a bit was drawn")

        integer = octets

    with pytest.raises(InvalidParameter, match="size must be a whole number"):
        DiscreteLaplace(3).sample(NoBits(), size)


def test_a_float_scale_means_its_shortest_decimal():
    assert DiscreteLaplace(0.1) == DiscreteLaplace(Fraction(1, 10)) == DiscreteLaplace("0.1")
    assert DiscreteLaplace(np.float64(0.1)).scale == Fraction(1, 10)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 1 << 15, (1 << 15) + 1])
def test_any_size_comes_as_64_bit_integers(size):
    sample = DiscreteLaplace(2).sample(Bits(), size)
    assert sample.shape == (size,)
    assert sample.dtype == np.int64


@pytest.mark.parametrize("scale", ["1e-5", "1e-12", "1e-100", "1e-300", "1e-3900"])
def test_the_tiniest_scales_are_laws_like_others(scale):
    """A mass of exp(−10¹²) has 10¹² digits after the point; none of them may be written out."""
    law = DiscreteLaplace(scale)
    assert not law.sample(Bits(), 1000).any()
    assert law.sample(Bits(), 1)[0] == 0
    assert law.tail(0) == law.variance == 5e-324
    assert law.radius(1e-300) == law.quantile(1e-300) == law.quantile(1 - Fraction(1, 10**30)) == 0
