from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ApproxDP, PureDP
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import between, hockey_stick, number, responses_delta


@pytest.mark.theorem("A Def 3.3", "A Thm 9.1")
@pytest.mark.parametrize("at", [0, 0.2, 0.8, 1.5])
def test_profile_is_that_of_the_leaky_response(at):
    assert between(ApproxDP(0.7, 0.01).delta_interval(at), responses_delta([0.7], at, [0.01]), 1e-13)


@pytest.mark.theorem("A Rem 3.1")
def test_special_cases():
    assert ApproxDP(0, 0.1).delta(0) == 0.1  # total variation
    assert ApproxDP(1, 0).epsilon(0) == PureDP(1).epsilon(0)
    assert ApproxDP(1, 0.1).epsilon(0.05) == float("inf")
    assert ApproxDP(1, 1).epsilon(1) == 0.0
    assert ApproxDP(0, 1).beta(0.3) == 0.0


@pytest.mark.theorem("A Prop 3.2")
@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_group_delta_is_the_sum_of_the_chain(size):
    epsilon, delta = number("0.3"), number("1e-6")
    truth = mp.fsum(delta * mp.e ** (i * epsilon) for i in range(size))
    group = ApproxDP("0.3", "1e-6").group(size)
    assert group.budget == Fraction(3, 10) * size
    assert truth <= float(group.slack) * (1 + 1e-15)
    assert float(group.slack) <= truth * (1 + mp.mpf(10) ** -12)


@pytest.mark.theorem("A Prop 3.2")
def test_group_rule_is_met_by_a_chain_of_laws():
    """Three laws, each (ε, δ)-close to the next: the ends are no further apart than the rule says, and not k·δ."""
    e, delta = mp.e ** mp.mpf("0.5"), mp.mpf("0.01")
    p0 = mp.mpf("0.1")
    p1 = e * p0 + delta
    p2 = e * p1 + delta
    rule = ApproxDP("0.5", "0.01").group(2)
    assert abs(p2 - (mp.e**1 * p0 + mp.mpf(rule.slack.numerator) / rule.slack.denominator)) < mp.mpf(10) ** -20
    assert p2 > mp.e**1 * p0 + 2 * delta


@settings(deadline=None)
@given(st.fractions(0, 5, max_denominator=100), st.fractions(0, 1, max_denominator=100), st.floats(0, 1))
@pytest.mark.theorem("A Thm 3.4", "A Rem 13.3")
def test_beta_is_the_largest_of_three_lines(epsilon, delta, alpha):
    e = mp.e ** (mp.mpf(epsilon.numerator) / epsilon.denominator)
    kept = 1 - mp.mpf(delta.numerator) / delta.denominator
    truth = max(mp.mpf(0), kept - e * number(repr(alpha)), (kept - number(repr(alpha))) / e)
    found = ApproxDP(epsilon, delta).beta(alpha)
    assert found <= truth + mp.mpf(10) ** -30
    assert found >= truth - mp.mpf(10) ** -14


def test_change_one_uses_the_group_rule():
    changed = ApproxDP(1, "1e-6").to(Relation.CHANGE_ONE)
    assert changed.budget == 2
    assert float(changed.slack) == pytest.approx(1e-6 * (1 + float(mp.e)), rel=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0), (1, -0.1), (1, 1.1), (float("nan"), 0), (1, float("nan"))])
def test_bad_parameters_are_refused(epsilon, delta):
    with pytest.raises(InvalidParameter):
        ApproxDP(epsilon, delta)


@pytest.mark.theorem("G approximate DP")
def test_gaussian_noise_needs_a_delta_and_pure_privacy_none():
    assert GDP(1).epsilon(0) == float("inf")
    assert GDP(1).delta_interval(30)[0] > 0
    assert PureDP(1).epsilon(0) == 1.0
    # by the printed integral, Φ(½ − ε) − e^ε Φ(−½ − ε) for noise of standard deviation Δ
    with mp.workdps(40):
        truth = mp.ncdf(-1.5) - mp.e**2 * mp.ncdf(-2.5)
    assert GDP(1).delta(2) == pytest.approx(float(truth), rel=1e-13)
    assert GDP(1).epsilon(float(truth)) == pytest.approx(2, rel=1e-5)


@pytest.mark.theorem("G choosing δ")
@pytest.mark.parametrize("n", [2, 10, 1000])
def test_publishing_a_random_row_passes_as_zero_one_over_n(n):
    """Rows 1..n, one of them changed: the laws differ by moving mass 1/n, so δ = 1/n is no protection of a row."""
    before = [Fraction(1, n)] * n + [Fraction(0)]
    after = [Fraction(0)] + [Fraction(1, n)] * n
    moved = sum(max(Fraction(0), x - y) for x, y in zip(before, after, strict=True))
    assert moved == Fraction(1, n)
    assert ApproxDP(0, Fraction(1, n), Relation.CHANGE_ONE).delta(0) >= float(moved)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(sum), min_size=4, max_size=4))
@pytest.mark.theorem("A Prop 3.1")
def test_any_random_map_of_a_leaky_response_keeps_epsilon_and_delta_and_an_invertible_one_changes_nothing(channel):
    guarantee = ApproxDP(1, "0.1")
    p, q = leaky(1, Fraction(1, 10))
    rows = [[mp.mpf(x) / sum(row) for x in row] for row in channel]
    made = [[mp.fsum(x * row[j] for x, row in zip(law, rows, strict=True)) for j in range(3)] for law in (p, q)]
    for epsilon in (0.0, 0.5, 1.0, 1.7):
        assert hockey_stick(*made, epsilon) <= guarantee.delta(epsilon) + 1e-14
        turned = hockey_stick(p[::-1], q[::-1], epsilon)
        assert turned == hockey_stick(p, q, epsilon) <= guarantee.delta(epsilon) + 1e-14
    assert hockey_stick(p, q, 1) == pytest.approx(guarantee.delta(1), abs=1e-12)


def leaky(epsilon, delta):
    """Four outcomes: the truth given away with probability δ, else a randomized response  [KOV15]."""
    kept, odds = 1 - mp.mpf(delta.numerator) / delta.denominator, mp.e**epsilon
    told = (1 - kept, kept * odds / (1 + odds), kept / (1 + odds), mp.mpf(0))
    return told, told[::-1]


@pytest.mark.theorem("A Thm 3.3")
@pytest.mark.parametrize(("first", "second"), [((1, "1/10"), (1, "1/20")), ((0, "1/5"), (2, "1/100"))])
def test_epsilons_and_deltas_add(first, second):
    """Both leaky responses, outcome by outcome: within the sums, and beyond what either alone allows."""
    laws = [leaky(epsilon, Fraction(delta)) for epsilon, delta in (first, second)]
    p, q = ([x * y for x in laws[0][side] for y in laws[1][side]] for side in (0, 1))
    composed = ApproxDP(*first).compose(ApproxDP(*second))
    total = first[0] + second[0]
    truth = hockey_stick(p, q, total)
    assert truth <= composed.delta(total) + 1e-14 <= float(Fraction(first[1]) + Fraction(second[1])) + 2e-14
    assert truth > max(float(Fraction(first[1])), float(Fraction(second[1])))
