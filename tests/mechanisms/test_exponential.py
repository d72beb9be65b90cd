import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms.exponential import Exponential, MonotoneExponential
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits
from tests.contracts.selection_laws import softmax
from tests.noise.fit import FALSE_ALARM, chi_square

ONE = Sensitivity(1, Metric.LINF)


def law_of(mechanism, scores):
    return [math.exp(mechanism.law(scores).log_mass(i)) for i in range(len(scores))]


@pytest.mark.theorem("S Def 2.5", "A Thm 7.1")
def test_calibrated_weights_are_exp_of_epsilon_utility_over_twice_the_sensitivity():
    mechanism = Exponential.least(Sensitivity(3, Metric.LINF), PureDP(Fraction(1, 2)))
    scores = [0, 10, 4]
    weights = [math.exp(0.5 * u / (2 * 3)) for u in scores]
    assert law_of(mechanism, scores) == pytest.approx([w / sum(weights) for w in weights], rel=1e-12)


@pytest.mark.parametrize("base", [None, (1, 5, "1/3", 2)])
def test_the_law_that_is_sampled_is_the_law_that_is_claimed(base):
    # false alarm 1e-9; 25 % more or less noise must be told apart
    scores, draws = [0, 3, 5, -2], 60_000
    mechanism = Exponential(Fraction(2), base)
    one_by_one = [mechanism.release(scores, Bits()) for _ in range(2_000)]
    drawn = mechanism.law(scores).sample(Bits(), draws)
    truth = np.array([float(p) for p in softmax(scores, 2, base)])
    counts = np.bincount(np.concatenate([drawn, one_by_one]), minlength=4).astype(float)
    assert chi_square(counts, truth) > FALSE_ALARM
    assert chi_square(np.bincount(one_by_one, minlength=4).astype(float), truth) > FALSE_ALARM
    for factor in (Fraction(3, 4), Fraction(5, 4)):
        wrong = np.array([float(p) for p in softmax(scores, 2 * factor, base)])
        assert chi_square(counts, wrong) < FALSE_ALARM


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=7), st.sampled_from([0.5, 0.1, 0.01]))
@pytest.mark.theorem("A Thm 7.2", "A Cor 7.1", "S Thm 2", "S Cor 2.1")
def test_the_chosen_score_is_near_the_best_as_often_as_promised(scores, beta):
    mechanism, n = Exponential(Fraction(4)), len(scores)
    optima = scores.count(max(scores))
    law = softmax(scores, 4)
    for multiplicity in (1, optima):
        radius = mechanism.accuracy(beta, n, multiplicity)
        missed = mp.fsum(p for p, u in zip(law, scores, strict=True) if max(scores) - u > radius)
        assert missed <= beta
        # the theorem: scale·(log(n/m) + t) with e^−t = beta, never below ours
        theorem = 4 * (math.log(n / multiplicity) + math.log(1 / beta))
        assert radius <= theorem + 1e-9
        lost = mp.fsum(p for p, u in zip(law, scores, strict=True) if max(scores) - u >= theorem)
        assert lost <= beta + 1e-12


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize(("candidates", "optima"), [(2, 1), (10, 1), (10, 4), (1000, 3)])
def test_accuracy_is_attained_by_the_worst_scores(beta, candidates, optima):
    mechanism = Exponential(Fraction(5))
    radius = mechanism.accuracy(beta, candidates, optima)

    def missed(gap):
        down = (candidates - optima) * math.exp(-gap / 5)
        return down / (optima + down)

    assert missed(float(radius)) <= beta * (1 + 1e-9)
    if radius > 0:
        assert missed(float(radius) * 0.999) > beta


def test_accuracy_with_a_base_measure_takes_the_lightest_candidate_for_the_best():
    heavy = Exponential(Fraction(1), (1, 1, 98))
    assert heavy.accuracy(0.1, 3) == Exponential(Fraction(1)).accuracy(0.1, 100)
    assert heavy.expected_gap(3) == Exponential(Fraction(1)).expected_gap(100)
    with pytest.raises(InvalidParameter, match="3 weights"):
        heavy.accuracy(0.1, 4)


