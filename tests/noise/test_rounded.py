import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits, Lattice, RoundedGaussian, RoundedLaplace
from dalenius.noise import rounded as module
from dalenius.noise.atoms import RoundedAtoms
from dalenius.noise.lazy import below
from tests.noise import fit
from tests.noise.precision_attack import leaks

CDF = {RoundedLaplace: fit.rounded_laplace_cdf, RoundedGaussian: fit.rounded_gaussian_cdf}
LAWS = list(CDF)
SCALES = [Fraction(1), Fraction(3, 2), Fraction(10), Fraction(10_000), Fraction("1e-300"), Fraction("1e290")]


@pytest.mark.theorem("D Def 2.3", "A Def 3.5")
@pytest.mark.parametrize("scale", SCALES, ids=lambda s: f"{float(s):g}")
@pytest.mark.parametrize("law", LAWS)
def test_the_law_sampled_is_the_rounded_continuous_law(law, scale):
    units = float(law(scale).units)
    steps = law(scale).steps(Bits(), 4_000_000)
    reach = int(45 * units)
    edges, probabilities = fit.groups_of(CDF[law](units), -reach, reach, 1000)
    assert fit.p_value(steps, edges, probabilities) > fit.FALSE_ALARM
    for wrong in (0.75, 1.25):
        edges, probabilities = fit.groups_of(CDF[law](units * wrong), -reach, reach, 1000)
        assert fit.p_value(steps, edges, probabilities) < fit.FALSE_ALARM


@pytest.mark.parametrize("law", LAWS)
def test_low_bits_are_uniform(law):
    """Far below the scale a rounded law is flat: a bias there would be the sampler's own.

    The scale has 2^20 steps. Folded at 2^16 of them a Laplace law is flat enough for a false alarm of 1.2e-9; folded at
    2^18 it is not, and 8 million draws would see the law itself in one run of two hundred.
    """
    steps = law(1).steps(Bits(), 8_000_000)
    for shift in (0, 6, 10):
        counts = np.bincount(steps >> shift & 63, minlength=64).astype(float)
        assert fit.chi_square(counts, np.full(64, 1 / 64)) > fit.FALSE_ALARM


@pytest.mark.theorem("D Thm 2.4")
@pytest.mark.parametrize("scale", SCALES[:4], ids=str)
def test_laplace_tail_and_moments(scale):
    """P[|Z| > r] = exp(−r/b) at cell edges; the variance is 2b² up to step²/12; and a sample agrees."""
    law = RoundedLaplace(scale)
    with mpmath.workdps(50):
        b, g = mpmath.mpf(scale.numerator) / scale.denominator, mpmath.mpf(2) ** law.lattice.exponent
        for steps in (0, 1, 1000, int(3 * law.units)):
            exact = mpmath.exp(-(steps + mpmath.mpf(1) / 2) * g / b)
            assert exact <= law.tail(steps * law.lattice.step) <= exact * (1 + mpmath.mpf(2) ** -52)
        q = mpmath.exp(-g / b)
        series = g**2 * mpmath.sqrt(q) * (1 + q) / (1 - q) ** 2
        assert series <= law.variance <= series * (1 + mpmath.mpf(2) ** -52)
        assert law.variance == pytest.approx(float(2 * b**2 + g**2 / 12), rel=1e-14)
    sample = law.sample(Bits(), 1_000_000) / float(scale)
    # the mean of 10⁶ values of variance 2 and their mean square, each within 6.5 standard errors: below 1e-10 by chance
    assert abs(sample.mean()) < 6.5 * math.sqrt(2 / 1e6)
    assert abs((sample**2).mean() - 2) < 6.5 * math.sqrt(20 / 1e6)


