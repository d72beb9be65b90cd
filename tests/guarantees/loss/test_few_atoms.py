import itertools
import math
from fractions import Fraction

import mpmath
import pytest

from dalenius.guarantees import ApproxDP, PureDP
from dalenius.guarantees.loss import LossDistribution, from_masses, response
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.few_atoms import MOST, FewAtoms


def by_definition(budgets, epsilon):
    """Σ over all answers of (P − e^ε Q)₊ for randomized responses with a share δ that tells all, in forty digits."""
    with mpmath.workdps(40):
        grown, total, kept = mpmath.exp(mpmath.mpf(epsilon)), mpmath.mpf(0), mpmath.mpf(1)
        for _, slack in budgets:
            kept *= 1 - mpmath.mpf(str(slack))
        for signs in itertools.product((1, -1), repeat=len(budgets)):
            p = q = mpmath.mpf(1)
            for sign, (each, _) in zip(signs, budgets, strict=True):
                odds = mpmath.exp(mpmath.mpf(str(each)))
                p *= (odds if sign > 0 else 1) / (1 + odds)
                q *= (1 if sign > 0 else odds) / (1 + odds)
            total += max(mpmath.mpf(0), p - grown * q)
        return 1 - kept + kept * total


MIXED = [(0.1, 1e-8), (0.1371234, 1e-9), (0.33777, 1e-7), (0.51, 0), (0.51, 1e-3), (1.7, 0)]


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.1, 2.5, 3.2])
def test_bounds_of_mixed_budgets_hold_the_definition_and_are_narrow(epsilon):
    composed = ApproxDP(*MIXED[0]).compose(*(ApproxDP(*each) for each in MIXED[1:]))
    low, high = composed.delta_interval(epsilon)
    truth = by_definition(MIXED, epsilon)
    assert low <= truth <= high
    assert high - low <= 1e-9 * high


@pytest.mark.parametrize("delta", [0.0011, 0.01, 0.2])
def test_epsilon_of_mixed_budgets_is_proved_from_both_sides(delta):
    composed = ApproxDP(*MIXED[0]).compose(*(ApproxDP(*each) for each in MIXED[1:]))
    low, high = composed.epsilon_interval(delta)
    assert by_definition(MIXED, high) <= delta <= by_definition(MIXED, low)
    assert high - low <= 1e-6 * high
    assert composed.epsilon_interval(0.0001) == (math.inf, math.inf)


@pytest.mark.parametrize("times", [1, 7, 300])
def test_equal_ones_agree_with_their_closed_form(times):
    listed = LossDistribution.of(response("0.2")).repeat(times)
    exact = PureDP("0.2").repeat(times)
    for share in (0.1, 0.5, 0.9):
        low, high = listed.delta_interval(share * times * 0.2)
        truth = exact.delta_interval(share * times * 0.2)
        assert low <= truth[1] * (1 + 1e-12)
        assert truth[0] * (1 - 1e-12) <= high
        assert high - low <= 1e-8 * high


def test_what_is_long_is_not_listed_and_errors_are_counted():
    long = LossComposition.of([(response(Fraction(1, k)), 3) for k in range(2, 12)])
    assert FewAtoms.of(long) is None
    few = FewAtoms.of(LossComposition.of([(from_masses(["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]), 1)]))
    assert len(few.losses) == 3 <= MOST
    tight = FewAtoms(few.losses, few.log_masses, 0.0, 0.0).delta(0.1)
    wide = few.delta(0.1)
    assert wide[0] < tight[0] <= tight[1] < wide[1]
