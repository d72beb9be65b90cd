import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import ndtr
from scipy.stats import binom

from dalenius.audit.claim import Ceiling, ceiling
from dalenius.audit.guessing import tail_bound
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP, TradeOff


def by_linear_program(claim, canaries, guesses, correct):
    """The same supremum, over distributions on 0, …, guesses, without the argument that mass can be moved down."""
    places = np.arange(guesses + 1)
    rows, limits = [], []
    for v in range(1, guesses + 1):
        left = np.where(places >= v, places, 0) / canaries
        right = np.where(places >= v - 1, guesses - places, 0) / canaries
        for epsilon, delta in zip(claim.epsilons, claim.deltas, strict=True):
            growth = math.exp(epsilon)
            rows += [left - growth * right, left - right / growth]
            limits += [delta, 1 - (1 - delta) / growth]
    found = linprog(
        -(places >= correct).astype(float), A_ub=np.array(rows), b_ub=limits, A_eq=np.ones((1, guesses + 1)), b_eq=[1]
    )
    return -found.fun


@pytest.mark.parametrize("claim", [PureDP(1), ApproxDP("0.5", "0.01"), GDP("0.7"), ZCDP("0.2")], ids=repr)
@pytest.mark.parametrize(("canaries", "guesses"), [(9, 9), (20, 12)])
def test_the_bound_is_the_optimum_of_its_linear_program(claim, canaries, guesses):
    shape = ceiling(claim)
    for correct in range(guesses // 2, guesses + 1):
        expected = by_linear_program(shape, canaries, guesses, correct)
        assert tail_bound(shape, canaries, guesses, correct) == pytest.approx(expected, rel=2e-4, abs=1e-8)


def test_one_canary_is_guessed_as_well_as_the_curve_allows_and_no_better():
    # the least error of a fair guess is the fixed point of the trade-off function: 1/(1 + e), and Φ(−μ/2)
    assert tail_bound(ceiling(PureDP(1)), 1, 1, 1) == pytest.approx(math.e / (1 + math.e), abs=1e-3)
    assert tail_bound(ceiling(GDP(1)), 1, 1, 1) == pytest.approx(float(ndtr(0.5)), abs=2e-3)


def test_no_guesser_of_any_small_run_beats_the_bound():
    """Three canaries, each by randomized response, or all shown with probability δ: every run and the best guesser."""
    epsilon, delta, m = 0.8, 0.1, 3
    stay = math.exp(epsilon) / (1 + math.exp(epsilon))
    coins = list(itertools.product((0, 1), repeat=m))
    right = [0.0] * (m + 1)
    for truth in coins:
        for shown in coins:
            chance = math.prod(stay if a == b else 1 - stay for a, b in zip(truth, shown, strict=True)) / len(coins)
            right[sum(a == b for a, b in zip(truth, shown, strict=True))] += (1 - delta) * chance
        right[m] += delta / len(coins)
    shape = Ceiling.of_line(epsilon, delta)
    for correct in range(1, m + 1):
        assert sum(right[correct:]) <= tail_bound(shape, m, m, correct)
    # a claim of less is refuted by the same law
    assert sum(right[m:]) > tail_bound(Ceiling.of_line(0.3, 0.01), m, m, m)


def test_for_a_pure_claim_it_is_near_the_binomial_tail():
    for correct in (52, 55):
        tail = float(binom.sf(correct - 1, 60, math.e / (1 + math.e)))
        assert tail <= tail_bound(ceiling(PureDP(1)), 100, 60, correct) <= 1.2 * tail


def test_more_right_guesses_are_less_likely_and_none_is_certain():
    shape = ceiling(TradeOff.of_guarantee(GDP(1)))
    told = [tail_bound(shape, 40, 30, correct) for correct in range(31)]
    assert told[0] == 1
    assert told == sorted(told, reverse=True)
