import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf, quad

from dalenius.curator import Chosen, Measured
from dalenius.curator.answer.spread import Spread, gaussian_sum, laplace_sum, radius
from dalenius.curator.formula import Linear
from dalenius.mechanisms import DiscreteGaussian, Geometric
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
    r = laplace_sum(tuple(map(Fraction, scales)), BETA)
    assert tail_of_two(mpf(r), *map(mpf, scales)) <= 0.05
    assert tail_of_two(mpf(r) * mpf("0.995"), *map(mpf, scales)) > 0.05


def test_equal_scales_agree_with_the_closed_form():
    """P[|X + Y| > r] = (1 + r/2s)·e^(−r/s)."""
    r = laplace_sum((Fraction(7), Fraction(7)), BETA)
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


def spread_of(values, scale=Fraction(10)):
    names = ("a", "b", "c")[: len(values)]
    return Spread(
        {n: Measured(n, tuple(v), Lattice(0), Geometric(scale)) for n, v in zip(names, values, strict=True)}, BETA
    )


def test_a_sum_is_held_by_its_own_radius_not_by_those_of_its_parts():
    low, high = spread_of([(100, 7), (50, 1)]).linear(Linear.of({"a": Fraction(1), "b": Fraction(1)}))
    assert (low + high).tolist() == pytest.approx([300, 16])
    apart = 2 * 2 * float(TEN.accuracy(BETA / 2))
    assert (high - low)[0] < 0.75 * apart


def test_a_choice_has_no_ends_in_its_own_units():
    spread = Spread({"m": Chosen("m", (3.0,), "quantile", 8, Fraction(1), "ranks")}, BETA)
    low, high = spread.linear(Linear.of({"m": Fraction(1)}))
    assert (low[0], high[0]) == (-math.inf, math.inf)


PART, WHOLE = Linear.of({"b": Fraction(1)}), Linear.of({"a": Fraction(1), "b": Fraction(1)})


def test_a_ratio_covers_the_truth_as_often_as_claimed_and_less_noise_is_noticed():
    """10 000 releases of (300, 100): misses are binomial, at most 5 % in mean; 1e-9 is 6 standard deviations."""
    draws, truth = 10_000, 0.25
    bits = Bits()
    noise = DiscreteLaplace(Fraction(10)).sample(bits, 2 * draws)
    cells = [300 + noise[:draws], 100 + noise[draws:]]
    low, high = spread_of([tuple(cell.tolist()) for cell in cells]).ratio(PART, WHOLE, Fraction(0), Fraction(1))
    missed = int(np.count_nonzero((truth < low) | (truth > high)))
    assert missed <= 0.05 * draws + 6 * math.sqrt(0.0475 * draws)
    assert missed >= 0.035 * draws - 6 * math.sqrt(0.034 * draws)  # and is not more than a third too cautious
    claimed = spread_of([tuple(cell.tolist()) for cell in cells], Fraction(15, 2))  # noise a quarter off
    low, high = claimed.ratio(PART, WHOLE, Fraction(0), Fraction(1))
    assert np.count_nonzero((truth < low) | (truth > high)) > 0.05 * draws + 6 * math.sqrt(0.0475 * draws)


def test_a_ratio_whose_whole_may_be_nothing_is_unknown():
    low, high = spread_of([(-5,), (2,)]).ratio(PART, WHOLE, Fraction(0), Fraction(1))
    assert low[0] <= 0.0
    assert high[0] >= 1.0


def test_rounding_is_outward_for_numbers_beyond_the_reach_of_floats():
    low, high = spread_of([(2**62 + 1,)], Fraction(1)).linear(Linear.of({"a": Fraction(1)}))
    assert Fraction(low[0]) < 2**62 + 1 < Fraction(high[0])


@pytest.mark.parametrize("count", [9, 12, 40, 100])
def test_the_radius_of_many_alike_is_found_at_once_and_is_near_that_of_a_normal_variable(count):
    """The float weights of the partial fractions cancel beyond use from nine equal scales on.

    The sum of n Laplace variables has variance 2n and is near a normal one; beyond 64 terms a cruder bound serves.
    Draws beyond r are binomial, 5 % in mean; 1e-9 is 6 standard deviations.
    """
    r = laplace_sum((Fraction(1),) * count, BETA)
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
    assert laplace_sum((Fraction(1), Fraction(1)), Fraction(1, 10**400)) == pytest.approx(400 * math.log(10) + 6, 0.01)
    assert laplace_sum((Fraction(1), Fraction(1)), Fraction(0)) == math.inf


def test_a_factor_beyond_floats_makes_the_ends_unknown_and_does_not_fail():
    far = Linear.of({"a": Fraction(10**400), "b": Fraction(1)})
    low, high = spread_of([(0, 7), (50, 1)]).linear(far)
    assert (low.tolist(), high.tolist()) == ([-math.inf] * 2, [math.inf] * 2)


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
    assert plain <= gaussian_sum(terms, BETA) <= plain + sum(factors) + 1e-9
    narrower = int(0.75 * plain)
    assert total.sum() - total[middle - narrower : middle + narrower + 1].sum() > 0.05


@pytest.mark.parametrize("scale", [1, 2, 7, 40])
def test_discrete_gaussian_noise_lies_within_a_step_of_a_gaussian_of_the_same_quantile(scale):
    """P[G ≥ k] ≤ P[Z ≥ k] ≤ P[G ≥ k − 1], in mpmath."""
    with mp.workdps(40):
        mass = [mp.exp(-(mpf(z) ** 2) / (2 * scale**2)) for z in range(15 * scale)]
        total = mass[0] + 2 * sum(mass[1:])
        above = lambda x: mp.erfc(mpf(x) / (scale * mp.sqrt(2))) / 2  # noqa: E731
        for k in range(1, 8 * scale):
            assert above(k) <= sum(mass[k:]) / total <= above(k - 1)
