from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, PureDP, RenyiDP
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import number


def best_order_epsilon(rho, delta):
    """CKS20, Prop 12 minimised by mpmath."""
    rho, delta = number(rho), number(delta)

    def at(log_tilt):
        a = 1 + mp.e**log_tilt
        return rho * a + mp.log(1 - 1 / a) - mp.log(delta * a) / (a - 1)

    low, high = mp.mpf(-8), mp.mpf(16)
    for _ in range(160):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if at(left) < at(right) else (left, high)
    return at(low)


@pytest.mark.parametrize("rho", ["0.001", "0.1", "1", "20"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12", "1e-100"])
@pytest.mark.theorem("A Thm 12.2", "A Cor 13.1")
def test_conversion_is_the_best_order(rho, delta):
    truth = best_order_epsilon(rho, delta)
    found = ZCDP(rho).epsilon(float(delta))
    assert truth * (1 - mp.mpf(10) ** -12) <= found <= truth * mp.mpf("1.0001")


@settings(deadline=None, max_examples=40)
@given(st.fractions(Fraction(1, 1000), 5, max_denominator=1000), st.floats(1e-12, 0.2))
def test_never_below_the_gaussian_that_is_exactly_rho_zcdp(rho, delta):
    low, high = ZCDP(rho).epsilon_interval(delta)
    assert low <= high
    assert low == GDP.root(2 * rho).epsilon_interval(delta)[0]
    classic = rho + 2 * mp.sqrt(mp.mpf(rho.numerator) / rho.denominator * mp.log(1 / mp.mpf(delta)))
    assert high <= classic * (1 + mp.mpf(10) ** -9)


def test_rho_adds_and_groups_square():
    assert ZCDP(0.1).compose(ZCDP(0.2)) == ZCDP("0.3")
    assert ZCDP(0.1).repeat(5) == ZCDP("0.5")
    assert ZCDP(0.1).group(3) == ZCDP("0.9")
    assert ZCDP(0.1).to(Relation.CHANGE_ONE) == ZCDP("0.4", Relation.CHANGE_ONE)


def test_unlike_parts_go_to_renyi():
    mixed = ZCDP(0.1).compose(PureDP(0.1))
    assert isinstance(mixed, RenyiDP)
    assert mixed.epsilon(1e-6) <= ZCDP(ZCDP(0.1).rho + PureDP(0.1).concentrated_form.rho).epsilon(1e-6) * (1 + 1e-6)


def test_zero():
    assert ZCDP(0).epsilon(0) == 0.0
    assert ZCDP(1).epsilon(0) == float("inf")


@pytest.mark.parametrize("bad", [-1, float("nan")])
def test_bad_rho_is_refused(bad):
    with pytest.raises(InvalidParameter):
        ZCDP(bad)
