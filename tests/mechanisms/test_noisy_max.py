import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms.exponential import Exponential
from dalenius.mechanisms.noisy_max import (
    ExponentialNoisyMax,
    GumbelNoisyMax,
    LaplaceNoisyMax,
    MonotoneLaplaceNoisyMax,
    difference_tail,
)
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import precision
from tests.contracts.selection_laws import (
    geometric_at_least,
    geometric_mass,
    laplace_noisy_max,
    permute_and_flip,
    softmax,
)
from tests.noise.fit import FALSE_ALARM, chi_square

ONE = Sensitivity(1, Metric.LINF)
LAWS = {LaplaceNoisyMax: laplace_noisy_max, ExponentialNoisyMax: permute_and_flip, GumbelNoisyMax: softmax}


@pytest.mark.parametrize("kind", LAWS, ids=lambda kind: kind.name)
@pytest.mark.theorem("A §5.1 report noisy max", "A Prop 7.1")
def test_the_law_that_is_sampled_is_the_law_that_is_claimed(kind):
    scores, draws = [0, 3, 5, 5, -2], 24_000
    counts = np.bincount([kind(Fraction(3)).release(scores, Bits()) for _ in range(draws)], minlength=5).astype(float)
    for factor, fits in ((Fraction(1), True), (Fraction(3, 4), False), (Fraction(5, 4), False)):
        law = np.array([float(p) for p in LAWS[kind](scores, 3 * factor)])
        assert (chi_square(counts, law) > FALSE_ALARM) is fits


@pytest.mark.theorem("A Prop 5.1")
def test_the_noise_of_the_notes_costs_epsilon_whatever_the_number_of_candidates():
    assert LaplaceNoisyMax.least(ONE, PureDP(1)).scale == 2
    assert LaplaceNoisyMax(Fraction(2)).guarantee(ONE) == PureDP(1)
    assert MonotoneLaplaceNoisyMax.least(ONE, PureDP(1)).scale == 1


def test_gumbel_noise_is_the_exponential_mechanism():
    gumbel, other = GumbelNoisyMax(Fraction(3)), Exponential(Fraction(3))
    assert gumbel.guarantee(ONE) == other.guarantee(ONE)
    assert gumbel.accuracy(0.1, 7, 2) == other.accuracy(0.1, 7, 2)
    assert gumbel.expected_gap(7, 2) == other.expected_gap(7, 2)


@pytest.mark.theorem("A Ex 5.1")
def test_naming_the_most_common_of_many_conditions_costs_no_more_than_of_two():
    # every person may have all of m conditions: the counts themselves would need noise m/ε
    assert LaplaceNoisyMax(Fraction(2)).guarantee(ONE).budget == 1
    gap = LaplaceNoisyMax(Fraction(2)).expected_gap(1000)
    assert gap < 1000  # the noise scale at ε = 1 of releasing 1000 counts


@pytest.mark.theorem("A Ex 5.2")
def test_one_best_among_many_loses_often_once_there_are_enough_rivals():
    # one score of 100, rivals at 90, noise Lap(2/ε) at ε = 1/4
    def wins(rivals):
        scores = [100] + [90] * rivals
        return sum(LaplaceNoisyMax(Fraction(8)).release(scores, Bits()) == 0 for _ in range(300)) / 300

    assert wins(999) < 0.2 < 0.5 < wins(1)  # 0.4 % and 78 %: each more than 10 deviations inside


def expected_gap(law, scores):
    return mp.fsum(p * (max(scores) - u) for p, u in zip(law, scores, strict=True))


@settings(max_examples=12)
@given(st.lists(st.integers(0, 12), min_size=2, max_size=4))
@pytest.mark.theorem("A Prop 5.2", "A Lem 2")
def test_the_expected_gap_is_within_the_bound_of_the_notes(scores):
    for scale in (Fraction(1, 2), Fraction(3)):
        gap = expected_gap(laplace_noisy_max(scores, scale), scores)
        by_lemma = _mean_size(scale) + _mean_largest(scale, len(scores) - 1)
        assert gap <= by_lemma + mp.mpf(10) ** -12
        assert by_lemma <= LaplaceNoisyMax(scale).expected_gap(len(scores))


def _mean_size(scale):
    return 2 * mp.fsum(z * geometric_mass(z, scale) for z in range(1, int(80 * scale) + 40))


def _mean_largest(scale, count):
    """E max |Zᵢ| = Σ_z P[max > z]."""
    tails = (2 * geometric_at_least(z + 1, scale) for z in range(int(80 * scale) + 40))
    return mp.fsum(1 - (1 - tail) ** count for tail in tails)


@pytest.mark.theorem("A Lem 3")
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(10)])
@pytest.mark.parametrize("count", [1, 5, 1000])
def test_the_largest_of_many_is_bounded_by_the_moment_generating_function(scale, count):
    alpha = mp.exp(1 / mp.mpf(float(scale)))
    for share in (0.1, 0.5, 0.9):
        t = share / float(scale)
        beta = mp.exp(t)
        generating = (alpha - 1) / (alpha + 1) * (alpha + beta) / (alpha - beta)
        assert _mean_largest(scale, count) <= (mp.log(count) + mp.log(generating)) / t + mp.mpf(10) ** -9
    # what the code takes of the lemma: E|Z| ≤ scale, and the bound at t = 1/(2·scale), where the function is at most 2
    code = LaplaceNoisyMax(scale).expected_gap(count + 1)
    assert mp.mpf(float(code)) == pytest.approx(float(scale) * (1 + 2 * math.log(2 * count)), rel=1e-12)
    assert _mean_size(scale) + _mean_largest(scale, count) <= float(code)
    assert (alpha - 1) / (alpha + 1) * (alpha + mp.sqrt(alpha)) / (alpha - mp.sqrt(alpha)) <= 2


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(2), Fraction(7)])
@pytest.mark.parametrize("gap", [1, 2, 15])
def test_the_tail_of_a_difference_is_the_double_sum(scale, gap):
    reach = int(60 * scale) + 40
    truth = mp.fsum(geometric_mass(z, scale) * geometric_at_least(z + gap, scale) for z in range(-reach, reach))
    with precision(128):
        assert float(difference_tail(scale, gap).mid()) == pytest.approx(float(truth), rel=1e-10)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 25), min_size=2, max_size=4), st.sampled_from([0.3, 0.05, 0.001]))
def test_the_chosen_score_is_near_the_best_as_often_as_promised(scores, beta):
    mechanism = LaplaceNoisyMax(Fraction(2))
    radius = mechanism.accuracy(beta, len(scores))
    law = laplace_noisy_max(scores, Fraction(2))
    assert mp.fsum(p for p, u in zip(law, scores, strict=True) if max(scores) - u > radius) <= beta


def test_accuracy_is_exact_for_two_candidates():
    radius = int(LaplaceNoisyMax(Fraction(4)).accuracy(0.05, 2))
    assert laplace_noisy_max((0, radius + 1), Fraction(4))[0] <= 0.05
    assert laplace_noisy_max((0, radius), Fraction(4))[0] > 0.05


def test_a_scale_that_cannot_be_drawn_is_refused_at_once():
    with pytest.raises(InvalidParameter):
        LaplaceNoisyMax(Fraction(2**60))
    assert math.isfinite(GumbelNoisyMax(Fraction(2**60)).scale)
