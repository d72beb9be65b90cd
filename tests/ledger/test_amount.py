from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.ledger import Amount

NUMBERS = st.fractions(min_value=0, max_value=1000)
DELTAS = st.fractions(min_value=0, max_value=Fraction(99, 100))


@given(NUMBERS, DELTAS)
def test_a_cost_is_never_rounded_down_and_a_limit_never_up(epsilon, delta):
    cost, limit = Amount.cost(epsilon, delta), Amount.limit(epsilon, delta)
    assert 0 <= cost.epsilon - epsilon < Fraction(1, 10**12)
    assert 0 <= epsilon - limit.epsilon < Fraction(1, 10**12)
    assert 0 <= cost.delta - delta < Fraction(1, 10**30)
    assert 0 <= delta - limit.delta < Fraction(1, 10**30)


def test_ten_times_a_tenth_is_one():
    assert sum((Amount.cost(0.1) for _ in range(9)), Amount.cost(0.1)) == Amount.limit(1)


def test_within_needs_both_parts():
    limit = Amount(10, 5)
    assert Amount(10, 5).within(limit)
    assert not Amount(11, 0).within(limit)
    assert not Amount(0, 6).within(limit)


@pytest.mark.parametrize(
    ("amount", "text"), [(Amount.cost(0.25), "ε = 0.25"), (Amount.cost(1), "ε = 1"), (Amount(0, 0), "ε = 0")]
)
def test_epsilon_is_shown_exactly(amount, text):
    assert str(amount) == text


def test_delta_is_shown_when_there_is_one():
    assert str(Amount.limit(1, 1e-7)) == "ε = 1, δ = 1e-07"


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0), (float("nan"), 0), (1, 1), (1, -0.1), (float("inf"), 0)])
def test_a_budget_that_is_none_is_refused(epsilon, delta):
    with pytest.raises(InvalidParameter):
        Amount.limit(epsilon, delta)