@pytest.mark.theorem("A Rem 3.4")
def test_the_absolute_value_of_laplace_noise_is_exponential():
    sample = np.abs(RoundedLaplace(1).sample(Bits(), 1_000_000))
    # Dvoretzky-Kiefer-Wolfowitz: P[distance > t] ≤ 2 exp(−2nt²) = 1e-9
    line = math.sqrt(math.log(2e9) / 2e6)
    assert stats.kstest(sample, "expon").statistic < line + 2**-20
    assert stats.kstest(sample / 1.25, "expon").statistic > line
    pair = Bits()
    difference = RoundedLaplace(1).sample(pair, 1_000_000)
    exponentials = np.abs(RoundedLaplace(1).sample(pair, 2_000_000)).reshape(2, -1)
    assert stats.ks_2samp(difference, exponentials[0] - exponentials[1]).pvalue > 1e-9


@pytest.mark.parametrize("scale", SCALES[:4], ids=str)
def test_gaussian_tail_mass_and_variance(scale):
    law = RoundedGaussian(scale)
    with mpmath.workdps(60):
        sigma, g = mpmath.mpf(scale.numerator) / scale.denominator, mpmath.mpf(2) ** law.lattice.exponent
        for steps in (0, 1, 1000, int(3 * law.units)):
            edge = (steps + mpmath.mpf(1) / 2) * g / (sigma * mpmath.sqrt(2))
            assert (
                mpmath.erfc(edge)
                <= law.tail(steps * law.lattice.step)
                <= mpmath.erfc(edge) * (1 + mpmath.mpf(2) ** -52)
            )
            inner = (steps - mpmath.mpf(1) / 2) * g / (sigma * mpmath.sqrt(2))
            mass = (mpmath.erf(edge) - mpmath.erf(inner)) / 2
            assert law.log_mass(steps * law.lattice.step) == pytest.approx(float(mpmath.log(mass)), rel=1e-15)
        assert law.variance >= sigma**2 + g**2 / 12
        assert law.variance == pytest.approx(float(sigma**2 + g**2 / 12), rel=1e-15)
        assert law.log_density(2 * scale) == pytest.approx(float(-2 - mpmath.log(sigma * mpmath.sqrt(2 * mpmath.pi))))


@pytest.mark.theorem("G Laplace distribution", "A Def 3.5")
def test_laplace_masses_and_density():
    law = RoundedLaplace(1)
    with mpmath.workdps(60):
        g = mpmath.mpf(2) ** -20
        assert law.log_mass(0) == float(mpmath.log(1 - mpmath.exp(-g / 2)))
        exact = mpmath.log((mpmath.exp(-mpmath.mpf("2.5") * g) - mpmath.exp(-mpmath.mpf("3.5") * g)) / 2)
        assert law.log_mass(Fraction(3, 1 << 20)) == law.log_mass(Fraction(-3, 1 << 20)) == float(exact)
        assert law.log_density(-2) == law.log_density(2) == float(-2 - mpmath.log(2))
    assert law.log_mass(Fraction(1, 1 << 21)) == -math.inf


@pytest.mark.parametrize("law", LAWS)
def test_a_sample_is_the_steps_as_floats_without_rounding(law):
    sample = law(Fraction(1, 3)).sample(Bits(), 10_000)
    step = float(law(Fraction(1, 3)).lattice.step)
    assert (sample / step == np.rint(sample / step)).all()


@pytest.mark.parametrize("law", LAWS)
def test_a_finer_lattice_draws_the_same_law(law):
    fine = law(1, Lattice(-40))
    steps = fine.steps(Bits(), 1_000_000)
    edges, probabilities = fit.groups_of(CDF[law](2.0**40), -45 * 2**40, 45 * 2**40, 500)
    assert fit.p_value(steps, edges, probabilities) > fit.FALSE_ALARM


@pytest.mark.parametrize("law", LAWS)
def test_a_lattice_too_fine_for_64_bits_is_refused(law):
    assert law(1, Lattice(-50)).units == 2**50
    with pytest.raises(InvalidParameter, match="scale must be at most 2\\^50 steps"):
        law(1, Lattice(-51))


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 5e-324, 1e308])
@pytest.mark.parametrize("law", LAWS)
def test_bad_scales_are_refused_by_name(law, scale):
    with pytest.raises(InvalidParameter, match="scale must"):
        law(scale)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("scale", [1, 0.1, 100])
