from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import LossDistribution, pairs
from dalenius.guarantees.loss.grouped import GroupedLoss
from dalenius.neighbors import Relation
from tests.guarantees.loss import loss_truth as truth

GAUSSIAN = LossDistribution.of(pairs.gaussian("0.25"))


@pytest.mark.parametrize("size", [1, 2, 3, 6])
@pytest.mark.parametrize("epsilon", ["0", "0.5", "2"])
def test_a_group_is_above_the_noise_that_far_apart(size, epsilon):
    low, high = GroupedLoss(GAUSSIAN, size, Relation.ADD_REMOVE).delta_interval(float(epsilon))
    with mp.workdps(40):
        true = truth.gaussian_delta(mp.mpf(size) / 2, mp.mpf(epsilon))
    assert low == 0.0
    assert true <= high <= 1


@pytest.mark.theorem("A Thm 13.3")
def test_the_rule_is_the_geometric_sum():
    epsilon, k = mp.mpf(2), 3
    one = truth.gaussian_delta(mp.mpf(1) / 2, epsilon / k)
    found = GroupedLoss(GAUSSIAN, k, Relation.ADD_REMOVE).delta(2.0)
    rule = one * mp.expm1(epsilon) / mp.expm1(epsilon / k)
    assert rule <= found <= rule * (1 + mp.mpf(10) ** -5)


@pytest.mark.theorem("A Thm 13.3")
def test_groups_of_groups_multiply_and_repeats_reach_the_base():
    grouped = GroupedLoss(GAUSSIAN, 2, Relation.ADD_REMOVE)
    assert grouped.group(3) == GroupedLoss(GAUSSIAN, 6, Relation.ADD_REMOVE)
    assert grouped.repeat(4).delta(1.0) == GroupedLoss(GAUSSIAN.repeat(4), 2, Relation.ADD_REMOVE).delta(1.0)
    assert grouped.repeat(4).delta(1.0) > grouped.delta(1.0)


def test_epsilon_undoes_delta():
    grouped = GroupedLoss(GAUSSIAN, 2, Relation.ADD_REMOVE)
    assert grouped.delta(grouped.epsilon(1e-3)) <= 1e-3
    assert grouped.delta(grouped.epsilon(1e-3) * 0.999) > 1e-3


def test_a_sampled_pair_has_no_better_rule():
    sampled = LossDistribution.of(pairs.laplace(1).sampled(Fraction(1, 10)))
    assert sampled.group(2) == GroupedLoss(sampled, 2, sampled.relation)
