import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf, quad
from scipy.special import ndtr

from dalenius.curator.answer.sum_radius import alike, equal_sum, gaussian_sum, geometric_sum, laplace_sum, radius
from dalenius.mechanisms import DiscreteGaussian, Gaussian, Geometric
from dalenius.noise import Bits, DiscreteLaplace, Lattice

BETA = Fraction(1, 20)
TEN = Geometric(Fraction(10))


def tail_of_two(r, s, t):
    """P[|X + Y| > r] by integrating over X, in mpmath."""
    with mp.workdps(30):
        above = lambda y: mp.exp(-y / t) / 2 if y >= 0 else 1 - mp.exp(y / t) / 2  # noqa: E731
        density = lambda x: mp.exp(-abs(x) / s) / (2 * s)  # noqa: E731
        return 2 * quad(lambda x: density(x) * above(r - x), [-40 * s, -s, 0, r, r + 5 * s, r + 40 * s])


@pytest.mark.parametrize("scales", [(1, 3), (2, 2), (5, 6)])
def test_the_radius_of_two_laplace_variables_is_theirs_and_not_much_more(scales):
    r = laplace_sum(tuple(sorted(Counter(map(Fraction, scales)).items())), BETA)
    assert tail_of_two(mpf(r), *map(mpf, scales)) <= 0.05
    assert tail_of_two(mpf(r) * mpf("0.995"), *map(mpf, scales)) > 0.05


def test_equal_scales_agree_with_the_closed_form():
    """P[|X + Y| > r] = (1 + r/2s)·e^(−r/s)."""
    r = laplace_sum(((Fraction(7), 2),), BETA)
    assert 0.0495 < (1 + r / 14) * math.exp(-r / 7) <= 0.05


@pytest.mark.parametrize("factors", [(1, 1), (1, 2, 3), (1, 1, 1, 1)])
def test_the_radius_covers_sums_of_discrete_noise_exactly(factors):
    """By enumeration: the law of Σ cZ on the integers, from the masses of each."""
    law = np.array([math.exp(DiscreteLaplace(Fraction(10)).log_mass(z)) for z in range(-600, 601)])
    total = np.array([1.0])
    for factor in factors:
        spaced = np.zeros(1200 * factor + 1)
        spaced[::factor] = law
        total = np.convolve(total, spaced)
    middle = len(total) // 2
    r = radius(tuple(sorted(((TEN, Fraction(c)) for c in factors), key=lambda term: term[1])), BETA)
    outside = total.sum() - total[middle - int(r) : middle + int(r) + 1].sum()
    assert outside <= 0.05
    narrower = int(0.75 * r)
    assert total.sum() - total[middle - narrower : middle + narrower + 1].sum() > 0.05  # a quarter less is rejected


def test_one_noise_has_its_exact_radius_and_others_are_added_up():
    assert radius(((TEN, Fraction(2)),), BETA) == 2 * float(TEN.accuracy(BETA))
    gauss = DiscreteGaussian(Fraction(10))
    mixed = radius(((TEN, Fraction(1)), (gauss, Fraction(1))), BETA)
    assert mixed == float(TEN.accuracy(BETA / 2) + gauss.accuracy(BETA / 2))


@pytest.mark.parametrize("count", [9, 12, 40, 100])
def test_the_radius_of_many_alike_is_found_at_once_and_is_near_that_of_a_normal_variable(count):
    """The float weights of the partial fractions cancel beyond use from nine equal scales on.

    The sum of n Laplace variables has variance 2n and is near a normal one; beyond 64 terms a cruder bound serves.
    Draws beyond r are binomial, 5 % in mean; 1e-9 is 6 standard deviations.
    """
    r = laplace_sum(((Fraction(1), count),), BETA)
    normal = 1.96 * math.sqrt(2 * count)
    assert 0.97 * normal < r < (1.06 if count < 60 else 1.5) * normal
    draws = 20_000
    noise = DiscreteLaplace(Fraction(1000)).sample(Bits(), count * draws).reshape(count, draws).sum(axis=0)
    beyond = int(np.count_nonzero(np.abs(noise) > 1000 * r))
    assert beyond <= 0.05 * draws + 6 * math.sqrt(0.0475 * draws)
    narrower = int(np.count_nonzero(np.abs(noise) > 750 * r))
    assert count > 60 or narrower > 0.05 * draws + 6 * math.sqrt(0.0475 * draws)


def test_a_chance_beyond_floats_has_a_radius_and_none_has_no_radius():
    """P = e^(−r/s)·(1 + r/2s) for two alike: r/s is near 400·log 10 + 6 where P = 1e-400."""
    assert laplace_sum(((Fraction(1), 2),), Fraction(1, 10**400)) == pytest.approx(400 * math.log(10) + 6, 0.01)
    assert laplace_sum(((Fraction(1), 2),), Fraction(0)) == math.inf


