import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning import LinearRegression
from tests.learning.adversary import FEATURES, rows
from tests.learning.checks import REGRESSOR
from tests.learning.sums.test_moments import TARGETS


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("ridge", ["noise", "adaptive"])
def test_a_line_is_found(delta, ridge):
    rng = np.random.default_rng(0)
    X = rng.uniform([0, 10], [4, 30], (40_000, 2))
    y = 3 * X[:, 0] - 2 * X[:, 1] + 50 + rng.normal(size=40_000)
    made = LinearRegression(2, delta=delta, bounds=([0, 10], [4, 30]), target_bounds=(-20, 50), ridge=ridge).fit(X, y)
    assert made.coef_ == pytest.approx([3, -2], abs=0.4)
    assert made.intercept_ == pytest.approx(50, abs=5)
    assert made.score(X, y) > 0.97
    assert made.predict([[1e300, np.nan], [-np.inf, np.inf]]).min() >= -20


def covered(kind, rows, features, epsilon, delta, fits):
    """(share of intervals at 95 % that hold the truth, mean z along its sign, width over the real deviation)."""
    rng, rule = np.random.default_rng(), np.linspace(0.6, -0.5, features)
    scores, errors, found = [], [], []
    for _ in range(fits):
        if kind == "uniform":
            X = rng.uniform(-1, 1, (rows, features))
        elif kind == "correlated":
            X = np.clip(
                rng.normal(size=(rows, features)) @ np.linalg.cholesky(0.5 * np.eye(features) + 0.5).T / 2.5, -1, 1
            )
        else:
            X = 2 * rng.random((rows, features)) ** 3 - 1
        y = X @ rule + 0.3 * rng.normal(size=rows)
        made = LinearRegression(epsilon, delta=delta, bounds=(-1, 1), target_bounds=(-3, 3)).fit(X, y)
        low, high = made.confidence_interval(0.95).T
        scores.append((low <= rule) & (rule <= high))
        errors.append((made.debiased_coef_ - rule) / made.standard_errors_ * np.sign(rule))
        found.append([made.debiased_coef_, made.standard_errors_])
    real, told = np.std([one for one, _ in found], axis=0), np.median([two for _, two in found], axis=0)
    return np.mean(scores), np.mean(errors), float(np.median(told / real))


def test_intervals_cover_the_truth():
    """200 fits × 2 coefficients: a share of .95 falls below .88 or z, of deviation .05, leaves ±.4 with chance 1e-9."""
    share, z, wide = covered("uniform", 2000, 2, 1, 1e-6, 200)
    assert share > 0.88
    assert abs(z) < 0.4  # the ridge alone would make it −.8
    assert wide < 1.35
    with pytest.raises(InvalidParameter):
        LinearRegression(1, bounds=(-1, 1), target_bounds=(-1, 1)).fit(np.ones((5, 1)), np.ones(5)).confidence_interval(
            2
        )


@pytest.mark.long
@pytest.mark.parametrize("kind", ["uniform", "correlated", "skewed"])
@pytest.mark.parametrize(("rows", "features", "epsilon"), [(2000, 2, 1), (2000, 4, 1), (5000, 4, 1), (2000, 3, 5)])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_cover_on_designs_that_were_not_looked_at(kind, rows, features, epsilon, delta):
    """600 fits: the share of at least 1200 intervals falls below .95 − .05 with a chance below 1e-9."""
    share, z, wide = covered(kind, rows, features, epsilon, delta, 600)
    assert share > 0.90
    assert abs(z) < 0.3
    assert wide < 1.3


def test_standard_errors_cover_the_truth():
    """At 95 % each, 2 coefficients, 60 fits of fresh rows: fewer than 80 of 120 inside has a chance below 1e-9."""
    rng = np.random.default_rng()
    inside = 0
    for _ in range(60):
        X = rng.uniform(-1, 1, (3000, 2))
        y = X @ [0.5, -0.3] + 0.2 * rng.normal(size=3000)
        made = LinearRegression(1, delta=1e-5, bounds=(-1, 1), target_bounds=(-2, 2), ridge="adaptive").fit(X, y)
        inside += (np.abs(made.coef_ - [0.5, -0.3]) < 1.96 * made.standard_errors_).sum()
        assert np.all(made.standard_errors_ < 0.2)
    assert inside >= 80


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("count", [0, 1, 3, 50])
def test_hostile_rows_neither_fail_nor_warn(delta, count):
    data = rows()[-count:] if count else np.zeros((0, FEATURES))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        made = LinearRegression(1, delta=delta, bounds=(-1, 1), target_bounds=(-5, 5))
        made.fit(data, np.resize(TARGETS, count))
        assert np.all(np.isfinite(made.coef_))
        assert np.all(np.isfinite(made.predict(rows())))
        made.fit(np.ones((9, 2)), ["x"] * 9)


def test_excess_error_is_below_the_bar():
    X, y = load_diabetes(return_X_y=True)
    X = np.clip(X / 0.15, -1, 1)
    found = []
    for _ in range(30):
        made = LinearRegression(1, delta=1e-5, bounds=(-1, 1), target_bounds=(25, 346)).fit(X, y)
        found.append(1 - made.score(X, y))
    assert np.median(found) - (1 - 0.5177) <= 0.29  # R² of least squares on these rows is .5177


def test_what_is_missing_or_unknown_is_refused():
    with pytest.raises(UnboundedQuery):
        LinearRegression(bounds=(0, 1)).fit(np.ones((3, 1)), np.ones(3))
    with pytest.raises(InvalidParameter):
        LinearRegression(bounds=(0, 1), target_bounds=(0, 1), ridge="none").fit(np.ones((3, 1)), np.ones(3))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_scikit_learn_checks_pass(delta):
    found = "private" if delta else (-5, 5)
    made = LinearRegression(epsilon=1000, delta=delta, bounds=found, target_bounds=(-5, 5))
    told = check_estimator(made, expected_failed_checks=REGRESSOR, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= REGRESSOR.keys()
