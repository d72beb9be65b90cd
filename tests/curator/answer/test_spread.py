import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Chosen, Measured
from dalenius.curator.answer.spread import Spread
from dalenius.curator.formula import Linear
from dalenius.mechanisms import Geometric
from dalenius.noise import Bits, DiscreteLaplace, Lattice

BETA = Fraction(1, 20)
TEN = Geometric(Fraction(10))


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


def test_a_factor_beyond_floats_makes_the_ends_unknown_and_does_not_fail():
    far = Linear.of({"a": Fraction(10**400), "b": Fraction(1)})
    low, high = spread_of([(0, 7), (50, 1)]).linear(far)
    assert (low.tolist(), high.tolist()) == ([-math.inf] * 2, [math.inf] * 2)
