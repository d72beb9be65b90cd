import warnings

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import InvalidParameter
from dalenius.learning import KNormLogistic
from dalenius.learning.plans import logistic_gradient
from dalenius.learning.plans.logistic_gradient import LogisticGradient
from tests.learning.adversary import labels, rows
from tests.learning.checks import CLASSIFIER


def test_scikit_learn_checks_pass(monkeypatch):
    """With a point on each half axis as the grid: the checks use up to twenty features."""
    grids = dict.fromkeys(range(1, 100), 1)
    monkeypatch.setattr(logistic_gradient, "HALF_GRIDS", grids)
    monkeypatch.setattr("dalenius.learning.estimators.knorm_logistic.HALF_GRIDS", grids)
    few = lambda plan: np.vstack([np.eye(plan.rows.width), -np.eye(plan.rows.width)]).astype(np.int64)  # noqa: E731
    monkeypatch.setattr(LogisticGradient, "points", few)
    made = KNormLogistic(epsilon=100, bounds=(-10, 10), coefficient_bound=10)
    allowed = CLASSIFIER | {"check_classifiers_train": "a grid of few points"}
    told = check_estimator(made, expected_failed_checks=allowed, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= allowed.keys()


def test_a_model_is_found_and_its_error_is_that_of_the_grid():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, (3000, 1))
    y = np.where(rng.random(3000) < 1 / (1 + np.exp(-(X[:, 0] - 4))), "ill", "well")
    made = KNormLogistic(2, bounds=(0, 10), coefficient_bound=8, classes=["ill", "well"]).fit(X, y)
    plain = linear_model.LogisticRegression(C=1e6).fit(X, y)
    assert made.coef_ == pytest.approx(plain.coef_, abs=0.15)
    assert made.score(X, y) > plain.score(X, y) - 0.03
    assert made.predict_proba(X[:4]).sum(axis=1) == pytest.approx(np.ones(4))
    assert made.guarantee_.epsilon(0) == 2


def test_hostile_rows_neither_fail_nor_warn():
    data = rows()[:, :2]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        made = KNormLogistic(1, bounds=(-1, 1), classes=[0, 1], base_deviation=1).fit(data, labels(len(data)))
        assert np.all(np.isfinite(made.coef_))
        assert np.all(np.isfinite(made.predict_proba(data)))


def test_what_is_out_of_range_is_refused():
    X, y = np.zeros((5, 1)), np.arange(5) % 2
    for wrong in ({"coefficient_bound": 0}, {"base_deviation": -1}, {"classes": [0, 1, 2]}):
        with pytest.raises(InvalidParameter):
            KNormLogistic(1, **({"bounds": (-1, 1), "classes": [0, 1]} | wrong)).fit(X, y)
    with pytest.raises(InvalidParameter, match="at most 3"):
        KNormLogistic(1, bounds=(-1, 1)).fit(np.zeros((5, 3)), y)
