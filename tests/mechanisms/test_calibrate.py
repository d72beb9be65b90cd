from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.mechanisms import Geometric, calibrate
from dalenius.neighbors import Metric, Sensitivity

POSITIVE = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)


@given(POSITIVE, POSITIVE)
def test_the_target_is_met_exactly_so_no_noise_is_wasted(value, epsilon):
    sensitivity = Sensitivity(value, Metric.L1)
    assert calibrate(Geometric, sensitivity, epsilon=epsilon).guarantee(sensitivity).budget == epsilon


@pytest.mark.theorem("A Rem 3.5")
def test_scale_grows_with_sensitivity_and_falls_with_epsilon():
    assert calibrate(Geometric, Sensitivity(6, Metric.L1), epsilon=2).scale == 3
    assert calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=0.1).scale == 10


@pytest.mark.parametrize("name", ["delta", "rho", "mu", "error", "beta"])
def test_a_target_without_a_rule_is_refused_by_name(name):
    with pytest.raises(UnprovenClaim, match=name):
        calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=1, **{name: 0.1})


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), None, True])
def test_an_epsilon_that_is_no_positive_number_is_refused(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon"):
        calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=epsilon)


def test_no_noise_is_made_for_an_answer_that_nobody_moves():
    with pytest.raises(InvalidParameter, match="no noise"):
        calibrate(Geometric, Sensitivity(0, Metric.L1), epsilon=1)