def test_no_pattern_of_low_bits_tells_zero_from_one(law, scale):
    def release(x: float, size: int) -> np.ndarray:
        noise = law(scale)
        return noise.lattice.values(noise.lattice.toward_zero(np.full(size, x)) + noise.steps(Bits(), size))

    assert not leaks(release, scale, law is RoundedGaussian)


@pytest.mark.parametrize("scale", [1, 0.5, 2])
def test_a_naive_float_laplace_is_told_apart_by_its_low_bits(scale):
    generator = np.random.default_rng()
    assert leaks(lambda x, size: x + generator.laplace(0.0, scale, size), scale, gaussian=False)


def test_a_gaussian_on_a_lattice_finer_than_a_double_near_x_is_told_apart():
    """Exact noise, added in floats: near 1 the sum rounds to 2⁻⁵², near 0 it does not."""

    def release(x: float, size: int) -> np.ndarray:
        steps = RoundedGaussian(1, Lattice(-40)).steps(Bits(), size)
        return x + (steps * 2.0**-40 + Bits().words(np.uint32, size) * 2.0**-72)

    assert leaks(release, 1, gaussian=True)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("distance", [10**4, 10**6, 10**9])
def test_masses_far_out_are_the_integrals_of_the_density(law, distance):
    with mpmath.workdps(80):
        g, z = mpmath.mpf(2) ** -20, mpmath.mpf(distance)
        slope = z if law is RoundedGaussian else mpmath.mpf(1)  # of −log density at z
        height = -z * z / 2 - mpmath.log(2 * mpmath.pi) / 2 if law is RoundedGaussian else -z - mpmath.log(2)
        exact = height + mpmath.log(2 * mpmath.sinh(slope * g / 2) / slope)  # up to g²/24
        assert law(1).log_mass(distance) == pytest.approx(float(exact), rel=1e-12)


def test_a_density_is_asked_for_at_numbers():
    with pytest.raises(InvalidParameter, match="z must be"):
        RoundedLaplace(1).log_density(float("nan"))


def test_a_lattice_is_no_number():
    with pytest.raises(InvalidParameter, match="lattice must be"):
        RoundedLaplace(1, -20)


COARSE = ["1/3", "1", "7/2", "60", "127", "128", "129", "1000", "65536"]
"""Scales in steps, on both sides of every change of sampler."""


@pytest.mark.parametrize("scale", COARSE)
@pytest.mark.parametrize("law", LAWS)
def test_on_a_coarse_lattice_the_law_is_the_rounded_one_too(law, scale):
    """False alarms below 1e-9; a scale a quarter off, cells that begin at whole numbers and the lattice law fail."""
    units = float(Fraction(scale))
    steps = law(scale, Lattice(0)).steps(Bits(), 1_000_000)
    reach = int(45 * units) + 5

    def fits(cdf: Callable[[np.ndarray], np.ndarray]) -> bool:
        edges, probabilities = fit.groups_of(cdf, -reach, reach, 1000)
        return fit.p_value(steps, edges, probabilities) > fit.FALSE_ALARM

    assert fits(CDF[law](units))
    assert not fits(CDF[law](0.75 * units))
    assert not fits(CDF[law](1.25 * units))
    if units <= 7 / 2:  # beyond, half a step is less than so few draws show
        assert not fits(lambda k: CDF[law](units)(np.asarray(k) + 0.5))
    if units <= 1:
        assert not fits(
            {RoundedLaplace: fit.discrete_laplace_cdf, RoundedGaussian: fit.discrete_gaussian_cdf}[law](units)
        )


