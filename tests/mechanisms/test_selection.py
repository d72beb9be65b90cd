import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics, MixedRelations, UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms.calibrate import calibrate
from dalenius.mechanisms.exponential import Exponential
from dalenius.mechanisms.noisy_max import LaplaceNoisyMax
from dalenius.mechanisms.selection import MonotoneUtilities, counted, level, whole_scores
from dalenius.mechanisms.target import meets
from dalenius.mechanisms.top_k import SELECTIONS
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from tests.noise.seeded import SeededBits

ONE = Sensitivity(1, Metric.LINF)
KINDS = pytest.mark.parametrize("kind", SELECTIONS, ids=lambda kind: kind.name)


class NoBits(Bits):
    """Refuses to be drawn from."""

    def octets(self, size):
        raise AssertionError("a draw before the refusal")

    def integer(self, width):
        raise AssertionError("a draw before the refusal")


@KINDS
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 7])
def test_calibration_meets_the_target_exactly(kind, epsilon):
    mechanism = calibrate(kind, Sensitivity(3, Metric.LINF), epsilon=epsilon)
    assert mechanism.guarantee(Sensitivity(3, Metric.LINF)).budget == epsilon
    assert mechanism.scale == Fraction(3 if issubclass(kind, MonotoneUtilities) else 6) / epsilon


@KINDS
def test_twice_the_noise_costs_half(kind):
    assert kind(Fraction(3)).scaled(2) == kind(Fraction(6))
    assert kind(Fraction(6)).guarantee(ONE).budget * 2 == kind(Fraction(3)).guarantee(ONE).budget


@KINDS
@pytest.mark.theorem("A §5.1 report noisy max")
def test_monotone_types_are_for_add_remove_and_the_others_cost_twice_as_much(kind):
    if issubclass(kind, MonotoneUtilities):
        assert kind(Fraction(2)).guarantee(ONE).budget == Fraction(1, 2)
        with pytest.raises(MixedRelations, match="any utilities"):
            kind(Fraction(2)).guarantee(ONE, Relation.CHANGE_ONE)
        with pytest.raises(MixedRelations):
            kind.least(ONE, PureDP(1, Relation.CHANGE_ONE))
    else:
        assert kind(Fraction(2)).guarantee(ONE, Relation.CHANGE_ONE).budget == 1
        assert kind(Fraction(2)).guarantee(ONE, Relation.CHANGE_ONE).relation is Relation.CHANGE_ONE


@KINDS
@pytest.mark.parametrize("metric", [Metric.L1, Metric.L2, Metric.UNITS])
def test_a_sensitivity_in_another_metric_is_refused(kind, metric):
    with pytest.raises(MixedMetrics):
        kind(Fraction(1)).guarantee(Sensitivity(1, metric))


@KINDS
@pytest.mark.parametrize("scale", [0, -1, math.nan, math.inf, "x", True])
def test_a_scale_that_is_no_positive_number_is_refused(kind, scale):
    with pytest.raises(InvalidParameter):
        kind(scale)


@KINDS
@pytest.mark.parametrize("epsilon", [0, -1, math.nan])
def test_an_epsilon_that_is_no_positive_number_is_refused(kind, epsilon):
    with pytest.raises(InvalidParameter):
        calibrate(kind, ONE, epsilon=epsilon)


@KINDS
def test_no_noise_is_made_for_utilities_that_nobody_moves(kind):
    with pytest.raises(InvalidParameter, match="no noise"):
        kind.least(Sensitivity(0, Metric.LINF), PureDP(1))


@KINDS
@pytest.mark.parametrize("target", [ZCDP("1/8"), ApproxDP(1, 1e-3), GDP(1)], ids=repr)
def test_a_target_of_another_notion_is_met_and_a_little_less_noise_does_not(kind, target):
    mechanism = kind.least(ONE, target)
    assert meets(mechanism.guarantee(ONE), target, kind.name)
    assert not meets(mechanism.scaled(1 - Fraction(1, 2**35)).guarantee(ONE), target, kind.name)


def test_the_exponential_mechanism_needs_half_the_noise_of_another_at_the_same_zcdp():
    # a range of ε costs ε²/8 where a pure mechanism costs about ε²/2
    assert float(calibrate(Exponential, ONE, rho="1/800").scale) == pytest.approx(2 / 0.1, rel=1e-9)
    assert calibrate(LaplaceNoisyMax, ONE, rho="1/800").scale > 1.99 * calibrate(Exponential, ONE, rho="1/800").scale


@KINDS
def test_a_notion_without_a_rule_is_refused(kind):
    with pytest.raises(UnprovenClaim, match="BoundedRange"):
        kind.least(ONE, BoundedRange(1).repeat(2))


BAD = [[], [0.5], [math.nan], [math.inf], ["a"], [True], [[1, 2]], None, 3, "12", np.array([0.5]), np.array([])]


@KINDS
@pytest.mark.parametrize("scores", BAD, ids=repr)
def test_scores_that_are_no_whole_numbers_are_refused_before_any_draw_and_without_being_named(kind, scores):
    with pytest.raises(InvalidParameter, match="scores must") as refusal:
        kind(Fraction(1)).release(scores, NoBits())
    assert "0.5" not in str(refusal.value)
    assert "nan" not in str(refusal.value)


@KINDS
def test_one_candidate_is_always_chosen_and_an_index_is_a_plain_integer(kind):
    chosen = kind(Fraction(1)).release([7], Bits())
    assert chosen == 0
    assert type(chosen) is int


@KINDS
def test_scores_of_any_size_need_no_care(kind):
    assert kind(Fraction(1)).release([0, 10**400, -(10**400)], Bits()) == 1
    assert kind(Fraction(1)).release(np.array([2**63 - 1, -(2**63)]), Bits()) == 0
    assert {kind(Fraction(1)).release([2**62, 2**62], Bits()) for _ in range(200)} == {0, 1}


@KINDS
def test_only_differences_of_scores_matter(kind):
    scores = [0, 3, 1, 2]
    for seed in range(30):
        here = kind(Fraction(2)).release(scores, SeededBits(seed))
        assert kind(Fraction(2)).release([s + 10**9 for s in scores], SeededBits(seed)) == here


@KINDS
@pytest.mark.parametrize("beta", [0, -0.1, 1.1, math.nan])
def test_a_level_that_cannot_be_met_is_refused(kind, beta):
    with pytest.raises(InvalidParameter, match="beta"):
        kind(Fraction(1)).accuracy(beta, 5)


@KINDS
def test_one_candidate_never_errs(kind):
    assert kind(Fraction(3)).accuracy(0.01, 1) == 0
    assert kind(Fraction(3)).expected_gap(1) == 0


def test_counts_and_levels_are_checked():
    assert counted(5, 2) == (5, 2)
    assert level("0.05") == Fraction(1, 20)
    for bad in [(0, 1), (3, 0), (3, 4), (True, 1), (2.5, 1)]:
        with pytest.raises(InvalidParameter):
            counted(*bad)


def test_whole_numbers_of_any_kind_are_scores():
    for scores in ([1, 2], (1, 2), range(1, 3), np.array([1, 2], np.uint8), [np.int64(1), 2]):
        assert whole_scores(scores) == (1, 2)
