import math
from fractions import Fraction
from itertools import combinations

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import ApproxDP, LossDistribution, PoissonSampling, PureDP, SubsetSampling, TradeOff
from dalenius.guarantees.loss import laplace
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import hockey_stick, number


def sampled_response(epsilon, rate):
    """Randomized response on one bit if it is in the sample, a fair coin's worth of nothing (answer 0's law) if not."""
    p = mp.e ** number(epsilon) / (1 + mp.e ** number(epsilon))
    out, inside = (1 - p, p), (p, 1 - p)
    return tuple(number(rate) * x + (1 - number(rate)) * y for x, y in zip(inside, out, strict=True)), out


@pytest.mark.theorem("A Prop 11.1", "A Alg 6", "A Def 14.3")
@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
@pytest.mark.parametrize("rate", ["0.01", "0.5", "0.99"])
def test_amplified_epsilon_is_attained(epsilon, rate):
    with_unit, without = sampled_response(epsilon, rate)
    truth = mp.log(with_unit[0] / without[0])
    found = PureDP(epsilon).amplify(PoissonSampling(rate))
    assert truth <= found.epsilon(0) <= truth * (1 + mp.mpf(10) ** -12)
    assert hockey_stick(with_unit, without, found.epsilon(0)) < mp.mpf(10) ** -15
    # and the largest loss of a sampled Laplace mechanism is the same number
    largest, none = LossDistribution.of(laplace(Fraction(repr(epsilon)))).amplify(PoissonSampling(rate)).sum_form
    assert truth <= float(largest) * (1 + 1e-15) <= truth * (1 + mp.mpf(10) ** -12)
    assert none == 0


@pytest.mark.theorem("A §11.1 approximate case", "A Rem 13.10")
def test_printed_q_times_epsilon_leaks():
    with_unit, without = sampled_response(10, "0.01")
    assert hockey_stick(with_unit, without, 0.01 * 10) > 0.005  # a claim of qε = 0.1 is false
    found = PureDP(10).amplify(PoissonSampling(0.01)).epsilon(0)
    assert found == pytest.approx(5.40, abs=0.01)
    assert PureDP(1).amplify(PoissonSampling(0.01)).epsilon(0) == pytest.approx(0.0170, abs=1e-4)
    assert PureDP(5).amplify(PoissonSampling(0.01)).epsilon(0) == pytest.approx(0.906, abs=1e-3)


@pytest.mark.theorem("A Prop 11.1", "A Rem 11.1", "A Rem 13.10")
@settings(deadline=None)
@given(st.fractions(0, 1, max_denominator=1000))
def test_amplified_one_is_below_two_q(rate):
    found = PureDP(1).amplify(PoissonSampling(rate)).budget
    assert rate <= found <= rate * Fraction(171829, 100000) <= 2 * rate


@pytest.mark.theorem("A Rem 11.1")
@pytest.mark.parametrize("c", [1, 2, 4])
def test_sampling_at_epsilon_over_e_to_the_c_gives_epsilon(c):
    assert PureDP(c).amplify(PoissonSampling(0.1 * math.exp(-c))).epsilon(0) <= 0.1


@pytest.mark.theorem("A §11.1 approximate case")
@pytest.mark.parametrize("rate", [0, "0.2", 1])
def test_delta_is_scaled_by_the_rate(rate):
    found = ApproxDP(1, "0.01").amplify(PoissonSampling(rate))
    assert found.slack == Fraction(rate) / 100
    assert rate != 1 or found == ApproxDP(1, "0.01")
    assert rate != 0 or found == ApproxDP(0, 0)


@pytest.mark.theorem("A Cor 13.2", "A Thm 13.7")
@pytest.mark.parametrize(("epsilon", "delta", "rate"), [("1", "0.1", "0.5"), ("0.5", "0", "0.2"), ("2", "0.01", "0.9")])
def test_pair_lies_below_the_sharper_subsampling_operator(epsilon, delta, rate):
    sampling = SubsetSampling(int(Fraction(rate) * 10), 10)
    pair = ApproxDP(epsilon, delta, Relation.CHANGE_ONE).amplify(sampling)
    sharp = TradeOff.of_profile([(epsilon, delta)], Relation.CHANGE_ONE).amplify(sampling)
    e = mp.e ** number(epsilon)
    for alpha in (0.01, 0.1, 0.3, 0.5, 0.8):
        assert pair.beta(alpha) <= sharp.beta(alpha) + 1e-15
        line = 1 - number(rate) * (e - 1 + 2 * number(delta)) / (e + 1) - number(alpha)
        assert sharp.beta(alpha) == pytest.approx(float(max(number(pair.beta(alpha)), line)), abs=1e-14)


@pytest.mark.theorem("A Cor 13.2")
def test_printed_line_of_cor_13_2_is_too_low():
    sharp = TradeOff.of_profile([(1, "0.1")], Relation.CHANGE_ONE).amplify(SubsetSampling(5, 10))
    alpha = 0.35
    printed = 1 - 0.05 - 0.5 * math.expm1(1) / (math.e + 1) - alpha
    assert sharp.beta(alpha) > printed + 0.02
    assert 1 - 0.05 - 0.5 * math.expm1(1) / (math.e + 1) == pytest.approx(0.719, abs=1e-3)
    assert 1 - 0.5 * (math.e - 1 + 0.2) / (math.e + 1) == pytest.approx(0.742, abs=1e-3)


@pytest.mark.theorem("A Thm 14.3")
def test_sampling_and_relation_do_not_cross():
    with pytest.raises(MixedRelations):
        PureDP(1, Relation.CHANGE_ONE).amplify(PoissonSampling(0.1))
    with pytest.raises(MixedRelations):
        PureDP(1).amplify(SubsetSampling(1, 10))


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), True, "x"])
def test_bad_rates_are_refused(bad):
    with pytest.raises(InvalidParameter):
        PoissonSampling(bad)


@pytest.mark.parametrize("bad", [(2, 1), (-1, 5), (0, 0), (1.0, 5), (True, 5)])
def test_bad_subsets_are_refused(bad):
    with pytest.raises(InvalidParameter):
        SubsetSampling(*bad)


def test_huge_budgets_do_not_overflow():
    assert PureDP(10**5).amplify(PoissonSampling("1e-9")).epsilon(0) == pytest.approx(10**5 + math.log(1e-9))


@pytest.mark.theorem("A Def 14.3")
def test_rates_are_the_chance_to_be_in_the_sample_by_counting_subsets():
    for size, total in ((0, 3), (1, 4), (2, 5), (3, 3)):
        subsets = list(combinations(range(total), size))
        for unit in range(total):
            assert Fraction(sum(unit in chosen for chosen in subsets), len(subsets)) == SubsetSampling(size, total).rate
    assert SubsetSampling(2, 5).relation is Relation.CHANGE_ONE
    rate = PoissonSampling("0.3").rate
    kept = {
        chosen: rate ** len(chosen) * (1 - rate) ** (4 - len(chosen))
        for k in range(5)
        for chosen in combinations(range(4), k)
    }
    assert sum(kept.values()) == 1
    for unit in range(4):
        assert sum(mass for chosen, mass in kept.items() if unit in chosen) == rate
