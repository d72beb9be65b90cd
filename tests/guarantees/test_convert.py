"""Closed-form notions through the engine of loss distributions."""

import math
from fractions import Fraction

import pytest

from dalenius.errors import MixedRelations
from dalenius.guarantees import (
    GDP,
    ZCDP,
    ApproxDP,
    LossDistribution,
    PoissonSampling,
    PureDP,
    RenyiDP,
    SubsetSampling,
    TradeOff,
)
from dalenius.guarantees.curves.sampled_curves import PoissonGaussianCurve, SubsetGaussianCurve
from dalenius.neighbors import Relation


@pytest.mark.theorem("A Thm 14.2", "A Def 14.2")
@pytest.mark.parametrize(
    "guarantee",
    [
        PureDP(1),
        ApproxDP(1, "0.01"),
        GDP(1),
        GDP(0),
        PureDP("0.1").repeat(20),
        TradeOff([(0, 1), ("1/4", "1/4"), (1, 0)]),
    ],
)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 0.9])
def test_dominating_pairs_have_the_closed_form_s_profile(guarantee, epsilon):
    low, high = guarantee.loss().delta_interval(epsilon)
    closed = guarantee.delta_interval(epsilon)
    assert low <= closed[1]
    assert closed[0] <= high
    assert high - low <= 1e-5 * high + 1e-12


@pytest.mark.theorem("A Thm 14.2")
def test_unlike_notions_compose_through_pairs_in_any_order():
    parts = [PureDP("0.1"), GDP("0.5"), ApproxDP("0.1", "1e-8")]
    found = [parts[i].compose(*(parts[j] for j in range(3) if j != i)).epsilon_interval(1e-6) for i in range(3)]
    for low, high in found:
        assert low <= min(high for _, high in found)
        assert high - low <= 1e-6 * high
    assert found[0][1] < PureDP("0.1").epsilon() + GDP("0.5").epsilon(9e-7) + 0.1
    assert found[0][0] > GDP("0.5").epsilon(1e-6)


@pytest.mark.theorem("A Thm 14.3", "A Rem 11.6", "A Rem 14.6")
def test_sampled_gaussian_is_certified():
    low, high = GDP(1 / 1.1).amplify(PoissonSampling(256 / 60000)).repeat(14062).epsilon_interval(1e-5)
    assert low <= 2.381597 * (1 + 1e-6)
    assert high >= 2.381597 * (1 - 1e-6)
    assert high - low <= 1e-6 * high


@pytest.mark.theorem("A Thm 13.7", "A Rem 11.5")
def test_rényi_of_the_sampled_gaussian_stays_above_its_loss():
    for relation, sampling, curve in (
        (Relation.ADD_REMOVE, PoissonSampling(Fraction(1, 100)), PoissonGaussianCurve),
        (Relation.CHANGE_ONE, SubsetSampling(1, 100), SubsetGaussianCurve),
    ):
        exact = GDP("0.5", relation).amplify(sampling).repeat(1000)
        bound = RenyiDP(curve(Fraction(1, 100), Fraction(1, 4)), relation).repeat(1000)
        assert exact.epsilon_interval(1e-6)[0] < bound.epsilon(1e-6) < 1.15 * exact.epsilon(1e-6)


@pytest.mark.theorem("A Thm 11.3")
def test_theorem_without_constants_overclaims_with_constants_one():
    rate, steps, epsilon, delta = 0.01, 10**4, 1.0, 1e-5
    sigma = rate * math.sqrt(steps * math.log(1 / delta)) / epsilon
    truth = GDP(1 / sigma).amplify(PoissonSampling(rate)).repeat(steps).delta_interval(epsilon)[0]
    assert truth > 5 * delta


def test_rényi_only_parts_take_the_rest_along():
    assert isinstance(GDP(1).compose(ZCDP(1)), RenyiDP)
    assert isinstance(GDP(1).compose(PureDP(1)), LossDistribution)
    assert isinstance(GDP(1).loss().compose(RenyiDP({2: 1})), RenyiDP)


def test_sampling_does_not_cross_relations():
    with pytest.raises(MixedRelations):
        GDP(1).amplify(SubsetSampling(1, 10))
    with pytest.raises(MixedRelations):
        GDP(1, Relation.CHANGE_ONE).amplify(PoissonSampling(0.1))
