import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.functionals import renyi_divergence
from dalenius.guarantees.curves.polyline import Polyline
from dalenius.guarantees.curves.renyi_curves import (
    BoundedRangeCurve,
    FunctionCurve,
    GroupCurve,
    LaplaceCurve,
    LinearCurve,
    ResponseCurve,
    SumCurve,
    TableCurve,
)
from tests.guarantees.guarantee_truth import number, renyi

ORDERS = [1.001, 1.5, 2, 3.7, 20, 200]


def close(found, truth):
    return truth <= found <= truth * (1 + mp.mpf(10) ** -12)


@pytest.mark.theorem("A Prop 12.2", "A Def 12.1")
@pytest.mark.parametrize("order", ORDERS)
def test_gaussian(order):
    assert LinearCurve(Fraction(1, 2))(order) == pytest.approx(order / 2, rel=1e-15)


@pytest.mark.theorem("A Def 12.1")
@pytest.mark.parametrize("epsilon", ["0.01", "1", "6"])
@pytest.mark.parametrize("order", ORDERS)
def test_laplace_is_its_integral(epsilon, order):
    e, a = number(epsilon), number(order)
    inner = mp.quad(lambda x: mp.e ** (-a * x - (1 - a) * (e - x)), [0, e]) / 2
    total = mp.e ** ((a - 1) * e) / 2 + mp.e ** (-a * e) / 2 + inner
    assert close(LaplaceCurve(Fraction(epsilon))(order), mp.log(total) / (a - 1))


def test_limits_at_one_and_infinity():
    for curve in (LaplaceCurve(Fraction(1)), ResponseCurve(Fraction(1)), BoundedRangeCurve(Fraction(1))):
        assert curve(1) <= curve(1.0000001) <= curve(1) * (1 + 1e-6)
        assert curve(math.inf) == 1.0
        assert curve(10**6) == pytest.approx(1, rel=1e-4)
    assert LaplaceCurve(Fraction(1))(1) == pytest.approx(math.exp(-1))


@pytest.mark.parametrize("eta", ["0.1", "1", "4"])
@pytest.mark.parametrize("order", ORDERS)
def test_bounded_range_is_the_worst_two_point_pair(eta, order):
    e = number(eta)
    worst = mp.mpf(0)
    for i in range(1, 200):
        t = e * i / 200
        a, b = mp.e ** (t - e), mp.e**t
        q = (1 - a) / (b - a)
        worst = max(worst, renyi((q * b, (1 - q) * a), (q, 1 - q), order))
    found = BoundedRangeCurve(Fraction(eta))(order)
    assert worst <= found <= worst * mp.mpf("1.01")
    assert found <= order * float(eta) ** 2 / 8 * (1 + 1e-12)  # the zCDP constant of Cesar and Rogers
    assert found <= ResponseCurve(Fraction(eta))(order)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 5), min_size=3, max_size=3),
    st.lists(st.integers(0, 5), min_size=3, max_size=3),
    st.lists(st.integers(0, 5), min_size=3, max_size=3),
)
def test_exponential_mechanism_stays_below_bounded_range(u, v, base):
    """Scores that differ by at most 1: weights e^(εu/2), by enumeration."""
    v = [x + max(-1, min(1, y - x)) for x, y in zip(u, v, strict=True)]
    epsilon = mp.mpf(1)
    p = [mp.e ** (epsilon * x / 2) * (1 + w) for x, w in zip(u, base, strict=True)]
    q = [mp.e ** (epsilon * x / 2) * (1 + w) for x, w in zip(v, base, strict=True)]
    p, q = [x / mp.fsum(p) for x in p], [x / mp.fsum(q) for x in q]
    for order in (1.5, 4):
        assert renyi(p, q, order) <= BoundedRangeCurve(Fraction(1))(order) + mp.mpf(10) ** -30


@pytest.mark.theorem("A Rem 12.2")
@settings(deadline=None)
@given(st.floats(1, 500), st.floats(1, 500))
def test_curves_do_not_fall_with_the_order(a, b):
    low, high = sorted((a, b))
    for curve in (
        LaplaceCurve(Fraction(2)),
        ResponseCurve(Fraction(2)),
        BoundedRangeCurve(Fraction(2)),
        LinearCurve(Fraction(1)),
    ):
        assert curve(low) <= curve(high) * (1 + 1e-12)


@pytest.mark.theorem("A Rem 12.2")
def test_a_table_holds_the_next_order_s_value_below_it_and_the_chord_between():
    """(α − 1)·D_α is 1 at 2 and 6 at 4, so at most 3½ at 3; below the first order no more is known than its value."""
    table = TableCurve.of({2: 1, 4: 2})
    assert [table(order) for order in ("1.5", 2, 3, 4)] == [1, 1, 1.75, 2]
    assert TableCurve.of({2: 3, 4: 2})(2) == 3


def test_table_interpolates_below_the_next_order_and_above_the_truth():
    truth = LaplaceCurve(Fraction(1))
    table = TableCurve.of({order: truth(order) for order in (1.5, 2, 4, 16)})
    for order in (1.1, 1.6, 2, 2.5, 3.9, 8, 16):
        assert table(order) >= truth(order)
    assert table(3) <= table(4)
    assert table(17) == table(math.inf) == math.inf


@pytest.mark.theorem("A Thm 12.3")
def test_sum_adds():
    curve = SumCurve(((LinearCurve(Fraction(1, 2)), 3), (ResponseCurve(Fraction(1)), 2)))
    assert curve(2) == pytest.approx(3 + 2 * ResponseCurve(Fraction(1))(2))
    assert curve(math.inf) == math.inf


@pytest.mark.parametrize("size", [1, 2, 3, 7, 32])
def test_group_of_a_linear_curve_is_k_squared(size):
    assert GroupCurve(LinearCurve(Fraction(1, 3)), size)(2.5) == pytest.approx(size**2 / 3 * 2.5, rel=1e-12)


@settings(deadline=None, max_examples=60)
@given(*[st.lists(st.integers(1, 9), min_size=3, max_size=3)] * 3, st.floats(1.05, 20))
def test_weak_triangle_inequality_holds_on_chains(p, q, r, order):
    laws = [[Fraction(x, sum(law)) for x in law] for law in (p, q, r)]

    def divergence(at):
        pairs = [(laws[i], laws[j]) for i, j in ((0, 1), (1, 0), (1, 2), (2, 1))]
        return max(float(renyi_divergence(Polyline.of_atoms(zip(a, b, strict=True)), at).upper()) for a, b in pairs)

    bound = GroupCurve(FunctionCurve(divergence), 2)(order)
    assert float(renyi_divergence(Polyline.of_atoms(zip(laws[0], laws[2], strict=True)), order).lower()) <= bound * (
        1 + 1e-9
    )


@pytest.mark.parametrize("order", [0.5, -1, float("nan"), "x"])
def test_bad_orders_are_refused(order):
    with pytest.raises(InvalidParameter):
        LinearCurve(Fraction(1))(order)


def test_bad_tables_and_functions_are_refused():
    for table in ({}, {1: 0.1}, {2: -1}, {2: float("nan")}):
        with pytest.raises(InvalidParameter):
            TableCurve.of(table)
    with pytest.raises(InvalidParameter):
        FunctionCurve(lambda order: float("nan"))(2)
