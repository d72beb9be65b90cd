import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ApproxDP, PoissonSampling, PureDP, SubsetSampling, TradeOff
from dalenius.guarantees.curves.polyline import IDENTITY, Polyline
from dalenius.guarantees.notions.tradeoff import response_polylines
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import gaussian_delta, number

THIRD = TradeOff([(0, 1), ("1/4", "1/4"), (1, 0)])  # randomized response with odds 3 : 1


def gauss(mu):
    return lambda alpha: float(ndtr(-ndtri(alpha) - mu))


@pytest.mark.theorem("A Prop 13.9", "A Rem 14.4", "A Def 13.2")
@pytest.mark.parametrize("growth", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4)])
def test_delta_is_the_hockey_stick(growth):
    truth = max(Fraction(0), Fraction(3, 4) - growth / 4)
    epsilon = math.log(growth)
    low, high = THIRD.delta_interval(epsilon)
    assert low - 1e-15 <= truth <= high + 1e-15


@pytest.mark.theorem("A Prop 13.9")
def test_printed_conjugate_at_e_to_minus_epsilon_is_no_delta():
    for epsilon in (0.0, 0.5, 1.0):
        printed = 1 + THIRD.floor.conjugate(Fraction(math.exp(-epsilon)))
        assert printed > 1
        assert 1 + THIRD.floor.conjugate(-Fraction(math.exp(epsilon))) == pytest.approx(THIRD.delta(epsilon), abs=1e-15)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.fractions(0, 4, max_denominator=20), st.fractions(0, 1, max_denominator=40)),
        min_size=1,
        max_size=4,
    )
)
@pytest.mark.theorem("A Prop 13.8", "A Prop 13.9")
def test_profile_to_function_to_profile_is_the_identity(pairs):
    f = TradeOff.of_profile(pairs)
    for epsilon, delta in pairs:
        assert f.delta(float(epsilon)) <= float(delta) + 1e-15
    again = TradeOff.of_profile([(e, f.delta(float(e))) for e, _ in pairs])
    for alpha in (0.0, 0.1, 0.35, 0.6, 0.9):
        truth = max(ApproxDP(e, d).beta(alpha) for e, d in pairs)
        assert f.beta(alpha) == pytest.approx(truth, abs=1e-14)
        assert again.beta(alpha) == pytest.approx(f.beta(alpha), abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), st.lists(st.integers(1, 9), min_size=3, max_size=3))
@pytest.mark.theorem("A Prop 13.9")
def test_a_function_is_the_supremum_of_its_tangents(a, b):
    f = TradeOff(Polyline.of_atoms((Fraction(x, sum(a)), Fraction(y, sum(b))) for x, y in zip(a, b, strict=True)))
    slopes = [q / p for p, q in f.floor.atoms() if p and q >= p]
    rebuilt = TradeOff.of_profile([(math.log(s), f.delta(math.log(s))) for s in slopes] + [(0, f.delta(0))])
    for alpha in (0.05, 0.3, 0.5, 0.8):
        assert rebuilt.beta(alpha) == pytest.approx(f.beta(alpha), abs=1e-12)


@pytest.mark.theorem("A Rem 13.3", "A Thm 3.4")
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0), ("0.3", "0.1"), (0, "0.2"), (2, 1), (40, 0)])
def test_lines_of_approximate_privacy(epsilon, delta):
    floor, ceiling = response_polylines(Fraction(epsilon), Fraction(delta))
    assert floor.below(ceiling)
    for alpha in (0.0, 0.01, 0.2, 0.5, 1.0):
        assert float(floor(alpha)) == pytest.approx(ApproxDP(epsilon, delta).beta(alpha), abs=1e-15)


@pytest.mark.theorem("A Ex 13.3", "A Prop 13.1")
@pytest.mark.parametrize("mu", [0.3, 1, 2])
def test_a_function_that_can_only_be_evaluated_is_enclosed(mu):
    f = TradeOff(gauss(mu))
    for epsilon in (0.0, 0.3, 1.0, 2.5):
        low, high = f.delta_interval(epsilon)
        assert low <= gaussian_delta(mu, epsilon) <= high
        assert high - low < 0.02
    for alpha in (0.001, 0.1, 0.5, 0.9):
        assert f.beta(alpha) <= GDP(mu).beta(alpha) <= float(f.ceiling(alpha)) + 1e-12
    low, high = f.epsilon_interval(1e-6)
    assert low <= GDP(mu).epsilon(1e-6) <= high < low * 1.02


@pytest.mark.theorem("A Thm 13.3", "A Lem 11", "A Prop 4.2", "A Def 13.4")
def test_groups_of_a_tabulated_gaussian():
    grouped = TradeOff(gauss(0.5)).group(2)
    low, high = grouped.delta_interval(1)
    assert low <= gaussian_delta(1, 1) <= high
    changed = TradeOff(gauss(0.5)).to(Relation.CHANGE_ONE)
    assert changed.relation is Relation.CHANGE_ONE
    assert changed.beta(0.2) == grouped.beta(0.2)


