import warnings

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.cluster import KMeans
from sklearn.linear_model import HuberRegressor, LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import DaleniusError, UnboundedQuery
from dalenius.learning import SubsampleAggregate
from dalenius.ledger import Ledger
from tests.learning.adversary import FEATURES, labels, rows
from tests.learning.checks import CLASSIFIER, REGRESSOR

LINE = LinearRegression()


def model(estimator=LINE, **more):
    given = {"epsilon": 8, "bounds": (-1, 1), "parameter_bounds": (-5, 5), "blocks": 100} | more
    return SubsampleAggregate(estimator, **given)


@pytest.mark.parametrize(
    ("estimator", "allowed"),
    [
        (LinearRegression(), REGRESSOR),
        pytest.param(LogisticRegression(), CLASSIFIER, marks=pytest.mark.long),  # 33 released numbers a fit
    ],
)
def test_scikit_learn_checks_pass(estimator, allowed):
    made = model(estimator, epsilon=20, blocks=4, bounds=(-10, 10), parameter_bounds=(-50, 50))
    allowed = allowed | {
        "check_regressors_train": "few blocks of few rows",
        "check_classifiers_train": "few blocks of few rows",
        "check_estimators_nan_inf": "what is no number has a rule",
        "check_sample_weights_pandas_series": "no weights",
    }
    told = check_estimator(made, expected_failed_checks=allowed, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= allowed.keys()


@pytest.mark.theorem("A Thm 8.2")
def test_a_line_is_found():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (20_000, 2))
    y = X @ [1.0, -0.5] + 0.2 + 0.3 * rng.normal(size=20_000)
    for estimator in (LinearRegression(), HuberRegressor()):
        made = model(estimator, blocks=200, epsilon=20).fit(X, y)
        assert made.coef_ == pytest.approx([1, -0.5], abs=0.2)
        assert made.intercept_ == pytest.approx(0.2, abs=0.2)
        assert made.score(X, y) > 0.6
        assert is_regressor(made)
        assert made.guarantee_.epsilon(0) == 20


def test_labels_are_found():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (20_000, 2))
    y = np.where(X @ [1.0, -0.5] + 0.1 * rng.normal(size=20_000) > 0, "yes", "no")
    made = model(LogisticRegression(), parameter_bounds=(-10, 10), classes=["no", "yes"], blocks=100).fit(X, y)
    assert made.score(X, y) > 0.85
    assert made.predict_proba(X[:3]).shape == (3, 2)
    assert made.decision_function(X[:3]).shape == (3,)
    assert made.classes_.tolist() == ["no", "yes"]
    assert is_classifier(made)
    assert made.guarantee_.public == ()
    assert not hasattr(model(LinearRegression()), "predict_proba")


@pytest.mark.parametrize("count", [0, 1, 50])
@pytest.mark.parametrize("estimator", [LinearRegression(), LogisticRegression()])
def test_hostile_rows_neither_fail_nor_warn(estimator, count):
    X = rows()[-count:] if count else np.zeros((0, FEATURES))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        more = {"classes": [0, 1]} if is_classifier(estimator) else {}
        made = model(estimator, blocks=5, **more).fit(X, labels(len(X)))
        assert np.all(np.isfinite(made.coef_))
        assert len(made.predict(rows())) == len(rows())
        made.fit(np.ones((9, 2)), ["x"] * 9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"blocks": 3},
        {"blocks": 2.5},
        {"blocks": True},
        {"parameter_bounds": (1, 1)},
        {"parameter_bounds": 3},
        {"parameter_bounds": {"coef_": (0, 1)}},
        {"default": 99},
        {"attributes": ()},
        {"attributes": "coef_"},
        {"attributes": ("tree_",)},
        {"n_jobs": "two"},
        {"epsilon": 0},
        {"estimator": None},
        {"estimator": KMeans()},
        {"estimator": DecisionTreeRegressor()},
        {"estimator": HuberRegressor(epsilon=0.1)},
    ],
)
def test_what_is_out_of_range_is_refused_before_the_charge(wrong, tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=10, unit="row")
    with pytest.raises(DaleniusError):
        model(**({"ledger": ledger, "dataset": "people"} | wrong)).fit(np.ones((3, 1)), np.ones(3))
    assert not ledger.entries("people")
    ledger.close()


def test_bounds_and_defaults_may_differ_by_attribute():
    ends, default = {"coef_": (0, 1), "intercept_": (-9, -2)}, {"coef_": "0.5"}
    made = model(parameter_bounds=ends, default=default, blocks=4).fit(np.ones((0, 2)), np.ones(0))
    assert 0 <= made.coef_.min() <= made.coef_.max() <= 1
    assert -9 <= made.intercept_ <= -2
    with pytest.raises(UnboundedQuery):
        model(parameter_bounds=None).fit(np.ones((3, 1)), np.ones(3))


@pytest.mark.theorem("A Rem 8.3")
def test_a_range_that_nobody_knows_is_found_for_a_delta():
    """Slopes of 3 and −700 000 000, and an intercept of 4·10⁻⁵, none of them declared."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (20_000, 2))
    y = X @ [3.0, -7e8] + 4e-5 + rng.normal(size=20_000)
    made = model(blocks=400, epsilon=12, delta=1e-5, parameter_bounds="private").fit(X, y)
    assert made.coef_ == pytest.approx([3, -7e8], rel=0.2)
    low, high = made.parameter_bounds_.T
    assert np.all(low[:2] <= [3, -7e8])
    assert np.all(high[:2] >= [3, -7e8])
    assert np.all(high[:2] - low[:2] <= [4, 2**30])
    assert (made.guarantee_.epsilon(1e-5), made.guarantee_.delta(12)) == (12, 1e-5)


def test_few_blocks_name_no_range_and_say_so():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 1))
    made = model(blocks=5, epsilon=1, delta=1e-6, parameter_bounds="private").fit(X, 1e6 * X[:, 0])
    assert made.parameter_bounds_.tolist() == [[-1.0, 1.0]] * 2


def test_private_bounds_are_paid_for_with_a_delta_and_nothing_else_is():
    X = np.zeros((50, 1))
    for wrong in ({"parameter_bounds": "private"}, {"delta": 1e-6}, {"parameter_bounds": "wide", "delta": 1e-6}):
        with pytest.raises(DaleniusError):
            model(**wrong).fit(X, X[:, 0])
    with pytest.raises(DaleniusError):
        model(parameter_bounds={"coef_": "private", "intercept_": (0, 1)}, delta=1e-6).fit(X, X[:, 0])
