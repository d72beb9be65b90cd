from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import DaleniusError
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.tallies import DIGITS, Reach, deviation, released, tallied
from dalenius.mechanisms import Gaussian, Geometric
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits

REACH = Reach(Fraction(5), Fraction(9, 2))


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("parts", [1, 7])
def test_all_parts_together_cost_the_budget(relation, parts):
    """Priced anew by the mechanisms themselves: with half the reach they would cost twice as much as is paid."""
    pure, gaussian = (FitBudget.of(1, delta, relation) for delta in (0, 1e-6))
    steps = 1 << DIGITS
    one = REACH.noise(pure, parts)
    assert isinstance(one, Geometric)
    assert one.guarantee(Sensitivity(5 * steps, Metric.L1), relation).epsilon(0) * parts <= 1 + 1e-12
    assert one.scale == 5 * steps * parts
    two = REACH.noise(gaussian, parts)
    assert isinstance(two, Gaussian)
    paid = two.guarantee(Sensitivity.root(Fraction(9, 2) * steps**2, Metric.L2), relation).square * parts
    assert gaussian.total * Fraction(999, 1000) < paid <= gaussian.total


def test_groups_are_summed_exactly():
    rng = np.random.default_rng(0)
    group, values = rng.integers(-1, 3, 500), rng.integers(-(2**DIGITS), 2**DIGITS, (500, 2))
    found = tallied([(group[:200], values[:200].astype(float)), (group[200:], values[200:].astype(float))], 3, 2)
    assert found.tolist() == [values[group == k].sum(axis=0).tolist() for k in range(3)]
    assert tallied([], 2, 1).tolist() == [[0], [0]]


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_noise_has_the_deviation_that_is_told(delta):
    """20 000 draws: a relative standard deviation below 1.2 %, so 8 % off has a chance below 1e-9."""
    mechanism = REACH.noise(FitBudget.of(2, delta, Relation.ADD_REMOVE))
    found = released(mechanism, np.zeros((2, 10_000), np.int64), Bits())
    assert found.shape == (2, 10_000)
    assert found.std() == pytest.approx(deviation(mechanism), rel=0.08)


def test_a_budget_too_small_for_exact_noise_is_refused():
    with pytest.raises(DaleniusError):
        REACH.noise(FitBudget.of("1e-12", "1e-40", Relation.ADD_REMOVE))
