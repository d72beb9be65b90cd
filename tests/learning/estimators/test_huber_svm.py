import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from dalenius import learning
from dalenius.errors import InvalidParameter
from dalenius.learning import HuberSVM
from dalenius.neighbors import Relation
from tests.learning.adversary import labels, rows
from tests.learning.checks import CLASSIFIER


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_scikit_learn_checks_pass(delta):
    made = HuberSVM(epsilon=1000, delta=delta, bounds=(-10, 10))
    told = check_estimator(made, expected_failed_checks=CLASSIFIER, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= CLASSIFIER.keys()


def design(count, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (count, 3))
    return X, (rng.random(count) < 1 / (1 + np.exp(-3 * X @ [1, -2, 0.5]))).astype(int)


def plain(X, y, rounding, C=1.0):
    """The minimum of ½‖w‖² + C Σ rounded hinge, by scipy from the loss as Huber defines it."""
    sign = 2 * y - 1

    def objective(w):
        u = 1 + rounding - sign * (X @ w[:-1] + w[-1])
        value = np.where(u <= 0, 0, np.where(u <= 2 * rounding, u * u / (4 * rounding), u - rounding))
        slope = -sign * np.clip(u / (2 * rounding), 0, 1)
        return w[:-1] @ w[:-1] / 2 + C * value.sum(), np.append(w[:-1] + C * X.T @ slope, C * slope.sum())

    return minimize(objective, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options={"ftol": 1e-14}).x


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_with_many_rows_it_is_the_plain_fit_of_its_loss(delta):
    """The noise moves a coefficient by some .02; five times that is allowed."""
    X, y = design(50_000)
    made = HuberSVM(1, delta=delta, bounds=(-1, 1), classes=[0, 1]).fit(X, y)
    expected = plain(X, y, 0.5)
    assert np.append(made.coef_, made.intercept_) == pytest.approx(expected, abs=0.15)
    assert made.slope_share_ == 1


def test_with_a_narrow_parabola_it_is_scikit_learn_s_linear_svc():
    """At ε = 10⁵ only the rounding of the corner and the cover of the solver are left."""
    X, y = design(2000)
    machine = SVC(kernel="linear", C=0.01).fit(X, y)
    made = HuberSVM(1e5, bounds=(-1, 1), classes=[0, 1], C=0.01, rounding=0.05, n_public=10**9).fit(X, y)
    assert made.coef_ == pytest.approx(machine.coef_, abs=0.1)
    assert np.mean(made.predict(X) == machine.predict(X)) > 0.99


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("relation", Relation)
def test_hostile_rows_neither_fail_nor_warn(delta, relation):
    data = rows()
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        made = HuberSVM(1, delta=delta, bounds=(-1, 1), classes=[0, 1], relation=relation).fit(data, labels(len(data)))
        assert np.all(np.isfinite(made.coef_))
        assert set(made.predict(data)) <= {0, 1}


def test_people_with_many_rows_and_weights_of_classes_are_fitted():
    X, y = design(3000)
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y, who=np.arange(3000) // 3)
    data = learning.from_frame(frame, target="y", unit="who", contributions=3)
    made = HuberSVM(20, bounds=(-1, 1), classes=[0, 1], class_weight={1: 3.0}).fit(data)
    assert np.sign(made.coef_[0]).tolist() == [1, -1, 1]


def test_what_is_out_of_range_is_refused():
    X, y = design(20)
    for wrong in ({"rounding": 0}, {"rounding": 2}, {"C": -1}, {"classes": [0, 1, 2]}, {"method": "descent"}):
        more = {"delta": 1e-6} | {"bounds": (-1, 1), "classes": [0, 1]} | wrong
        with pytest.raises(InvalidParameter):
            HuberSVM(1, **more).fit(X, y)
