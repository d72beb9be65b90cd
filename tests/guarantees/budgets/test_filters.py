import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import BudgetExceeded, InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import (
    GDP,
    ZCDP,
    ApproxDP,
    ConcentratedFilter,
    GaussianFilter,
    PureDP,
    RenyiDP,
    RenyiFilter,
    SumFilter,
    TradeOff,
    largest_rho,
)
from dalenius.neighbors import Relation


def test_sums_stop_exactly_at_the_cap():
    state = SumFilter.of(1, "1e-6")
    for _ in range(10):
        state = state.charge(PureDP(0.1))
    assert state.spent_epsilon == 1
    assert not state.admits(PureDP("1e-30"))
    with pytest.raises(BudgetExceeded):
        state.charge(PureDP("1e-30"))
    assert state.admits(ApproxDP(0, "1e-6"))
    assert not state.admits(ApproxDP(0, "1.1e-6"))
    assert state.guarantee == ApproxDP(1, "1e-6")


def test_a_filter_is_a_value():
    fresh = SumFilter.of(1)
    fresh.charge(PureDP(1))
    assert fresh.spent_epsilon == 0


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.sampled_from([PureDP("0.1"), GDP("0.2"), ZCDP("0.01"), ApproxDP("0.1", "1e-9"), PureDP("0.2").repeat(3)]),
        max_size=12,
    )
)
def test_concentrated_filter_never_admits_more_than_its_cap(charges):
    state = ConcentratedFilter.of("0.1", "5e-9")
    for guarantee in charges:
        if state.admits(guarantee):
            state = state.charge(guarantee)
    assert state.spent_rho <= state.rho
    assert state.spent_delta <= state.delta


def test_concentrated_filter_for_a_budget_meets_it():
    state = ConcentratedFilter.for_budget(1, "1e-6", "5e-7")
    assert state.guarantee_at("1e-6").epsilon(1e-6) <= 1
    assert ZCDP(state.rho * Fraction(1001, 1000)).epsilon(5e-7) > 1
    many = 0
    while state.admits(GDP("0.01")):
        state, many = state.charge(GDP("0.01")), many + 1
    assert many == math.floor(state.rho / Fraction(1, 20000))
    with pytest.raises(InvalidParameter):
        ConcentratedFilter.for_budget(1, "1e-6", "1e-6")
    with pytest.raises(InvalidParameter):
        state.guarantee_at(0)


def test_whole_of_a_concentrated_filter_is_not_below_its_parts_composed():
    state = ConcentratedFilter.of("0.02")
    parts = [PureDP("0.05"), GDP("0.1"), PureDP("0.1")]
    for part in parts:
        state = state.charge(part)
    composed = parts[0].compose(*parts[1:])
    assert composed.epsilon_interval(1e-6)[0] <= state.guarantee_at(1e-6).epsilon(1e-6)


def test_renyi_filter_counts_one_order():
    state = RenyiFilter.of(8, 1)
    while state.admits(GDP("0.1")):
        state = state.charge(GDP("0.1"))
    assert state.spent == 25 * Fraction(0.04) or state.spent <= 1
    assert state.guarantee.renyi(8) == 1.0
    with pytest.raises(UnprovenClaim):
        state.charge(ApproxDP(0.1, 1e-9))
    for order in (1, math.inf, 0.5):
        with pytest.raises(InvalidParameter):
            RenyiFilter.of(order, 1)


def test_gaussian_filter_adds_squares():
    state = GaussianFilter.of(1)
    for _ in range(100):
        state = state.charge(GDP("0.1"))
    assert not state.admits(GDP("1e-9"))
    assert state.guarantee == GDP(1)
    assert GaussianFilter.of(1).admits(PureDP("0.5"))
    for refused in (ApproxDP(1, 1e-9), ZCDP(0.1), RenyiDP({2: 1}), ApproxDP(1, 1e-9).repeat(2)):
        with pytest.raises(UnprovenClaim):
            state.admits(refused)


def test_notions_without_a_form_are_refused_not_guessed():
    for refused in (GDP(1), ZCDP(1), RenyiDP({2: 1}), TradeOff([(0, 1), (1, 0)])):
        assert refused.sum_form is None
        with pytest.raises(UnprovenClaim):
            SumFilter.of(10).admits(refused)
    for refused in (RenyiDP({2: 1}), TradeOff([(0, 1), (1, 0)])):
        with pytest.raises(UnprovenClaim):
            ConcentratedFilter.of(10).admits(refused)


def test_relations_do_not_mix():
    for state in (SumFilter.of(1), ConcentratedFilter.of(1), RenyiFilter.of(2, 1), GaussianFilter.of(1)):
        with pytest.raises(MixedRelations):
            state.admits(PureDP(0.1, Relation.CHANGE_ONE))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-9), (1, 1e-6), (10, 1e-3)])
def test_largest_rho_is_proved_and_near_the_largest(epsilon, delta):
    rho = largest_rho(epsilon, delta)
    assert ZCDP(rho).delta(epsilon) <= delta
    assert ZCDP(rho * Fraction(1001, 1000)).delta(epsilon) > delta


def test_no_delta_no_rho():
    assert largest_rho(1, 0) == 0
    with pytest.raises(InvalidParameter):
        largest_rho(0, 1e-6)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-7), (0.1, 1e-3), (8, 1e-10)])
def test_filters_for_a_budget_give_that_budget_and_little_more_would_not(epsilon, delta):
    renyi, gaussian = RenyiFilter.for_budget(epsilon, delta), GaussianFilter.for_budget(epsilon, delta)
    for kept, more in (
        (renyi.guarantee, RenyiDP({renyi.order: renyi.cap * Fraction(101, 100)})),
        (gaussian.guarantee, GDP.root(gaussian.square * Fraction(101, 100))),
    ):
        assert kept.delta(float(epsilon)) <= delta * (1 + 1e-9)
        assert more.delta(float(epsilon)) > delta


def test_a_renyi_order_that_cannot_give_the_budget_is_refused():
    with pytest.raises(InvalidParameter, match="order 4"):
        RenyiFilter.for_budget(1, 1e-7, order=4)
