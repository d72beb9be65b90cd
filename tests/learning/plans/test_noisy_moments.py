from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import Span
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.noisy_moments import NoisyMoments, debiased, solved
from dalenius.mechanisms import Gaussian, KNorm
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES


def plan(delta, relation=Relation.ADD_REMOVE, epsilon=1):
    budget = FitBudget.of(epsilon, delta, relation)
    return NoisyMoments(Box.declare((-1, 1), FEATURES), Span.declare((-5, 5)), budget, True, (), 1000)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("epsilon", ["0.001", 1, 50])
@pytest.mark.parametrize("delta", [0, 1e-5])
def test_the_noise_covers_the_sums_for_the_price(delta, relation, epsilon):
    made = plan(delta, relation, epsilon)
    moments, mechanism, noise = made.released()
    cost = mechanism.guarantee(moments.sensitivity(relation), relation)
    assert isinstance(mechanism, Gaussian if delta else KNorm)
    paid = cost.square if delta else cost.budget
    assert paid <= made.budget.total
    if epsilon != 50:
        assert paid > made.budget.total * Fraction(999, 1000)
    assert noise > 0


def test_singular_and_negative_sums_are_solved():
    for matrix in (np.zeros((3, 3)), -5 * np.eye(3), np.ones((3, 3))):
        centre, spread = debiased(matrix, np.ones(3), -4.0, 1.0, 10.0)
        assert np.all(np.isfinite(solved(matrix, np.ones(3), 1.0, "noise")))
        assert np.all(np.isfinite(centre))
        assert np.linalg.eigvalsh(spread).min() > 0


def test_no_rows_are_fitted():
    assert plan(0).run(Rows(np.zeros((0, FEATURES)), np.zeros(0)), Bits()).notes["steps"] == 1
