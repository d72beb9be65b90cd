from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.mechanisms import (
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Geometric,
    GumbelNoisyMax,
    IntervalExponential,
    Laplace,
    Mechanism,
    MonotonePermuteAndFlip,
    MonotoneSparseVector,
    PartitionSelection,
    Quantile,
    RandomizedResponse,
    SparseVector,
    TopK,
    TruncatedLaplace,
    TunedResponse,
    calibrate,
)
from dalenius.neighbors import Metric, Relation, Sensitivity

POSITIVE = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)


@given(POSITIVE, POSITIVE)
def test_the_target_is_met_exactly_so_no_noise_is_wasted(value, epsilon):
    sensitivity = Sensitivity(value, Metric.L1)
    assert calibrate(Geometric, sensitivity, epsilon=epsilon).guarantee(sensitivity).sum_form == (epsilon, 0)


@pytest.mark.theorem("A Rem 3.5")
def test_scale_grows_with_sensitivity_and_falls_with_epsilon():
    assert calibrate(Geometric, Sensitivity(6, Metric.L1), epsilon=2).scale == 3
    assert calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=0.1).scale == 10


@pytest.mark.parametrize(
    "words",
    [
        {"delta"},
        {"epsilon", "rho"},
        {"epsilon", "mu"},
        {"mu", "rho"},
        {"error"},
        {"beta"},
        {"epsilon", "error", "beta"},
    ],
)
def test_words_that_are_no_one_target_are_refused_by_name(words):
    with pytest.raises(InvalidParameter, match=f"one target.*{', '.join(sorted(words))}"):
        calibrate(Geometric, Sensitivity(1, Metric.L1), **dict.fromkeys(words, 0.1))


@pytest.mark.parametrize("kind", [Geometric, Laplace, Gaussian, DiscreteGaussian])
@pytest.mark.parametrize(("error", "beta"), [(3, 0.05), (100, 1e-6), (0.5, 0.5)])
def test_an_error_target_takes_the_most_noise_that_errs_no_more(kind, error, beta):
    mechanism = calibrate(kind, Sensitivity(1, Metric.L2 if kind is Gaussian else Metric.L1), error=error, beta=beta)
    assert mechanism.accuracy(beta) <= error
    assert type(mechanism)(mechanism.scale * (1 + Fraction(1, 2**30))).accuracy(beta) > error


@pytest.mark.parametrize(
    "bad",
    [
        {"epsilon": 1, "delta": -0.1},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "delta": float("nan")},
        {"rho": 0},
        {"mu": -1},
        {"error": 0, "beta": 0.1},
        {"error": 1, "beta": 0},
        {"error": 1, "beta": 1},
    ],
)
def test_a_target_outside_its_range_is_refused_by_name(bad):
    with pytest.raises(InvalidParameter, match="|".join(bad)):
        calibrate(Gaussian, Sensitivity(1, Metric.L2), **bad)


def test_a_mechanism_with_no_rule_for_errors_says_so():
    with pytest.raises(UnprovenClaim, match="error"):
        Mechanism.within.__func__(Mechanism, Sensitivity(1, Metric.L1), Fraction(1), Fraction(1, 2))


ONE = Sensitivity(1, Metric.LINF)
KEPT = [
    (TopK(GumbelNoisyMax(1), k=3), ONE),
    (TopK(MonotonePermuteAndFlip(7), k=2), ONE),
    (SparseVector(3, 5, cutoff=4), ONE),
    (MonotoneSparseVector(1, 1, cutoff=2), ONE),
    (IntervalExponential(1, -5, 5, 77), ONE),
    (Exponential(3, (Fraction(1), Fraction(2))), ONE),
    (Quantile(1, Fraction(9, 10), -5, 5), Sensitivity(3, Metric.L1)),
    (Geometric(2), Sensitivity(3, Metric.L1)),
    (Laplace(2), Sensitivity(1, Metric.L1)),
    (TunedResponse(2, 5), Sensitivity(2, Metric.UNITS)),
]


