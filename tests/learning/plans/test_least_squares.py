"""Least squares on a public ball: its sums, and the rate that the proof allows."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.learning.data.rows import Rows
from dalenius.learning.plans.least_squares import SLACK
from dalenius.learning.plans.squared_loss import SquaredLoss
from dalenius.learning.plans.squared_loss_l1 import SquaredLossL1
from dalenius.learning.sums.gram import DIGITS
from dalenius.neighbors import Relation
from tests.learning.plans.test_region_plan import RIDGE, plan


@pytest.mark.parametrize(("kind", "square_length"), [(SquaredLoss, 1), (SquaredLossL1, 3)])
@pytest.mark.parametrize(("relation", "moved"), [(Relation.ADD_REMOVE, 1), (Relation.CHANGE_ONE, 2)])
@pytest.mark.theorem("A Ex 7.6", "A §7.4.2 exponential mechanism for ERM")
def test_the_rate_spends_what_the_determinant_leaves_of_epsilon(kind, square_length, relation, moved):
    """c·Δ(1 + η) + ½ log(1 + ‖x‖²/λ) = ε by mpmath at 50 digits; two features and the constant give ‖x‖² ≤ 3 in ℓ∞."""
    made = plan(kind, relation)
    with mpmath.workdps(50):
        ridge = mpmath.mpf(RIDGE.numerator) / RIDGE.denominator
        left = 1 - mpmath.log1p(square_length / ridge) / 2
        wanted = left / (mpmath.mpf(25) / 4 * (1 + mpmath.mpf(SLACK.numerator) / SLACK.denominator) * moved)
        rate = mpmath.mpf(made.rate().numerator) / made.rate().denominator
        assert rate <= wanted
        assert wanted - rate <= wanted * mpmath.mpf(10) ** -25
    assert made.sensitivity == Fraction(25, 4)


def test_the_sums_are_those_of_the_rows_in_steps():
    """A corner of the box, whose coordinates are whole numbers of steps in ℓ∞: P = n·11ᵀ + λI and Q = n·y·1."""
    made, unit = plan(SquaredLossL1), 4**DIGITS
    equations = made.equations(Rows(np.ones((4, 2)), np.full(4, -1.0)))
    ridge = int(RIDGE * unit)
    assert [list(row) for row in equations.matrix] == [
        [4 * unit + (ridge if i == j else 0) for j in range(3)] for i in range(3)
    ]
    assert list(equations.products) == [-4 * unit] * 3
