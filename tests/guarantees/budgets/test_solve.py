from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PoissonSampling, PureDP, SubsetSampling, least_scale, most_repetitions
from dalenius.guarantees.budgets.solve import _read_below
from dalenius.neighbors import Relation


def test_the_gaussian_scale_of_balle_and_wang():
    """σ at ε = 1, δ = 1e-5 and sensitivity 1 is 3.730631634816464 (the analytic Gaussian mechanism's own figure)."""
    below, above = least_scale(lambda scale: GDP(1 / scale), 1, 1e-5)
    assert below < Fraction("3.730631634816464") < above
    assert above - below <= above / 10**6


def test_what_is_returned_is_proved_and_the_other_end_is_not():
    below, above = least_scale(lambda scale: PureDP(1 / scale).repeat(30), 0.5, 1e-6)
    assert PureDP(1 / above).repeat(30).delta(0.5) <= 1e-6
    assert PureDP(1 / below).repeat(30).delta(0.5) > 1e-6


def test_a_pure_target_is_met_exactly():
    below, above = least_scale(lambda scale: PureDP(1 / scale), 0.5, 0)
    assert below < 2 <= above <= 2 * (1 + Fraction(1, 10**6))


def test_training_noise_for_a_target():
    """σ for MNIST at ε = 2, δ = 1e-5: 1.224145 to six digits, by two independent accountants."""
    rate = PoissonSampling(Fraction(256, 60000))
    below, above = least_scale(lambda scale: GDP(1 / scale).amplify(rate).repeat(14062), 2, 1e-5)
    assert float(below) == pytest.approx(1.224145, abs=1e-6)
    assert above <= below * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize(("epsilon", "delta", "most"), [(1, 0, 10), (0.99, 0, 9), (0.05, 0, 0)])
def test_pure_budgets_hold_as_many_as_they_add_up_to(epsilon, delta, most):
    assert most_repetitions(PureDP(0.1), epsilon, delta) == most


def test_the_last_number_of_releases_that_holds():
    one = GDP(0.1)
    n = most_repetitions(one, 1, 1e-6)
    assert one.repeat(n).delta(1.0) <= 1e-6 < one.repeat(n + 1).delta(1.0)


def test_what_costs_nothing_may_go_on():
    assert most_repetitions(PureDP(0), 1, 0) == 10**9


def test_targets_out_of_reach_are_refused():
    with pytest.raises(InvalidParameter, match="no scale"):
        least_scale(lambda scale: PureDP(1), 0.5, 0)


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0), (1, 2), (float("nan"), 0), (1, float("nan"))])
def test_bad_targets_are_refused(epsilon, delta):
    with pytest.raises(InvalidParameter):
        most_repetitions(PureDP(0.1), epsilon, delta)
    with pytest.raises(InvalidParameter):
        least_scale(lambda scale: PureDP(1 / scale), epsilon, delta)


def test_a_target_is_never_read_as_larger_than_it_was_given():
    """A guarantee reads a float as its shortest decimal, which may lie above the float, and above the target."""
    for target in (
        Fraction(0.1),
        Fraction(0.7),
        Fraction(0.7) + Fraction(1, 10**30),
        Fraction(1, 3),
        Fraction(2, 3),
        Fraction(1),
    ):
        assert Fraction(repr(_read_below(target))) <= target
    assert Fraction(repr(0.7)) > Fraction(0.7)  # so the plain float below would have been read as more than was asked


def test_few_sampled_steps_are_calibrated_between_a_scale_that_is_proved_and_one_that_is_not():
    def build(scale):
        return GDP(1 / scale, Relation.CHANGE_ONE).amplify(SubsetSampling(900, 1000)).repeat(2)

    below, above = least_scale(build, 1, 1e-6)
    assert build(above).delta(1.0) <= 1e-6 < build(below).delta(1.0)
    assert above <= below * (1 + Fraction(1, 10**6))
    low, high = build(above).rough_delta_interval(1.0)
    assert low <= build(above).delta_interval(1.0)[0] * (1 + 1e-12)
    assert build(above).delta(1.0) <= high <= low * 1.02
