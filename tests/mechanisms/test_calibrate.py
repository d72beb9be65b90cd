from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.mechanisms import DiscreteGaussian, Gaussian, Geometric, Laplace, Mechanism, calibrate
from dalenius.neighbors import Metric, Sensitivity

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


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), None, True])
def test_an_epsilon_that_is_no_positive_number_is_refused(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon"):
        calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=epsilon)


def test_no_noise_is_made_for_an_answer_that_nobody_moves():
    with pytest.raises(InvalidParameter, match="no noise"):
        calibrate(Geometric, Sensitivity(0, Metric.L1), epsilon=1)
