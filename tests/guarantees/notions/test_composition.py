import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.guarantees import ApproxDP, Composition, PoissonSampling, PureDP
from dalenius.guarantees.guarantee import Part
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import between, equal_responses_delta, responses_delta

GOLDEN = {
    # (ε₀, k, δ): ε, from mpmath bisection of the binomial sum
    ("0.1", 100, "1e-6"): 4.774567588107986,
}


@pytest.mark.theorem("A Rem 10.1", "A Def 10.1")
@pytest.mark.parametrize(("each", "times", "delta"), GOLDEN)
def test_golden_epsilons(each, times, delta):
    assert between(PureDP(each).repeat(times).epsilon_interval(float(delta)), GOLDEN[each, times, delta], 1e-10)


@pytest.mark.parametrize(("each", "times"), [("0.1", 100), ("1", 7), ("0.003", 400), ("5", 3), ("0.5", 1)])
@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 0.999])
def test_equal_budgets_are_the_binomial_sum(each, times, share):
    epsilon = float(each) * times * share
    assert between(
        PureDP(each).repeat(times).delta_interval(epsilon), equal_responses_delta(each, times, repr(epsilon)), 1e-12
    )


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(["0.1", "0.25", "0.5", "1.3"]), min_size=2, max_size=8),
    st.floats(0, 3),
)
@pytest.mark.theorem("A Thm 10.2", "A Thm 3.3")
def test_unequal_budgets_on_a_common_step_are_exact(budgets, epsilon):
    composed = PureDP(budgets[0]).compose(*map(PureDP, budgets[1:]))
    truth = responses_delta(budgets, repr(epsilon))
    low, high = composed.delta_interval(epsilon)
    assert low - 1e-50 <= truth <= high + 1e-50
    assert high - low <= 1e-9 * high + 1e-290


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(0.01, 1.5), min_size=2, max_size=8, unique=True), st.floats(0, 2))
@pytest.mark.theorem("A Thm 10.2")
def test_unequal_budgets_without_one_are_enclosed(budgets, epsilon):
    composed = PureDP(budgets[0]).compose(*map(PureDP, budgets[1:]))
    truth = responses_delta([repr(b) for b in budgets], repr(epsilon))
    low, high = composed.delta_interval(epsilon)
    assert low - 1e-50 <= truth <= high + 1e-50
    assert high - low <= 1e-3 * high + 1e-9


@pytest.mark.theorem("A Thm 10.2")
def test_many_unequal_budgets_agree_with_equal_ones_nearby():
    """50 × 0.1 + 50 × 0.1000001… must lie between 100 × either."""
    mixed = PureDP("0.1").repeat(50).compose(PureDP("0.1000001234567").repeat(50))
    low, high = mixed.epsilon_interval(1e-6)
    assert PureDP("0.1").repeat(100).epsilon_interval(1e-6)[0] <= high
    assert low <= PureDP("0.1000001234567").repeat(100).epsilon(1e-6)
    assert high - low < 2e-5


@pytest.mark.theorem("A Thm 10.2")
@pytest.mark.parametrize("second", ["0.2", "0.1234567890123"])  # on a common step with 0.1, and not
@pytest.mark.parametrize("epsilon", ["0", "0.7", "3", "6.5"])
def test_two_kinds_of_many_are_the_double_binomial_sum(second, epsilon):
    times = 40
    laws = []
    for each in (mp.mpf("0.1"), mp.mpf(second)):
        p = 1 / (1 + mp.e**-each)
        laws.append(
            [((2 * i - times) * each, mp.binomial(times, i) * p**i * (1 - p) ** (times - i)) for i in range(times + 1)]
        )
    at = mp.mpf(epsilon)
    truth = mp.fsum(p * q * max(mp.mpf(0), -mp.expm1(at - a - b)) for a, p in laws[0] for b, q in laws[1])
    low, high = PureDP("0.1").repeat(times).compose(PureDP(second).repeat(times)).delta_interval(float(epsilon))
    assert low <= truth <= high
    assert high - low <= (1e-9 if second == "0.2" else 1e-4) * high


def test_large_counts_of_two_kinds_are_enclosed_by_their_equal_neighbors():
    mixed = PureDP("0.001").repeat(500_000).compose(PureDP("0.00100000007").repeat(500_000))
    low, high = mixed.epsilon_interval(1e-6)
    assert PureDP("0.001").repeat(10**6).epsilon_interval(1e-6)[0] <= high
    assert low <= PureDP("0.00100000007").repeat(10**6).epsilon(1e-6)
    assert high / low < 1.01


@pytest.mark.parametrize("times", [10**4, 10**6, 10**9])
def test_counts_to_a_billion_tend_to_the_gaussian(times):
    each = Fraction(1, math.isqrt(times))
    low, high = PureDP(each).repeat(times).epsilon_interval(1e-6)
    assert high - low <= 1e-6 * high
    assert high == pytest.approx(4.886554117, rel=30 / math.sqrt(times))