@pytest.mark.parametrize(("mechanism", "sensitivity"), KEPT, ids=lambda value: getattr(value, "name", ""))
def test_a_mechanism_in_place_of_its_type_keeps_all_but_its_noise(mechanism, sensitivity):
    relation = Relation.CHANGE_ONE if isinstance(mechanism, TunedResponse) else Relation.ADD_REMOVE
    found = mechanism.calibrated(sensitivity, PureDP("1/3", relation))
    assert found.guarantee(sensitivity, relation).sum_form == (Fraction(1, 3), 0)
    changes = {key for key, value in found.facts().items() if mechanism.facts()[key] != value}
    assert changes <= {"scale", "threshold_scale", "query_scale", "selection scale", "epsilon"}


@pytest.mark.parametrize("target", [{"epsilon": 1, "delta": 1e-6}, {"rho": 0.1}, {"mu": 0.5}], ids=str)
def test_other_notions_are_met_by_a_search(target):
    top = calibrate(TopK(GumbelNoisyMax(1), k=3), ONE, **target)
    less = top.scaled(1 - Fraction(1, 2**30))
    if "rho" in target:
        assert top.guarantee(ONE).concentrated_form.rho <= Fraction(1, 10) < less.guarantee(ONE).concentrated_form.rho
    elif "mu" in target:
        assert top.guarantee(ONE).gaussian_form <= Fraction(1, 4) < less.guarantee(ONE).gaussian_form
    else:
        assert top.guarantee(ONE).delta(1) <= 1e-6 < less.guarantee(ONE).delta(1) * (1 + 1e-7)
        assert top.k == 3


def test_a_loss_that_is_no_multiple_of_the_noise_is_searched_for():
    coin = RandomizedResponse(Fraction(1, 10), 3)
    target = PureDP(1, Relation.CHANGE_ONE)
    one = Sensitivity(1, Metric.UNITS)
    found = coin.calibrated(one, target)
    assert found.guarantee(one).budget <= 1 < found.scaled(1 - Fraction(1, 2**30)).guarantee(one).budget
    assert found.values == 3


def test_delta_is_kept_and_met_exactly():
    one = Sensitivity(1, Metric.UNITS)
    found = calibrate(PartitionSelection(2, 1e-6, groups=5, min_units=10), one, epsilon=1, delta=1e-6)
    assert float(found.epsilon) == pytest.approx(1, rel=1e-9)
    assert (found.delta, found.groups, found.min_units) == (Fraction(1, 10**6), 5, 10)
    with pytest.raises(InvalidParameter, match="no noise is proved"):
        calibrate(PartitionSelection(2, 1e-6), one, epsilon=1)


def test_an_error_target_keeps_the_rest_of_truncated_noise():
    found = calibrate(TruncatedLaplace(1, 7), Sensitivity(1, Metric.L1), error=10, beta=0.05)
    assert found.bound == 7 * found.scale
    assert found.accuracy(0.05) <= 10 < found.scaled(1 + Fraction(1, 2**15)).accuracy(0.05)


def test_an_instance_without_a_rule_for_errors_or_with_nothing_to_hide_is_refused():
    with pytest.raises(UnprovenClaim, match="error"):
        calibrate(Exponential(3), ONE, error=1, beta=0.05)
    with pytest.raises(InvalidParameter, match="needs no noise"):
        calibrate(Exponential(3), Sensitivity(0, Metric.LINF), epsilon=1)


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), None, True])
def test_an_epsilon_that_is_no_positive_number_is_refused(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon"):
        calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=epsilon)


def test_no_noise_is_made_for_an_answer_that_nobody_moves():
    with pytest.raises(InvalidParameter, match="no noise"):
        calibrate(Geometric, Sensitivity(0, Metric.L1), epsilon=1)
