import itertools
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.mechanisms.exponential import Exponential
from dalenius.mechanisms.permute_and_flip import PermuteAndFlip, uniform_order
from dalenius.noise import Bits
from dalenius.numerics import precision
from tests.contracts.selection_laws import exponential_noisy_max, permute_and_flip, softmax
from tests.noise.fit import FALSE_ALARM, chi_square

SCORES = st.lists(st.integers(-6, 6), min_size=1, max_size=5)


def test_the_law_that_is_sampled_is_the_law_that_is_claimed():
    scores, draws = [0, 3, 5, -2], 20_000
    counts = np.bincount([PermuteAndFlip(Fraction(3)).release(scores, Bits()) for _ in range(draws)], minlength=4)
    for factor, fits in ((1, True), (Fraction(3, 4), False), (Fraction(5, 4), False)):
        law = np.array([float(p) for p in permute_and_flip(scores, 3 * factor)])
        assert (chi_square(counts.astype(float), law) > FALSE_ALARM) is fits


@settings(max_examples=30)
@given(SCORES)
def test_probabilities_are_the_walk_over_all_orders(scores):
    with precision(200), mp.workdps(40):
        found = [mp.mpf(str(p.mid().str(40, radius=False))) for p in PermuteAndFlip(Fraction(3)).probabilities(scores)]
        truth = permute_and_flip(scores, 3)
        assert all(abs(a - b) < mp.mpf(10) ** -25 for a, b in zip(found, truth, strict=True))


@pytest.mark.parametrize("scores", [(0,), (0, 0), (3, 0, 1), (2, -1, 2, 0)])
def test_it_is_noisy_max_with_exponential_noise(scores):
    with mp.workdps(25):
        by_noise, by_walk = exponential_noisy_max(scores, 2), permute_and_flip(scores, 2)
        assert all(abs(a - b) < mp.mpf(10) ** -12 for a, b in zip(by_noise, by_walk, strict=True))


@settings(max_examples=50)
@given(SCORES)
def test_its_gap_is_never_above_the_exponential_mechanisms_at_the_same_epsilon(scores):
    gaps = [max(scores) - u for u in scores]
    ours, other = permute_and_flip(scores, 2), softmax(scores, 2)
    for level in range(13):
        here, there = (mp.fsum(p for p, g in zip(law, gaps, strict=True) if g >= level) for law in (ours, other))
        assert here <= there + mp.mpf(10) ** -12


@settings(max_examples=50)
@given(SCORES, st.sampled_from([0.5, 0.1, 0.01]))
@pytest.mark.theorem("A Thm 7.2")
def test_accuracy_and_expected_gap_hold_for_all_scores(scores, beta):
    mechanism, n, best = PermuteAndFlip(Fraction(2)), len(scores), max(scores)
    law = permute_and_flip(scores, 2)
    for optima in (1, scores.count(best)):
        radius = mechanism.accuracy(beta, n, optima)
        assert mp.fsum(p for p, u in zip(law, scores, strict=True) if best - u > radius) <= beta
        assert radius <= Exponential(Fraction(2)).accuracy(beta / 2, n, optima) + Fraction(2)
    assert mp.fsum(p * (best - u) for p, u in zip(law, scores, strict=True)) <= mechanism.expected_gap(n) + 1e-12


def test_accuracy_is_attained_by_two_candidates():
    mechanism = PermuteAndFlip(Fraction(5))
    radius = mechanism.accuracy(0.05, 2)
    # the loser at gap g is named with probability e^(−g/5)/2
    assert 0.5 * mp.exp(-mp.mpf(float(radius)) / 5) == pytest.approx(0.05, rel=1e-9)


def test_an_order_is_uniform():
    counts = np.zeros(24)
    rank = {order: at for at, order in enumerate(itertools.permutations(range(4)))}
    for _ in range(12_000):
        counts[rank[tuple(uniform_order(Bits(), 4).tolist())]] += 1
    assert chi_square(counts, np.full(24, 1 / 24)) > FALSE_ALARM


def test_equal_keys_are_drawn_again():
    class Words(Bits):
        def __init__(self):
            super().__init__()
            self.script = [[5, 5, 7], [3, 1, 2]]

        def words(self, dtype, size):
            return np.array(self.script.pop(0), dtype)

    assert uniform_order(Words(), 3).tolist() == [1, 2, 0]


@pytest.mark.parametrize(("offset", "kept"), [(-2, True), (2, False)])
def test_a_coin_next_to_its_chance_is_settled_exactly(offset, kept):
    with mp.workdps(60):
        edge = int(mp.floor(mp.exp(mp.mpf(-1) / 3) * 2**64))

    class Words(Bits):
        def __init__(self):
            super().__init__()
            self.script = [[1, 2], [edge + offset, 0]]

        def words(self, dtype, size):
            return np.array(self.script.pop(0), dtype)

    # the worse candidate stands first in the order; its coin decides
    assert PermuteAndFlip(Fraction(3)).release([0, 1], Words()) == (0 if kept else 1)


def test_a_hundred_thousand_candidates_are_one_call():
    scores = np.zeros(100_000, np.int64)
    scores[77] = 60
    assert PermuteAndFlip(Fraction(2)).release(scores, Bits()) == 77  # e^30 against 1e5