@pytest.mark.theorem("A Thm 3.3", "A Def 3.3")
@pytest.mark.parametrize("epsilon", [0, 0.1, 0.4, 0.7])
def test_deltas_compose_as_the_chance_that_none_leaks(epsilon):
    composed = ApproxDP("0.2", "0.01").repeat(2).compose(ApproxDP("0.3", "0.001"))
    assert between(
        composed.delta_interval(epsilon),
        responses_delta(["0.2", "0.2", "0.3"], epsilon, ["0.01", "0.01", "0.001"]),
        1e-9,
    )
    assert composed.slack == Fraction(21, 1000)
    assert composed.budget == Fraction(7, 10)
    assert composed.delta(0.7) <= float(composed.slack)


def test_below_what_leaks_there_is_no_epsilon():
    composed = ApproxDP(0.1, 1e-3).repeat(10)
    assert composed.epsilon_interval(1e-3) == (math.inf, math.inf)
    assert composed.epsilon(0.02) < 1


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 60), st.fractions(Fraction(1, 100), 2, max_denominator=100), st.floats(1e-12, 0.3))
@pytest.mark.theorem("A Thm 3.3", "A Rem 10.1")
def test_optimal_composition_is_never_above_the_sum_and_inverts(times, each, delta):
    composed = PureDP(each).repeat(times)
    low, high = composed.epsilon_interval(delta)
    assert high <= float(each) * times * (1 + 1e-12)
    assert composed.delta(high) <= math.nextafter(delta, 1.0)  # δ as a float may round up by one
    assert low == 0 or composed.delta_interval(low)[1] > delta * (1 - 1e-9)


def test_order_and_grouping_do_not_matter():
    a, b, c = PureDP("0.1"), ApproxDP("0.2", "1e-9"), PureDP("0.3")
    assert a.compose(b, c) == c.compose(b).compose(a) == a.compose(b.compose(c))
    assert a.repeat(3).compose(a) == a.repeat(4) == a.repeat(2).repeat(2)
    assert a.repeat(1) == a
    assert a.repeat(0) == PureDP(0)
    assert b.repeat(0) == PureDP(0)


def test_a_leak_for_sure_is_no_privacy():
    assert ApproxDP(1, 1).repeat(2).delta_interval(100) == (1.0, 1.0)


def test_zero_budgets_drop_out():
    assert PureDP(0).compose(PureDP(1)) == PureDP(1)


def test_group_goes_part_by_part():
    composed = PureDP("0.1").repeat(5).group(3)
    assert composed == PureDP("0.3").repeat(5)


def test_change_one_doubles_each_part():
    assert PureDP("0.1").repeat(5).to(Relation.CHANGE_ONE) == PureDP("0.2", Relation.CHANGE_ONE).repeat(5)


def test_amplified_composition_mixes_the_profile():
    """One sample for all parts: δ'(log(1 + q(e^ε − 1))) = q·δ(ε) in the removing direction."""
    composed, rate = PureDP("0.1").repeat(100), 0.1
    sampled = composed.amplify(PoissonSampling(rate))
    for epsilon in (1.0, 3.0):
        at = math.log1p(rate * math.expm1(epsilon))
        assert sampled.delta(at) == pytest.approx(rate * composed.delta(epsilon), rel=1e-9)


def test_renyi_adds():
    assert PureDP(1).repeat(5).renyi(3) == pytest.approx(5 * PureDP(1).renyi(3))
    assert ApproxDP(1, 0.1).repeat(5).renyi(3) == math.inf


def test_prints_a_sentence():
    text = str(PureDP(0.1).repeat(100))
    assert "4.77457" in text
    assert "add-remove" in text
    assert "optimal composition" in text


def test_parts_are_kept_as_a_multiset():
    composed = PureDP(0.1).compose(PureDP(0.2), PureDP(0.1))
    assert isinstance(composed, Composition)
    assert composed.parts == (Part(Fraction(1, 10), Fraction(0), 2), Part(Fraction(1, 5), Fraction(0), 1))


@pytest.mark.parametrize(("each", "times"), [(50, 1000), (1000, 3), (20, 40)])
def test_huge_budgets_stay_below_their_sum(each, times):
    low, high = PureDP(each).repeat(times).epsilon_interval(1e-6)
    assert low <= high <= each * times
    assert high == pytest.approx(each * times, rel=1e-3)


def test_tiny_deltas():
    low, high = PureDP(0.001).repeat(10**6).epsilon_interval(1e-100)
    assert low <= high <= low * (1 + 1e-9)
    assert float(mp.mpf(high)) > 20
