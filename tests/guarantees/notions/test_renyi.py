import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PoissonSampling, PureDP, RenyiDP
from dalenius.guarantees.curves.functionals import kl_divergence, renyi_divergence, total_variation
from dalenius.guarantees.curves.polyline import Polyline
from dalenius.guarantees.curves.renyi_conversion import classic_epsilon_at_order, delta_at_order, epsilon_at_order
from dalenius.guarantees.curves.renyi_curves import LaplaceCurve, LinearCurve, ResponseCurve
from dalenius.guarantees.notions.renyi import event_interval
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import hockey_stick, renyi

weights = st.lists(st.integers(1, 9), min_size=3, max_size=3)


def laws(*lists):
    return [[Fraction(x, sum(law)) for x in law] for law in lists]


@pytest.mark.theorem("A Def 12.1", "A Rem 12.1")
def test_mass_where_q_is_zero_is_infinite_and_the_printed_support_misses_it():
    p, q = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1), Fraction(0))
    f = Polyline.of_atoms(zip(p, q, strict=True))
    assert not renyi_divergence(f, 2).is_finite()
    assert not renyi_divergence(f, math.inf).is_finite()
    # printed: the sup over Supp(Q) of log p/q, and over Supp(P) of log q/p, the larger of the two orders
    printed = max(math.log(p[0] / q[0]), math.log(q[0] / p[0]))
    assert printed == math.log(2)
    assert hockey_stick(p, q, printed) == 0.5  # yet such a release names a row half of the time


@settings(deadline=None, max_examples=60)
@given(weights, weights, st.floats(1.01, 50), st.floats(0, 2))
@pytest.mark.theorem("A Thm 12.2")
def test_conversions_hold_for_any_pair_and_the_classic_one_is_looser(a, b, order, epsilon):
    p, q = laws(a, b)
    divergence = float(renyi(p_mp(p), p_mp(q), order)) * (1 + 1e-12) + 1e-15
    order = Fraction(repr(order))
    truth = hockey_stick(p_mp(p), p_mp(q), epsilon)
    assert truth <= delta_at_order(order, divergence, Fraction(repr(epsilon))) + 1e-15
    for delta in (Fraction(1, 100), Fraction(1, 10**9)):
        tight, classic = epsilon_at_order(order, divergence, delta), classic_epsilon_at_order(order, divergence, delta)
        assert tight <= classic * (1 + 1e-12)
        assert hockey_stick(p_mp(p), p_mp(q), max(0.0, tight)) <= float(delta) + 1e-15


def p_mp(law):
    return [mp.mpf(x.numerator) / x.denominator for x in law]


@settings(deadline=None, max_examples=60)
@given(weights, weights, st.floats(1.05, 20))
@pytest.mark.theorem("A Prop 12.1")
def test_event_bounds_hold_for_every_event(a, b, order):
    p, q = laws(a, b)
    forth = float(renyi(p_mp(p), p_mp(q), order)) * (1 + 1e-12) + 1e-15
    back = float(renyi(p_mp(q), p_mp(p), order)) * (1 + 1e-12) + 1e-15
    for mask in range(8):
        x = sum((law for i, law in enumerate(p) if mask >> i & 1), Fraction(0))
        y = sum((law for i, law in enumerate(q) if mask >> i & 1), Fraction(0))
        low, high = event_interval(max(forth, back), order, y)
        assert low <= x + Fraction(1, 10**12)
        assert x <= high + 1e-12


@settings(deadline=None, max_examples=30)
@given(weights, weights, weights, weights, st.floats(1.05, 20))
@pytest.mark.theorem("A Thm 12.3")
def test_divergences_of_products_add(a, b, c, d, order):
    p, q, r, s = map(p_mp, laws(a, b, c, d))
    joint = renyi([x * y for x in p for y in r], [x * y for x in q for y in s], order)
    assert abs(joint - renyi(p, q, order) - renyi(r, s, order)) < mp.mpf(10) ** -40


