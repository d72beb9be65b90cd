import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning import PoissonRegression
from tests.learning.adversary import rows
from tests.learning.checks import REGRESSOR
from tests.learning.sums.test_moments import TARGETS


def test_rates_are_found():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (20_000, 2))
    y = rng.poisson(np.exp(X @ [1.0, -0.5] + 0.7))
    made = PoissonRegression(1, bounds=(-1, 1), ceiling=20).fit(X, y)
    assert made.coef_ == pytest.approx([1, -0.5], abs=0.35)
    assert made.intercept_ == pytest.approx(0.7, abs=0.35)


def test_hostile_rows_are_fitted_and_the_ceiling_kept():
    made = PoissonRegression(1, bounds=(-1, 1), ceiling=7).fit(rows(), np.resize(TARGETS, len(rows())))
    assert 0 <= made.predict(rows()).min() <= made.predict(rows()).max() <= 7
    with pytest.raises(UnboundedQuery):
        PoissonRegression(1, bounds=(-1, 1)).fit(rows(), np.zeros(len(rows())))
    with pytest.raises(InvalidParameter):
        PoissonRegression(1, bounds=(-1, 1), ceiling=0).fit(rows(), np.zeros(len(rows())))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_scikit_learn_checks_pass(delta):
    refused = REGRESSOR | {"check_regressors_train": "its targets are negative half of the time: no counts"}
    made = PoissonRegression(epsilon=1e4, delta=delta, bounds=(-5, 5), ceiling=10)
    told = check_estimator(made, expected_failed_checks=refused, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= refused.keys()
