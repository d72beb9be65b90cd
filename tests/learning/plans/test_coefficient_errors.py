import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.plans.coefficient_errors import coefficient_errors
from dalenius.learning.plans.curvature_release import MeasuredCurvature

UNIT = UnitRows(Box.declare((-1, 1), 2), 9)


class Fit:
    def noise(self):
        return 12.0, 1.5

    def penalty_of(self, unit):
        return np.array([[0.2], [0.2], [0.0]])


def measured(values, noise):
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    return MeasuredCurvature(axes, np.diag(values), np.full((3, 3), noise**2) * (1 + np.eye(3)) / 2)


def test_with_a_known_curvature_it_is_the_sandwich_and_the_ridge_is_taken_back():
    """By the formula: w + H⁻¹Γw, and H⁻¹(φH + v)H⁻¹."""
    made, weights = measured([5.0, 30.0, 100.0], 1e-9), np.array([1.0, -2.0, 0.5])
    H = made.axes @ made.matrix @ made.axes.T
    inverse = np.linalg.inv(H)
    errors = coefficient_errors(weights, made, Fit(), UNIT, 0.5)
    assert errors["debiased"] == pytest.approx(weights + inverse @ (1.5 * weights))
    assert np.array(errors["spread"]) == pytest.approx(inverse @ (0.5 * H + 12 * np.eye(3)) @ inverse)
    assert errors["hidden"] == [False] * 3
    assert min(errors["degrees"]) > 1e6


def test_noise_in_the_curvature_widens_and_lowers_the_degrees_of_freedom():
    weights = np.array([1.0, -2.0, 0.5])
    known, noisy = (coefficient_errors(weights, measured([5.0, 30.0, 100.0], s), Fit(), UNIT, 1.0) for s in (1e-9, 2))
    assert (np.diag(noisy["spread"]) > np.diag(known["spread"])).all()
    assert max(noisy["degrees"]) < 200


@pytest.mark.parametrize(("least", "hidden"), [(-4.0, True), (1.4, True), (1.6, False)])
def test_an_axis_within_the_noise_hides_the_coefficients_along_it(least, hidden):
    errors = coefficient_errors(np.ones(3), measured([least, 300.0, 1000.0], 1.0), Fit(), UNIT, 1.0)
    assert any(errors["hidden"]) is hidden
    assert np.isfinite(errors["spread"]).all()
