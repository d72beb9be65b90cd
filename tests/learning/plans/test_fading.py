from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fading import (
    AMPLE,
    LITTLE,
    STRONGEST_BESIDE,
    FitTerms,
    eased,
    freedom,
    held_for_products,
    held_radius,
)
from dalenius.learning.solvers.solver import FINE_TOLERANCE, TOLERANCE
from dalenius.learning.sums.class_weights import ClassWeighted
from dalenius.learning.sums.loss_bounds import Logistic, Softmax
from dalenius.learning.sums.regression_loss_bounds import Huber, Poisson
from dalenius.neighbors import Relation

UNIT = UnitRows(Box.declare((-1, 1), 8), 18)


def test_freedom_grows_from_none_to_all():
    signals = [0.0, 1.0, LITTLE, 55.0, 75.0, 95.0, AMPLE, 1e12]
    shares = [freedom(signal) for signal in signals]
    assert shares == sorted(shares)
    assert shares[:3] == [0, 0, 0]
    assert shares[-2:] == [1, 1]
    assert 0 < shares[3] < shares[5] < 1
    assert freedom(float("nan")) == 0


def test_losses_are_plain_where_nothing_is_held():
    assert eased(Logistic(), Fraction(0)).gradient == Fraction(1, 2)
    assert eased(Poisson(7.0), Fraction(1, 2)).gradient == Fraction(3, 4)
    for loss in (Logistic(), Poisson(7.0), Huber(Fraction(1, 2)), Softmax(3), ClassWeighted(Logistic(), (0.5, 1.0))):
        assert eased(loss, Fraction(1)) == loss


def test_the_radius_ends_at_the_corner_of_the_box_or_at_what_is_declared():
    radii = [held_radius(UNIT, Fraction(k, 4), None) for k in range(5)]
    assert radii == sorted(radii)
    assert radii[0] == UNIT.narrow
    assert radii[-1] == 3
    assert held_radius(UNIT, Fraction(0), 1.0) == pytest.approx(2**0.5)
    assert held_radius(UNIT, Fraction(0), 100.0) == 3
    corner = np.ones((1, 8))
    assert replace(UNIT, held=radii[-1]).shares(corner) == pytest.approx([1.0])
    assert replace(UNIT, held=radii[0]).shares(corner) == pytest.approx([radii[0] / 3])


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_sums_of_products_are_held_by_the_number_of_rows_alone(delta):
    budget = FitBudget.of(1, delta, Relation.ADD_REMOVE)
    few, many = (held_for_products(UNIT, n, budget) for n in (10, 10**8))
    assert few.radius == UNIT.narrow
    assert many.radius == 3


def test_the_penalty_is_that_of_the_coefficients():
    """½ Σ γⱼwⱼ² equals ½·strength·‖coef‖² for the coefficients that weights w stand for, whatever the intercept."""
    box = Box.declare(([0, -3], [10, 4]), 2)
    unit = UnitRows(box, 18)
    penalty = FitTerms(10, strength=0.7).penalty(unit)
    w = np.array([[0.3, -2.0, 5.0]])
    coefficients, _ = unit.unscaled(w)
    assert (penalty[:, 0] * w[0] ** 2).sum() == pytest.approx(0.7 * (coefficients**2).sum())
    assert penalty[-1] == 0
    thin = UnitRows(Box.declare((0, 1e-120), 1), 18)
    assert FitTerms(10, strength=1.0).penalty(thin)[0] == 1e12
    for beside in (FitTerms(10, strength=1.0, lasso=1.0), FitTerms(10, strength=1.0, held=(0.0, 1.0))):
        assert beside.penalty(thin)[0] == STRONGEST_BESIDE


def test_bounds_of_weights_stay_where_floats_can_prove_a_minimum():
    wide = UnitRows(Box.declare((-1e10, 1e10), 1), 18)
    near = FitTerms(10, held=(1e300, 1e308)).term(wide)
    assert near.lower[0] == 256.0
    assert near.upper[0] == float("inf")
    free = FitTerms(10, held=(float("-inf"), 0.5)).term(UNIT)
    assert free.lower[0] == float("-inf")
    assert free.upper[0] == pytest.approx(1.5)


def test_the_solver_is_asked_for_more_digits_by_public_facts_alone():
    plain, firm = Rows(np.zeros((3, 1)), np.zeros(3)), Fraction(1, 2)
    weighted = WeightedRows(plain.features, plain.target, np.ones(3), None, 1.0)
    assert FitTerms(10**6).tolerance(plain, True, firm) == FINE_TOLERANCE
    for coarse in (
        FitTerms(2**20 + 1).tolerance(plain, True, firm),
        FitTerms(10).tolerance(weighted, True, firm),
        FitTerms(10).tolerance(plain, False, firm),
        FitTerms(10).tolerance(plain, True, Fraction(1, 65)),
        FitTerms(10, lasso=1.0).tolerance(plain, True, firm),
        FitTerms(10, held=(0.0, 1.0)).tolerance(plain, True, firm),
    ):
        assert coarse == TOLERANCE
