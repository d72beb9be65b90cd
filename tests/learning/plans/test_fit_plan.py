import numpy as np

from dalenius.learning.plans.fit_plan import FitPlan
from tests.learning.plans.test_descent import plan


def test_the_fingerprint_is_that_of_the_public_facts():
    assert plan(rows=10).fingerprint == plan(rows=10).fingerprint
    assert len({plan(rows=10).fingerprint, plan(rows=11).fingerprint, plan(rows=10, epsilon=2).fingerprint}) == 3


def test_the_cost_is_told_for_free():
    text = plan().explain()
    assert "descent" in text
    assert "(1, 0.00001)-differential privacy" in text
    assert plan().blocks is None


def test_a_model_is_stored_in_numbers_that_json_holds():
    kept = FitPlan.outcome(np.array([[np.inf], [np.nan]]), None, 3).to_dict()
    assert kept["notes"]["weights"] == [[1e300], [0.0]]
