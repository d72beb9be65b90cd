from fractions import Fraction

import mpmath as mp
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.guarantees import GDP, PureDP
from dalenius.guarantees.curves.pure_profile import pure_to_mu, pure_to_rho
from tests.guarantees.guarantee_truth import number


@settings(deadline=None)
@given(st.fractions(Fraction(1, 1000), 30, max_denominator=1000), st.floats(1.0001, 1000))
def test_rho_of_pure_bounds_every_order(epsilon, order):
    rho = pure_to_rho(epsilon)
    assert rho <= epsilon * epsilon / 2
    assert PureDP(epsilon).renyi(order) <= float(rho) * order * (1 + 1e-12)
    assert PureDP(epsilon).renyi(1) >= float(rho) * (1 - 1e-12)  # attained at order 1


@settings(deadline=None)
@given(st.fractions(Fraction(1, 1000), 30, max_denominator=1000))
def test_mu_of_pure_dominates_and_touches(epsilon):
    mu = pure_to_mu(epsilon)
    corner = 1 / (1 + mp.e ** number(float(epsilon)))
    touch = mp.ncdf(-mp.sqrt(2) * mp.erfinv(2 * corner - 1) - mp.mpf(mu.numerator) / mu.denominator)
    assert touch <= corner * (1 + mp.mpf(10) ** -9)
    assert touch >= corner * (1 - mp.mpf(10) ** -9)
    for at in (0.0, float(epsilon) / 2):
        assert PureDP(epsilon).delta(at) <= GDP(mu).delta(at) * (1 + 1e-9)
