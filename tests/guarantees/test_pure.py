import math
from fractions import Fraction

import mpmath as mp
import pytest
from guarantee_truth import between, equal_responses_delta, gaussian_delta, hockey_stick, number, renyi
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import GDP, ZCDP, Composition, PureDP
from dalenius.guarantees.pure import pure_to_mu, pure_to_rho
from dalenius.neighbors import Relation

budgets = st.fractions(0, 20, max_denominator=1000)


def response(epsilon):
    """Randomized response's two laws."""
    p = mp.e ** number(epsilon) / (1 + mp.e ** number(epsilon))
    return (p, 1 - p), (1 - p, p)


@pytest.mark.theorem("A Def 3.3", "D Def 1.1", "A Lem 1", "A Rem 3.3")
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3])
def test_profile_is_that_of_randomized_response(epsilon):
    p, q = response(epsilon)
    for at in (0, 0.3, 0.9, 2.5):
        assert between(PureDP(epsilon).delta_interval(at), hockey_stick(p, q, at), 1e-14)
    assert PureDP(epsilon).delta_interval(epsilon) == (0.0, 0.0)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.lists(st.integers(1, 50), min_size=6, max_size=6))
@pytest.mark.theorem("A Lem 1", "A Rem 3.3", "A §3.6 other properties")
def test_no_pair_with_bounded_ratio_exceeds_the_profile(weights, others):
    p = [Fraction(w, sum(weights)) for w in weights]
    q = [Fraction(w, sum(others[: len(p)])) for w in others[: len(p)]]
    largest = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
    guarantee = PureDP(Fraction(math.nextafter(math.log(largest), math.inf)) * (1 + Fraction(1, 2**50)))
    for at in (0.0, 0.1, 0.7):
        assert hockey_stick(
            [mp.mpf(x.numerator) / x.denominator for x in p], [mp.mpf(y.numerator) / y.denominator for y in q], at
        ) <= (guarantee.delta(at) + 1e-15)


@pytest.mark.theorem("A Rem 3.1")
def test_zero_is_perfect_privacy_and_a_huge_budget_is_none():
    assert PureDP(0).delta(0) == 0.0
    assert PureDP(0).beta(0.3) == 0.7
    assert PureDP(5000).delta(0) > 1 - 1e-12
    assert PureDP(5000).epsilon(0) == 5000


@settings(deadline=None)
@given(budgets, st.floats(1e-12, 0.4))
def test_epsilon_inverts_delta(budget, delta):
    guarantee = PureDP(budget)
    low, high = guarantee.epsilon_interval(delta)
    assert guarantee.delta(high) <= delta * (1 + 1e-15)
    assert low <= high <= float(budget) * (1 + 1e-15) + 1e-300
    if low > 0:
        assert guarantee.delta_interval(low)[1] >= delta


@pytest.mark.theorem("A Thm 3.3", "D Thm 1.3", "A Rem 10.1")
def test_ten_times_a_tenth_is_one():
    assert PureDP(0.1).repeat(10).epsilon(0) == 1.0
    assert PureDP(0.1).compose(*[PureDP(0.1)] * 9).epsilon(0) == 1.0
    assert PureDP(0.1).repeat(10).budget == 1


@pytest.mark.theorem("A Prop 3.2")
@pytest.mark.parametrize("size", [1, 2, 5])
def test_group_rule_is_attained_by_a_chain_of_laplace_shifts(size):
    # the loss between Laplace laws `size` apart is size·ε at the far end
    epsilon = Fraction(1, 3)
    assert PureDP(epsilon).group(size).budget == size * epsilon


@pytest.mark.theorem("A Prop 4.1")
def test_change_one_costs_twice_and_the_way_back_is_closed():
    assert PureDP(0.5).to(Relation.CHANGE_ONE) == PureDP(1, Relation.CHANGE_ONE)
    with pytest.raises(MixedRelations):
        PureDP(0.5, Relation.CHANGE_ONE).to(Relation.ADD_REMOVE)
    with pytest.raises(MixedRelations):
        PureDP(0.5).compose(PureDP(0.5, Relation.CHANGE_ONE))


@pytest.mark.theorem("A Thm 3.4", "A §13.1 power bound")
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
def test_no_test_of_randomized_response_beats_beta_and_one_meets_it(epsilon):
    (p, r), _ = response(epsilon)
    # rejecting on the answer "no" has level r and power p; mixing with always/never rejecting fills the rest
    assert PureDP(epsilon).beta(float(r)) == pytest.approx(float(1 - p), rel=1e-12)
    for share in (0.25, 0.5, 0.75):
        assert PureDP(epsilon).beta(float(share * r)) == pytest.approx(float(1 - share * p), rel=1e-12)
        level, miss = float(r + share * (1 - r)), float((1 - share) * (1 - p))
        assert PureDP(epsilon).beta(level) == pytest.approx(miss, rel=1e-12)