@pytest.mark.theorem("A Prop 13.1")
@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda a: 1 - a * a, "1 - alpha"),
        (lambda a: min(a, 1 - a) / 4, "increase"),
        (lambda a: 0.5 if a < 0.5 else 0.0, "convex"),
        (lambda a: float("nan"), r"\[0, 1\]"),
        (lambda a: -0.1, r"\[0, 1\]"),
    ],
)
def test_functions_that_are_no_trade_off_are_refused(f, reason):
    with pytest.raises(InvalidParameter, match=reason):
        TradeOff(f)


@pytest.mark.theorem("A Thm 13.4", "A Def 13.5")
@pytest.mark.parametrize("times", [1, 2, 5])
def test_tensor_power_of_a_response_is_optimal_composition(times):
    budget = math.log(3)
    for epsilon in (0.0, 0.5, 1.0, 2.5):
        assert THIRD.repeat(times).delta(epsilon) == pytest.approx(
            PureDP(budget).repeat(times).delta(epsilon), rel=1e-9, abs=1e-12
        )


@pytest.mark.theorem("A Thm 13.4")
def test_large_powers_go_through_losses():
    assert THIRD.repeat(100).epsilon(1e-6) == pytest.approx(PureDP(math.log(3)).repeat(100).epsilon(1e-6), rel=1e-5)


@pytest.mark.theorem("A Thm 13.4", "A Lem 12")
def test_exact_function_of_composed_responses():
    composed = PureDP("0.1").repeat(100)
    f = TradeOff.of_composition(composed)
    assert f.epsilon(1e-6) == pytest.approx(composed.epsilon(1e-6), rel=1e-9)
    assert f.epsilon_interval(1e-6)[0] == pytest.approx(4.774567588107986, rel=1e-12)
    leaky = TradeOff.of_composition(ApproxDP("0.1", "1e-3").repeat(10))
    assert leaky.delta(0.2) == pytest.approx(ApproxDP("0.1", "1e-3").repeat(10).delta(0.2), rel=1e-9)


@pytest.mark.theorem("A Def 13.6", "A Thm 13.7", "A Thm 14.3")
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_both_poisson_directions_lie_above_the_operator(rate):
    p, q = (Fraction(1, 4), Fraction(3, 4)), (Fraction(3, 4), Fraction(1, 4))
    mixed = [(1 - rate) * x + rate * y for x, y in zip(p, q, strict=True)]
    sampled = THIRD.amplify(PoissonSampling(rate)).floor
    assert sampled.below(Polyline.of_atoms(zip(p, mixed, strict=True)))
    assert sampled.below(Polyline.of_atoms(zip(mixed, p, strict=True)))


@pytest.mark.theorem("A Thm 14.3", "A Thm 13.7")
def test_larger_of_two_composed_directions_is_no_bound_for_change_one():
    """Randomized response ε₀ = 2, rate .1, two steps: one may go forth and the other back."""
    e, rate = mp.e**2, mp.mpf("0.1")
    p, q = (e / (1 + e), 1 / (1 + e)), (1 / (1 + e), e / (1 + e))
    mixed = [(1 - rate) * x + rate * y for x, y in zip(p, q, strict=True)]
    at = mp.e ** mp.mpf("0.411")

    def two_steps(first, second):
        return mp.fsum(
            max(mp.mpf(0), a * c - at * b * d)
            for a, b in zip(*first, strict=True)
            for c, d in zip(*second, strict=True)
        )

    forth, back = (p, mixed), (mixed, p)
    larger = max(two_steps(forth, forth), two_steps(back, back))
    truth = two_steps(forth, back)
    bound = TradeOff.of_profile([(2, 0)], Relation.CHANGE_ONE).amplify(SubsetSampling(1, 10)).repeat(2).delta(0.411)
    assert larger < truth < bound
    assert (float(larger), float(truth), bound) == pytest.approx((0.0167, 0.0274, 0.0381), abs=2e-4)


@pytest.mark.theorem("A Prop 13.6", "A Ex 13.7")
def test_renyi_of_a_polyline():
    assert THIRD.renyi(2) == pytest.approx(PureDP(math.log(3)).renyi(2), rel=1e-12)
    assert TradeOff.of_profile([(1, "0.1")]).renyi(2) == math.inf


@pytest.mark.theorem("A Prop 13.2", "A Rem 13.2")
def test_one_sided_functions_are_made_symmetric():
    one_sided = TradeOff([(0, "0.5"), ("0.5", "0.25"), (1, 0)])
    assert one_sided.floor == one_sided.floor.inverse()
    # f(α) = (1 − α)/2 and f⁻¹(α) = (1 − 2α)⁺, which cross at ⅓
    for alpha in (0.0, 0.1, 0.25, 1 / 3, 0.5, 0.8, 1.0):
        assert one_sided.beta(alpha) == pytest.approx(max((1 - alpha) / 2, 1 - 2 * alpha), abs=1e-12)


def test_floor_must_lie_below_ceiling():
    with pytest.raises(InvalidParameter):
        TradeOff.between(IDENTITY, THIRD.floor)


def test_no_epsilon_below_what_leaks():
    assert TradeOff.of_profile([(1, "0.1")]).epsilon(0.05) == math.inf
    assert TradeOff(IDENTITY).epsilon(0) == 0.0
    assert THIRD.epsilon(0) == pytest.approx(math.log(3))
    assert number(THIRD.epsilon(0)) >= mp.log(3)