@pytest.mark.theorem("A Def 12.2", "A Thm 12.2")
def test_certified_answer_is_never_above_its_rényi_bound():
    for exact, bound in (
        (GDP(1), RenyiDP(LinearCurve(Fraction(1, 2)))),
        (PureDP(1), RenyiDP(ResponseCurve(Fraction(1)))),
    ):
        for delta in (1e-9, 1e-3, 0.1):
            assert exact.epsilon_interval(delta)[0] <= bound.epsilon(delta)
        for epsilon in (0.0, 0.3, 1.0, 3.0):
            assert exact.delta_interval(epsilon)[0] <= bound.delta(epsilon)
        for alpha in (0.01, 0.2, 0.7):
            assert bound.beta(alpha) <= exact.beta(alpha) + 1e-12


def test_pure_limit_caps_the_conversion():
    bound = RenyiDP(LaplaceCurve(Fraction(1))).repeat(3)
    assert bound.epsilon(0) == 3.0
    assert bound.epsilon(1e-30) <= 3.0
    assert bound.delta(3) == 0.0


@pytest.mark.theorem("A Thm 12.3")
def test_compose_and_repeat_agree_order_by_order():
    one = RenyiDP({2: 0.1, 8: 0.5})
    assert one.repeat(3).renyi(2) == one.compose(one, one).renyi(2) == pytest.approx(0.3)
    assert one.repeat(0).epsilon(1e-6) == 0.0
    mixed = one.compose(PureDP(0.1), GDP(0.2), ZCDP(0.1))
    assert mixed.renyi(4) == pytest.approx(one.renyi(4) + PureDP(0.1).renyi(4) + 0.08 + 0.4)
    assert PureDP(0.1).compose(one).renyi(2) == one.compose(PureDP(0.1)).renyi(2)


def test_a_leaky_part_leaves_no_renyi_bound():
    assert RenyiDP({2: 0.1}).compose(ApproxDP(0.1, 1e-9)).epsilon(1e-6) == math.inf


def test_functions_and_tables_are_curves():
    assert RenyiDP(lambda order: 0.5 * order).epsilon(1e-6) == pytest.approx(ZCDP(0.5).epsilon(1e-6), rel=1e-6)
    with pytest.raises(InvalidParameter):
        RenyiDP({0.5: 1})


def test_relations():
    changed = RenyiDP(LinearCurve(Fraction(1, 2))).to(Relation.CHANGE_ONE)
    assert changed.renyi(2) == pytest.approx(4)
    with pytest.raises(MixedRelations):
        changed.compose(GDP(1))


def test_no_amplification_after_the_fact():
    for guarantee in (RenyiDP({2: 1}), ZCDP(1)):
        with pytest.raises(UnprovenClaim):
            guarantee.amplify(PoissonSampling(0.1))


@settings(deadline=None, max_examples=40)
@given(weights, weights, st.lists(weights, min_size=3, max_size=3), st.sampled_from([Fraction(3, 2), 2, 8]))
@pytest.mark.theorem("A Rem 12.3", "A Rem 3.8")
def test_what_is_made_of_an_output_is_within_the_bound_of_the_output(a, b, channel, order):
    """Any random map of three outcomes: Rényi, Kullback–Leibler and total variation fall, so the bound still holds."""
    p, q = laws(a, b)
    rows = laws(*channel)
    made = [[sum(x * row[j] for x, row in zip(law, rows, strict=True)) for j in range(3)] for law in (p, q)]
    before, after = (Polyline.of_atoms(zip(*pair, strict=True)) for pair in ((p, q), made))
    claim = float(renyi(p_mp(p), p_mp(q), float(order))) * (1 + 1e-12) + 1e-15
    proved = RenyiDP({order: claim})
    assert float(renyi(p_mp(made[0]), p_mp(made[1]), float(order))) <= proved.renyi(order)
    assert claim == pytest.approx(proved.renyi(order), rel=1e-12)
    assert float(renyi_divergence(before, order)) == pytest.approx(claim, rel=1e-9, abs=1e-12)
    assert float(kl_divergence(before)) == pytest.approx(
        sum(float(x) * math.log(x / y) for x, y in zip(p, q, strict=True)), rel=1e-9, abs=1e-12
    )
    assert total_variation(before) == sum(abs(x - y) for x, y in zip(p, q, strict=True)) / 2
    for divergence in (lambda f: renyi_divergence(f, order), kl_divergence, total_variation):
        assert float(divergence(after)) <= float(divergence(before)) * (1 + 1e-12) + 1e-15
