from fractions import Fraction

import pytest

from dalenius.guarantees.curves.response import equal_responses, guess_epsilon, response_profile
from dalenius.numerics import ends
from tests.guarantees.guarantee_truth import between, equal_responses_delta, responses_delta


@pytest.mark.parametrize(("each", "times"), [("0.1", 1), ("1", 2), ("0.5", 7), ("0.05", 120), ("3", 60)])
@pytest.mark.parametrize("share", ["0", "0.1", "0.5", "0.99"])
def test_equal_responses_enclose_the_binomial_sum(each, times, share):
    epsilon = Fraction(each) * times * Fraction(share)
    low, high = ends(equal_responses(Fraction(each), times, epsilon))
    truth = equal_responses_delta(each, times, float(epsilon) if epsilon == float(epsilon) else str(float(epsilon)))
    slack = 1e-13 * (1 + times)  # the truth was given ε as a decimal
    assert low * (1 - slack) <= truth <= high * (1 + slack)
    assert high <= low * (1 + 1e-15)


def test_a_breakpoint_counts_only_losses_above_it():
    # one response: δ(ε) = (e^ε₀ − e^ε)/(1 + e^ε₀), 0 at ε₀
    assert response_profile(((Fraction(1), 1),), Fraction(1)) == (0.0, 0.0)
    low, high = response_profile(((Fraction(1), 2),), Fraction(0))
    assert low <= equal_responses_delta("1", 2, "0") <= high


@pytest.mark.parametrize("budgets", [("0.1", "0.2"), ("0.3", "0.3", "1"), ("0.17", "0.35", "0.7", "0.7", "1.1")])
@pytest.mark.parametrize("epsilon", ["0", "0.25", "0.4"])
def test_unequal_responses_enclose_the_enumeration(budgets, epsilon):
    counts = {each: budgets.count(each) for each in budgets}
    responses = tuple(sorted((Fraction(each), n) for each, n in counts.items()))
    if Fraction(epsilon) >= sum(map(Fraction, budgets)):
        assert response_profile(responses, Fraction(epsilon)) == (0.0, 0.0)
        return
    assert between(response_profile(responses, Fraction(epsilon)), responses_delta(budgets, epsilon), 1e-6)


@pytest.mark.parametrize("times", [1, 10, 1000])
def test_guess_is_near(times):
    guess = guess_epsilon(Fraction(1, 10), times, 1e-6)
    low, _ = ends(equal_responses(Fraction(1, 10), times, Fraction(guess) * Fraction(99, 100)))
    _, high = ends(equal_responses(Fraction(1, 10), times, Fraction(guess) * Fraction(101, 100)))
    assert high <= 1e-6 <= low
