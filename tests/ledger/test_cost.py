from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP
from dalenius.ledger import Cost
from dalenius.ledger.cost import KINDS, SUM, Meter, shown_units


@given(st.fractions(min_value=0, max_value=1000), st.sampled_from([12, 30]))
def test_a_cost_is_never_rounded_down_and_a_cap_never_up(value, decimals):
    meter = Meter("x", decimals)
    assert meter.value(meter.down(value)) <= value <= meter.value(meter.up(value))
    assert meter.up(value) - meter.down(value) <= 1


@pytest.mark.parametrize("guarantee", [PureDP(0.3), ApproxDP(0.1, 1e-9), GDP(0.2), ZCDP(0.1)], ids=repr)
def test_each_kind_reads_the_form_that_the_guarantee_states(guarantee):
    assert KINDS["sum"].price(guarantee, None) == guarantee.sum_form
    assert KINDS["concentrated"].price(guarantee, None) == guarantee.concentrated_form
    square = KINDS["gaussian"].price(guarantee, None)
    assert (None if square is None else square[0]) == guarantee.gaussian_form


def test_costs_add_up_and_a_shut_branch_stays_shut():
    cost = Cost((("sum", (1, 2)), ("concentrated", (3, 4))))
    shut = Cost((("sum", None), ("concentrated", (1, 1))))
    assert (cost + cost).times(2).units("sum") == (4, 8)
    assert (cost + shut).parts == (shut + cost).parts == (("sum", None), ("concentrated", (4, 5)))
    assert cost.most(Cost((("sum", (0, 9)), ("concentrated", None)))).parts == (("sum", (1, 9)), ("concentrated", None))
    assert Cost.from_dict(shut.to_dict(), ("sum", "concentrated")) == shut
    assert (shut.epsilon, shut.delta, shut.rho) == (None, None, Fraction(1, 10**12))


def test_a_cost_is_shown_by_the_first_form_it_has():
    assert str(Cost((("sum", (25 * 10**10, 0)),))) == "ε = 0.25"
    assert str(Cost((("sum", None), ("concentrated", (5 * 10**9, 10**21))))) == "ρ = 0.005, δ = 1e-09"
    assert shown_units(SUM, (0, 0)) == "ε = 0"
