from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning.plans.budget import COUNT_SHARE, FitBudget
from dalenius.mechanisms import Gaussian, Geometric, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits


def test_the_whole_budget_is_that_of_the_exact_profile():
    made = FitBudget.of(1, 1e-5, Relation.ADD_REMOVE)
    scale = calibrate(Gaussian, Sensitivity(1, Metric.L2), epsilon=1, delta=1e-5).scale
    assert made.total == 1 / scale**2
    assert float(made.total) ** -0.5 == pytest.approx(3.7306316, rel=1e-6)
    assert FitBudget.of(1, 0, Relation.CHANGE_ONE).total == 1


@pytest.mark.parametrize("delta", [0, 1e-5])
def test_a_count_takes_a_fiftieth_and_no_more(delta, monkeypatch):
    made, seen = FitBudget.of(1, delta, Relation.ADD_REMOVE, counted=True), []
    mechanism = Gaussian if delta else Geometric
    real = mechanism.release
    monkeypatch.setattr(mechanism, "release", lambda self, a, bits: (seen.append(self), real(self, a, bits))[1])
    assert abs(made.count(10**6, Bits()) - 10**6) < 10**4
    one = Sensitivity(1, Metric.L2 if delta else Metric.L1)
    cost = seen[0].guarantee(one)
    assert (cost.square if delta else cost.sum_form[0]) <= made.total * COUNT_SHARE
    assert made.rest == made.total * (1 - COUNT_SHARE)


def test_a_count_is_never_below_one():
    made = FitBudget.of(0.01, 1e-9, Relation.ADD_REMOVE, counted=True)
    assert min(made.count(0, Bits()) for _ in range(20)) == 1


def test_numbers_that_are_no_budget_are_refused():
    for epsilon, delta in ((0, 0), (-1, 0), (1, -0.1), (1, 1), (np.nan, 0), ("x", 0)):
        with pytest.raises(InvalidParameter):
            FitBudget.of(epsilon, delta, Relation.ADD_REMOVE)
    assert FitBudget.of("0.1", 0, "add-remove").epsilon == Fraction(1, 10)