@pytest.mark.parametrize("scale", ["1/100", "1/10", "1/3", "1", "3/2", "2", "201/100", "7", "100000"])
def test_the_variance_is_the_sum_of_squares(scale):
    """Σ k² P[k], by mpmath from the definition; at most σ² + 1/12, which it is within a billionth from σ = 1.1 on."""
    law = RoundedGaussian(scale, Lattice(0))
    exact = law.scale
    with mpmath.workdps(60):
        sigma = mpmath.mpf(exact.numerator) / exact.denominator
        half = mpmath.mpf(1) / 2
        above = sigma**2 + mpmath.mpf(1) / 12
        true = above
        if exact <= 7:
            ks = range(1, int(40 * exact) + 40)
            true = 2 * mpmath.fsum(
                k**2
                * (mpmath.erfc((k - half) / sigma / mpmath.sqrt(2)) - mpmath.erfc((k + half) / sigma / mpmath.sqrt(2)))
                / 2
                for k in ks
            )
        assert true <= above
        assert true <= law.variance <= max(true * (1 + mpmath.mpf(2) ** -50), mpmath.mpf("1e-300"))
        assert exact < mpmath.mpf("1.1") or abs(true / above - 1) < mpmath.mpf("1e-9")


@pytest.mark.parametrize("scale", ["1/100", "1/3", "3/2", "40", "1000"])
def test_mass_tail_and_quantiles_on_the_integers(scale):
    law = RoundedGaussian(scale, Lattice(0))
    with mpmath.workdps(60):
        sigma = mpmath.mpf(law.scale.numerator) / law.scale.denominator
        tail = lambda k: mpmath.erfc((k + mpmath.mpf(1) / 2) / (sigma * mpmath.sqrt(2)))  # noqa: E731
        for k in (0, 1, 2, 7):
            assert tail(k) <= law.tail(k) <= tail(k) * (1 + mpmath.mpf(2) ** -50) + mpmath.mpf("5e-324")
            mass = 1 - tail(0) if k == 0 else (tail(k - 1) - tail(k)) / 2
            assert law.log_mass(k) == law.log_mass(-k) == pytest.approx(float(mpmath.log(mass)), rel=1e-13)
        for beta in ("1/2", "1/20", "1e-9"):
            r = law.radius(beta)
            level = mpmath.mpf(Fraction(beta).numerator) / Fraction(beta).denominator
            assert tail(int(r)) <= level
            assert r == 0 or tail(int(r) - 1) > level
    assert law.log_mass(Fraction(1, 2)) == -math.inf


@pytest.mark.parametrize("length", [0.01, 0.5, 2.0])
@pytest.mark.parametrize("law", LAWS)
def test_the_tail_piece_continues_the_rounded_law(monkeypatch, law, length):
    """With the tail moved to where most draws fall, the law stays what it is."""
    monkeypatch.setattr(module, "_TAIL", length)
    module._sampler.cache_clear()
    steps = law(6, Lattice(0)).steps(Bits(), 8_000)
    module._sampler.cache_clear()
    edges, probabilities = fit.groups_of(CDF[law](6.0), -60, 60, 50)
    assert fit.p_value(steps, edges, probabilities) > fit.FALSE_ALARM


def test_a_tail_that_is_not_divided_by_its_own_mass_is_noticed(monkeypatch):
    """The mutant compares U with P[|Z| > k + ½] itself, as if the draw had begun at 0."""
    monkeypatch.setattr(module, "_TAIL", 2.0)
    monkeypatch.setattr(RoundedAtoms, "_exceeds", lambda self, uniform, k: below(uniform, lambda: self._outside(k)))
    module._sampler.cache_clear()
    steps = RoundedGaussian(6, Lattice(0)).steps(Bits(), 30_000)
    module._sampler.cache_clear()
    edges, probabilities = fit.groups_of(CDF[RoundedGaussian](6.0), -60, 60, 50)
    assert fit.p_value(steps, edges, probabilities) < fit.FALSE_ALARM