@pytest.mark.theorem("A §13.1 power bound")
def test_printed_power_bound_with_e_to_minus_alpha_is_beaten():
    (p, r), _ = response(1)
    printed = min(mp.e * r, 1 - mp.e**-r * (1 - r))
    assert p > printed + 0.25  # a test of level r has power p
    assert 1 - PureDP(1).beta(float(r)) >= p - 1e-12


@pytest.mark.theorem("A Thm 12.1")
@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
@pytest.mark.parametrize("order", [1.01, 1.5, 2, 7, 100])
def test_renyi_is_randomized_response_s_and_below_the_notes(epsilon, order):
    p, q = response(epsilon)
    truth = renyi(p, q, order)
    found = PureDP(epsilon).renyi(order)
    assert truth <= found <= truth * (1 + 1e-12)
    assert found <= order * epsilon**2 / 2
    assert found <= epsilon * (1 + 1e-15)


@pytest.mark.theorem("A Rem 12.1")
def test_limits_of_renyi_are_kl_and_the_largest_loss():
    p, q = response(2)
    kl = sum(x * mp.log(x / y) for x, y in zip(p, q, strict=True))
    assert kl <= PureDP(2).renyi(1) <= kl * (1 + 1e-12)
    assert PureDP(2).renyi(math.inf) == 2.0
    printed_order_one = sum(x * (x / y) for x, y in zip(p, q, strict=True))  # E_P[p/q], without the logarithm
    assert abs(printed_order_one - kl) > 1


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


def test_forms_for_filters():
    assert PureDP(1).sum_form == (1, 0)
    assert PureDP(1).concentrated_form.delta == 0
    assert float(PureDP(1).concentrated_form.rho) == pytest.approx(math.tanh(0.5))
    assert isinstance(PureDP(1).repeat(3), Composition)
    assert ZCDP(PureDP(1).concentrated_form.rho).renyi(1.5) >= PureDP(1).renyi(1.5)


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "x", True, None])
def test_bad_budgets_are_refused(bad):
    with pytest.raises(InvalidParameter):
        PureDP(bad)


@pytest.mark.parametrize("bad", [-1, 1.5, True, "2"])
def test_bad_counts_are_refused(bad):
    with pytest.raises(InvalidParameter):
        PureDP(1).repeat(bad)
    with pytest.raises(InvalidParameter):
        PureDP(1).group(bad)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_bad_deltas_and_levels_are_refused(bad):
    with pytest.raises(InvalidParameter):
        PureDP(1).epsilon(bad)
    with pytest.raises(InvalidParameter):
        PureDP(1).beta(bad)


def test_many_small_budgets_look_gaussian_but_are_bounded_exactly():
    assert between(PureDP("0.01").repeat(1000).delta_interval(1), equal_responses_delta("0.01", 1000, 1), 1e-12)
    assert PureDP("0.01").repeat(1000).delta(1) == pytest.approx(float(gaussian_delta(mp.sqrt(1000) / 100, 1)), rel=0.2)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), st.lists(st.integers(1, 9), min_size=3, max_size=3))
@pytest.mark.theorem("D Rem 1.2", "S Def 2.4", "L §2.2 pure privacy", "D Def 1.1")
def test_single_outputs_decide_for_countable_ranges(a, b):
    """max over outputs of the log ratio, in both orders, is the least ε for every event too."""
    p, q = [Fraction(x, sum(a)) for x in a], [Fraction(y, sum(b)) for y in b]
    points = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
    for mask in range(1, 8):
        x = sum((w for i, w in enumerate(p) if mask >> i & 1), Fraction(0))
        y = sum((w for i, w in enumerate(q) if mask >> i & 1), Fraction(0))
        assert x <= points * y
        assert y <= points * x


@pytest.mark.theorem("S Def 2.4")
def test_the_printed_strict_inequality_is_missed_by_randomized_response():
    p, q = Fraction(3, 4), Fraction(1, 4)
    assert p / q == 3  # attained: with < it would not be log 3-DP
    assert PureDP(math.log(3)).delta(math.log(3)) == 0.0


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 9), min_size=4, max_size=4), st.lists(st.integers(1, 9), min_size=4, max_size=4))
@pytest.mark.theorem("D Thm 1.4")
def test_a_function_of_the_output_costs_nothing_more(a, b):
    p, q = [Fraction(x, sum(a)) for x in a], [Fraction(y, sum(b)) for y in b]
    before = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
    merged = [(p[0] + p[2], q[0] + q[2]), (p[1] + p[3], q[1] + q[3])]
    assert max(max(x / y, y / x) for x, y in merged) <= before
