import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.guarantees import ApproxDP, PureDP, advanced_composition, advanced_share, basic_composition


@settings(deadline=None, max_examples=60)
@given(st.fractions(Fraction(1, 1000), 1, max_denominator=1000), st.integers(1, 500), st.floats(1e-12, 0.5))
@pytest.mark.theorem("A Thm 10.1", "A Rem 10.2")
def test_advanced_is_never_below_optimal(epsilon, times, delta):
    bound = advanced_composition(PureDP(epsilon), times, delta)
    assert float(bound.budget) >= PureDP(epsilon).repeat(times).epsilon_interval(delta)[0]
    leaky = advanced_composition(ApproxDP(epsilon, Fraction(1, 10**6)), times, delta)
    total = float(leaky.slack)
    if total < 1:
        assert float(leaky.budget) >= ApproxDP(epsilon, Fraction(1, 10**6)).repeat(times).epsilon_interval(total)[0]


@pytest.mark.theorem("A Thm 10.1")
def test_advanced_is_the_formula():
    bound = advanced_composition(ApproxDP(0.1, 1e-9), 100, 1e-6)
    assert float(bound.budget) == pytest.approx(0.1 * math.sqrt(200 * math.log(1e6)) + 10 * math.expm1(0.1), rel=1e-12)
    assert bound.slack == Fraction(1, 10**6) + Fraction(100, 10**9)


@pytest.mark.theorem("A Rem 10.2")
def test_cost_grows_with_the_root_of_the_count():
    small, large = (advanced_composition(PureDP("0.0001"), k, 1e-6).budget for k in (10**4, 10**6))
    assert 9.5 < large / small < 11


@settings(deadline=None, max_examples=60)
@given(st.floats(0.01, 0.99), st.floats(1e-12, 0.65), st.integers(1, 1000))
@pytest.mark.theorem("A Cor 10.1")
def test_share_keeps_the_whole_within_the_goal(epsilon, delta, times):
    each = advanced_share(epsilon, delta, times)
    whole = advanced_composition(each, times, Fraction(repr(delta)) / 2)
    assert whole.slack == Fraction(repr(delta))  # nothing of δ is left over
    assert float(whole.budget) <= epsilon * (1 + 1e-12)


@pytest.mark.theorem("A Cor 10.1")
def test_printed_share_overspends_delta_by_half():
    epsilon, delta, times = 0.5, Fraction(1, 10**6), 100
    printed = ApproxDP(epsilon / (2 * math.sqrt(2 * times * math.log(1 / delta))), delta / (2 * times))
    assert advanced_composition(printed, times, delta).slack == Fraction(3, 2) * delta
    # and near δ' = 1 its ε does not follow from Thm 10.1 at all
    loose = ApproxDP(0.5 / (2 * math.sqrt(2 * math.log(1 / 0.9))), 0)
    assert advanced_composition(loose, 1, 0.9).budget > Fraction(1, 2)
    with pytest.raises(InvalidParameter):
        advanced_share(0.5, 0.9, 1)


@pytest.mark.theorem("A Thm 3.3", "A Rem 10.1")
def test_basic_composition_adds():
    assert basic_composition(PureDP(1), ApproxDP(2, "0.1")) == ApproxDP(3, "0.1")
    assert basic_composition(*[ApproxDP(1, "0.3")] * 4).slack == 1


@pytest.mark.parametrize("delta", [0, -1, 2, float("nan")])
def test_needs_a_delta_to_give_up(delta):
    with pytest.raises(InvalidParameter):
        advanced_composition(PureDP(1), 10, delta)


def test_refuses_goals_outside_the_corollary():
    for epsilon, times in ((1, 10), (0.5, 0)):
        with pytest.raises(InvalidParameter):
            advanced_share(epsilon, 1e-6, times)