@pytest.mark.parametrize(("scales", "factors"), [((3, 3), (1, 1)), ((1, 4), (3, 1)), ((2, 5, 9), (2, 1, 1))])
def test_the_radius_covers_sums_of_discrete_gaussian_noise_exactly(scales, factors):
    """By enumeration: the law of Σ cZ on the integers, from exp(−z²/2σ²)."""
    total = np.array([1.0])
    for scale, factor in zip(scales, factors, strict=True):
        values = np.arange(-12 * scale, 12 * scale + 1)
        spaced = np.zeros(24 * scale * factor + 1)
        spaced[::factor] = np.exp(-(values**2) / (2 * scale**2))
        total = np.convolve(total, spaced / spaced.sum())
    middle = len(total) // 2
    terms = tuple((DiscreteGaussian(Fraction(s)), Fraction(c)) for s, c in zip(scales, factors, strict=True))
    r = radius(terms, BETA)
    assert total.sum() - total[middle - int(r) : middle + int(r) + 1].sum() <= 0.05
    plain = math.sqrt(sum((s * c) ** 2 for s, c in zip(scales, factors, strict=True))) * 1.959963984540054
    assert plain <= gaussian_sum(alike(terms), BETA) <= plain + sum(factors) + 1e-9
    narrower = int(0.75 * plain)
    assert total.sum() - total[middle - narrower : middle + narrower + 1].sum() > 0.05


def cells_of_gaussian(scale, reach):
    """Φ((k + ½)/σ) − Φ((k − ½)/σ) for |k| ≤ reach, from scipy."""
    half = ndtr((0.5 - np.arange(reach + 2)) / scale)
    right = half[:-1] - half[1:]
    return np.concatenate([right[:0:-1], right])


@pytest.mark.parametrize(
    ("scales", "factors"),
    [(("1/2", "1/2"), (1, 2)), (("1", "4"), (3, 1)), (("2", "5", "9"), (2, 1, 1)), (("1",) * 40, (1, 2) * 20)],
)
def test_the_radius_covers_sums_of_rounded_gaussian_noise_exactly(scales, factors):
    """By enumeration of the cells; half a step for each, Hoeffding's or Chernoff's bound, and three quarters fail."""
    total = np.array([1.0])
    for scale, factor in zip(scales, factors, strict=True):
        reach = 12 * math.ceil(float(Fraction(scale)))
        spaced = np.zeros(2 * reach * factor + 1)
        spaced[::factor] = cells_of_gaussian(float(Fraction(scale)), reach)
        total = np.convolve(total, spaced)
    terms = tuple((Gaussian(s, Lattice(0)), Fraction(c)) for s, c in zip(scales, factors, strict=True))
    r = radius(terms, BETA)
    middle = len(total) // 2
    beyond = lambda r: total.sum() - total[middle - int(r) : middle + int(r) + 1].sum()  # noqa: E731
    assert beyond(r) <= 0.05
    variance = sum((Fraction(s) ** 2 + Fraction(1, 12)) * c**2 for s, c in zip(scales, factors, strict=True))
    assert r <= math.sqrt(2 * math.log(40) * variance) + sum(factors) / 100
    assert beyond(0.75 * 1.959963984540054 * math.sqrt(variance)) > 0.05


def test_rounded_and_discrete_gaussian_noise_are_bounded_together():
    """An answer of an earlier version beside one of this: each by its own rule, in one bound."""
    both = ((DiscreteGaussian(Fraction(50)), Fraction(1)), (Gaussian(50, Lattice(0)), Fraction(1)))
    plain = 50 * math.sqrt(2) * 1.959963984540054
    assert plain <= radius(both, BETA) <= plain + 1.5 + 1e-9


@pytest.mark.parametrize("scale", [1, 2, 7, 40])
def test_discrete_gaussian_noise_lies_within_a_step_of_a_gaussian_of_the_same_quantile(scale):
    """P[G ≥ k] ≤ P[Z ≥ k] ≤ P[G ≥ k − 1], in mpmath."""
    with mp.workdps(40):
        mass = [mp.exp(-(mpf(z) ** 2) / (2 * scale**2)) for z in range(15 * scale)]
        total = mass[0] + 2 * sum(mass[1:])
        above = lambda x: mp.erfc(mpf(x) / (scale * mp.sqrt(2))) / 2  # noqa: E731
        for k in range(1, 8 * scale):
            assert above(k) <= sum(mass[k:]) / total <= above(k - 1)


