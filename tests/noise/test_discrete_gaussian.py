import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits, DiscreteGaussian
from dalenius.numerics import precision
from tests.noise import fit

SCALES = [Fraction(1, 3), Fraction(1), Fraction(10), Fraction(255, 2), Fraction(128), Fraction(10_000)]


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_law_sampled_is_the_gaussian_on_the_integers(scale):
    b = float(scale)
    sample = DiscreteGaussian(scale).sample(Bits(), 4_000_000)
    reach = int(20 * b) + 20
    edges, law = fit.groups_of(fit.discrete_gaussian_cdf(b), -reach, reach, 400)
    assert fit.p_value(sample, edges, law) > fit.FALSE_ALARM
    for wrong in (0.75, 1.25):
        edges, law = fit.groups_of(fit.discrete_gaussian_cdf(b * wrong), -reach, reach, 400)
        assert fit.p_value(sample, edges, law) < fit.FALSE_ALARM


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_far_tails_have_their_share(scale):
    # of 1000 or more expected hits a sample passes for a half more with probability below 1e-16
    n, law = 16_000_000, DiscreteGaussian(scale)
    sample = np.abs(law.sample(Bits(), n))
    cdf = fit.discrete_gaussian_cdf(float(scale))
    for chance in (1e-3, 1e-4):
        radius = int(law.radius(chance))
        exact = 2 * float(cdf(np.array(-radius - 1)))
        hits = int((sample > radius).sum())
        assert fit.binomial_p_value(hits, n, exact) > fit.FALSE_ALARM
        if exact * n >= 1000:
            assert fit.binomial_p_value(hits, n, 1.5 * exact) < fit.FALSE_ALARM


def sums(scale: Fraction, power: int = 0, start: int | None = None) -> mpmath.mpf:
    """Σ |k|^power exp(−k²/2σ²) over all integers, or over k ≥ start."""
    rate, reach = 1 / (2 * (mpmath.mpf(scale.numerator) / scale.denominator) ** 2), int(30 * scale) + 30
    first = -reach if start is None else start
    return mpmath.fsum(abs(k) ** power * mpmath.exp(-rate * k * k) for k in range(first, max(first, reach) + 1))


@pytest.mark.parametrize(
    "scale", [Fraction(1, 5), Fraction(1, 3), Fraction(1), Fraction(9, 8), Fraction(10), Fraction(100)], ids=str
)
def test_masses_tails_and_variance_are_the_sums_of_the_definition(scale):
    law = DiscreteGaussian(scale)
    with mpmath.workdps(50):
        total = sums(scale)
        for k in (0, 1, 2, 7, int(3 * scale)):
            rate = 1 / (2 * (mpmath.mpf(scale.numerator) / scale.denominator) ** 2)
            assert law.log_mass(k) == law.log_mass(-k) == float(-rate * k * k - mpmath.log(total))
            exact = 2 * sums(scale, start=k + 1) / total
            assert exact <= mpmath.mpf(law.tail(k)) <= max(exact * (1 + mpmath.mpf(2) ** -50), 5e-324)
        variance = sums(scale, power=2) / total
        assert variance <= law.variance <= variance * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize("scale", [Fraction(160), Fraction(400), Fraction(1001, 2)], ids=str)
def test_between_integrals_holds_the_sum(scale):
    law = DiscreteGaussian(scale)
    with mpmath.workdps(40), precision(160):
        for start in (1, 2, int(scale) - 1, int(scale), int(scale) + 1, int(scale) + 2, 2 * int(scale), 5 * int(scale)):
            exact, ball = sums(scale, start=start), law._between_integrals(start)
            assert (
                mpmath.mpf(ball.lower().str(40, radius=False))
                <= exact
                <= mpmath.mpf(ball.upper().str(40, radius=False))
            )
            gap = float(ball.rad() / ball.mid()) * float(scale) ** 2
            assert gap < (1 + (start / float(scale)) ** 2) / 8  # second order: the two rules differ by f''/8 a step


def test_a_large_scale_gives_the_tail_of_the_normal_law():
    law = DiscreteGaussian(10**9)
    assert law.tail(1.959963984540054e9) == pytest.approx(0.05, rel=1e-7)
    assert law.tail(0.6744897501960817e9) == pytest.approx(0.5, rel=1e-7)
    assert float(law.radius(1e-9)) == pytest.approx(6.109410204869e9, rel=1e-7)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(10), Fraction(100)], ids=str)
def test_radius_and_quantile_are_the_smallest_that_hold(scale):
    law = DiscreteGaussian(scale)
    with mpmath.workdps(50):
        total = sums(scale)
        for beta in (0.9, 0.5, 0.05, 1e-6):
            radius = int(law.radius(beta))
            assert 2 * sums(scale, start=radius + 1) / total <= mpmath.mpf(str(beta))
            assert radius == 0 or 2 * sums(scale, start=radius) / total > mpmath.mpf(str(beta))
        for p in (0.01, 0.3, 0.5, 0.7, 0.99):
            z = int(law.quantile(p))
            assert 1 - sums(scale, start=z + 1) / total >= mpmath.mpf(str(p)) > 1 - sums(scale, start=z) / total


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 2**50 + 1])
def test_bad_scales_are_refused_by_name(scale):
    with pytest.raises(InvalidParameter, match="scale must be"):
        DiscreteGaussian(scale)


def test_huge_scales_have_the_right_spread():
    sample = DiscreteGaussian(2**50).sample(Bits(), 400_000)
    inside = int((np.abs(sample / 2.0**50) <= 0.6744897501960817).sum())
    assert fit.binomial_p_value(inside, 400_000, 0.5) > fit.FALSE_ALARM
    assert fit.chi_square(np.bincount(sample & 63, minlength=64).astype(float), np.full(64, 1 / 64)) > fit.FALSE_ALARM
    assert DiscreteGaussian(2**50).variance == math.ldexp(1, 100)


@pytest.mark.parametrize("scale", ["1e-5", "1e-12", "1e-100", "1e-300", "1e-3900"])
def test_the_tiniest_scales_are_laws_like_others(scale):
    law = DiscreteGaussian(scale)
    assert not law.sample(Bits(), 1000).any()
    assert law.sample(Bits(), 1)[0] == 0
    assert law.tail(0) == law.variance == 5e-324
    assert law.radius(1e-300) == law.quantile(1e-300) == law.quantile(1 - Fraction(1, 10**30)) == 0


@pytest.mark.parametrize("scale", [1, 200, 2**50])
def test_a_radius_beyond_the_floats_has_a_tail(scale):
    assert DiscreteGaussian(scale).tail("1e400") == 5e-324