@pytest.mark.theorem("A Ex 7.3")
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=8))
def test_the_expected_gap_is_at_most_scale_times_log_of_the_candidates(scores):
    law, best = softmax(scores, 3), max(scores)
    gap = mp.fsum(p * (best - u) for p, u in zip(law, scores, strict=True))
    bound = Exponential(Fraction(3)).expected_gap(len(scores), scores.count(best))
    assert gap <= bound + Fraction(1, 10**12)
    assert float(bound) == pytest.approx(3 * math.log(len(scores) / scores.count(best)), rel=1e-12)


@pytest.mark.theorem("A Ex 7.2")
@pytest.mark.parametrize(("a", "b"), [(10, 9), (30, 10), (5, 4)])
def test_the_rarer_of_two_conditions_is_named_with_the_chance_of_the_notes(a, b):
    mechanism = Exponential.least(ONE, PureDP(1))
    loser = law_of(mechanism, [a, b])[1]
    assert loser == pytest.approx(1 / (1 + math.exp(0.5 * (a - b))), rel=1e-12)
    assert loser <= 2 * math.exp(-0.5 * (a - b))


def revenue(bids, prices):
    return [price * sum(bid >= price for bid in bids) for price in prices]


@pytest.mark.theorem("A Ex 7.1")
def test_pumpkins_earn_what_the_notes_say_and_noise_on_the_price_could_cost_all():
    assert revenue([100, 100, 100, 401], [401, 100, 101, 402]) == [401, 400, 101, 0]
    law = law_of(Exponential.least(Sensitivity(500, Metric.LINF), PureDP(10)), [401, 400, 101, 0])
    weights = [math.exp(10 * earned / (2 * 500)) for earned in (401, 400, 101, 0)]
    assert law == pytest.approx([weight / sum(weights) for weight in weights], rel=1e-12)
    assert law[0] + law[1] > 0.96


@pytest.mark.theorem("S Ex 2.1")
def test_chocolate_at_one_dollar_earns_four_and_is_the_best_price():
    # printed 3.0: all four bidders buy at 1.0
    earned = revenue([100, 100, 100, 310], [310, 300, 100, 320])
    assert earned == [310, 300, 400, 0]
    law = law_of(Exponential.least(Sensitivity(500, Metric.LINF), PureDP(50)), earned)
    weights = [math.exp(50 * total / (2 * 500)) for total in earned]
    assert law == pytest.approx([weight / sum(weights) for weight in weights], rel=1e-12)
    assert max(law) == law[2]


@pytest.mark.theorem("A Def 7.1", "S §2.4 quality sensitivity")
def test_the_sensitivity_of_revenue_is_the_highest_price_whatever_the_bids():
    prices = [1, 2, 3]
    moved = max(
        abs(a - b)
        for others in ([], [1], [3, 3])
        for bid in range(4)
        for a, b in zip(revenue([*others, bid], prices), revenue(others, prices), strict=True)
    )
    assert moved == max(prices)


@pytest.mark.theorem("A Thm 7.1")
@pytest.mark.parametrize("base", [(), (1, 0), (1, -1), (1, math.nan), "12", 3, ("x",)])
@pytest.mark.parametrize("kind", [Exponential, MonotoneExponential])
def test_a_base_measure_that_is_no_list_of_positive_weights_is_refused(kind, base):
    with pytest.raises(InvalidParameter):
        kind(Fraction(1), base)
    with pytest.raises(InvalidParameter, match="scale must be > 0"):
        kind(Fraction(0))


def test_a_base_measure_of_another_length_is_refused():
    with pytest.raises(InvalidParameter, match="2 weights"):
        Exponential(Fraction(1), (1, 2)).release([1, 2, 3], Bits())


def test_a_base_measure_is_stored_with_the_mechanism():
    for base in (None, (Fraction(1), Fraction(1, 3))):
        mechanism = MonotoneExponential(Fraction(5, 2), base)
        assert MonotoneExponential.from_facts(mechanism.facts()) == mechanism