def law_of_sum(masses, count):
    """The law of a sum of independent noises, by the Fourier transform."""
    size = count * (len(masses) - 1) + 1
    return np.fft.irfft(np.fft.rfft(masses, size) ** count, size)


def outside(law, r):
    middle = len(law) // 2
    return 1 - law[middle - int(r) : middle + int(r) + 1].sum()


@pytest.mark.parametrize("count", [2, 3, 10, 31, 200, 365])
@pytest.mark.parametrize("name", ["geometric", "gaussian", "rounded"])
def test_the_radius_of_noises_that_are_alike_is_the_exact_one(count, name):
    values = np.arange(-60, 61)
    mechanism, masses = {
        "geometric": (Geometric(Fraction(3, 2)), np.exp(-np.abs(values) / 1.5)),
        "gaussian": (DiscreteGaussian(Fraction(5, 2)), np.exp(-(values**2) / (2 * 2.5**2))),
        "rounded": (Gaussian(Fraction(5, 2), Lattice(0)), cells_of_gaussian(2.5, 60)),
    }[name]
    law = law_of_sum(masses / masses.sum(), count)
    r = equal_sum(mechanism, count, BETA)
    assert outside(law, r) <= 0.05 + 1e-7
    assert outside(law, r - 1) > 0.05
    assert radius(((mechanism, Fraction(7, 3)),) * count, BETA) == pytest.approx(float(r * Fraction(7, 3)))


def test_a_law_that_is_too_wide_for_a_table_is_summed_by_waves_and_is_near_a_normal_one():
    wide = Geometric(Fraction(1000))
    assert equal_sum(wide, 365, BETA) is None
    normal = 1.959964 * math.sqrt(2 * 365) * 1000
    assert normal < radius(((wide, Fraction(1)),) * 365, BETA) < 1.001 * normal


@pytest.mark.parametrize("scale", ["1/4", 1, 3, 50])
def test_geometric_noise_is_a_laplace_variable_that_was_rounded(scale):
    """P[Z ≥ k] = P[L ≥ k − δ] with δ ≤ 1/2, in mpmath."""
    with mp.workdps(40):
        s = mpf(Fraction(scale).numerator) / Fraction(scale).denominator
        a = mp.exp(-1 / s)
        delta = s * mp.log(2 / (1 + a))
        assert 0 < delta <= mpf(1) / 2
        for k in range(1, 30):
            assert mp.almosteq(a**k / (1 + a), mp.exp(-(k - delta) / s) / 2)


@pytest.mark.parametrize("scale", [1, 6])
@pytest.mark.parametrize(("most", "true"), [((5, 5, 5, 5), (5, 1, 2, 3)), ((1,) * 40, (1,) * 39 + (0,))])
def test_the_radius_for_every_smaller_coefficient_covers_them_exactly(scale, most, true):
    """By enumeration of the law on the integers, though more noise need not be less peaked there."""
    mechanism = Geometric(Fraction(scale))
    values = np.arange(-40 * scale, 40 * scale + 1)
    masses = np.exp(-np.abs(values) / scale)
    total = np.array([1.0])
    for factor in filter(None, true):
        spaced = np.zeros(80 * scale * factor + 1)
        spaced[::factor] = masses / masses.sum()
        total = np.convolve(total, spaced)
    r = radius(tuple((mechanism, Fraction(c)) for c in most), BETA, every_smaller=True)
    assert outside(total, r) <= 0.05
    assert geometric_sum(alike((mechanism, Fraction(c)) for c in most), BETA) >= r


@pytest.mark.parametrize("count", [65, 300])
def test_many_laplace_variables_are_bounded_by_a_mixture_of_gaussians(count):
    """Draws beyond r are binomial, 5 % in mean at most; 1e-9 is 6 standard deviations; a quarter less is rejected."""
    r = laplace_sum(((Fraction(1), count),), BETA)
    draws = 20_000
    noise = DiscreteLaplace(Fraction(1000)).sample(Bits(), count * draws).reshape(count, draws).sum(axis=0)
    six = 6 * math.sqrt(0.0475 * draws)
    assert np.count_nonzero(np.abs(noise) > 1000 * r) <= 0.05 * draws + six
    assert np.count_nonzero(np.abs(noise) > 750 * r) > 0.05 * draws + six


def test_no_radius_is_finite_for_no_chance():
    terms = ((TEN, Fraction(1)), (TEN, Fraction(2)))
    assert geometric_sum(alike(terms), Fraction(0)) == math.inf
    assert gaussian_sum(((DiscreteGaussian(Fraction(3)), Fraction(1), 2),), Fraction(0)) == math.inf
    assert equal_sum(TEN, 2, Fraction(1, 10**300)) is None
