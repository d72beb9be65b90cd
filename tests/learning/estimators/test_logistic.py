import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from dalenius.learning import LogisticRegression
from dalenius.neighbors import Relation
from tests.learning.adversary import labels, rows


def box(X):
    return X.min(axis=0), X.max(axis=0)


@pytest.mark.parametrize(("delta", "least"), [(1e-5, 0.85), (0.0, 0.78)])
def test_two_classes_are_told_apart(delta, least):
    X, y = load_breast_cancer(return_X_y=True)
    scores = [
        LogisticRegression(epsilon=1, delta=delta, bounds=box(X), classes=[0, 1], n_public=569).fit(X, y).score(X, y)
        for _ in range(8)
    ]
    assert np.mean(scores) > least  # near .94 and .90, 8 runs of spread .04: ten standard errors away


@pytest.mark.parametrize(("delta", "epsilon"), [(1e-5, 8), (0.0, 30)])
def test_several_classes_are_told_apart(delta, epsilon):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    made = LogisticRegression(epsilon=epsilon, delta=delta, bounds=box(X), classes=sorted(set(names))).fit(X, names)
    assert made.coef_.shape == (3, 4)
    assert made.score(X, names) > 0.75
    assert made.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(150))
    assert np.array_equal(made.classes_[made.predict_proba(X).argmax(axis=1)], made.predict(X))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("relation", Relation)
def test_hostile_rows_neither_fail_nor_warn(delta, relation):
    data = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="raise"):
            made = LogisticRegression(epsilon=1, delta=delta, bounds=(-1, 1), classes=[0, 1], relation=relation)
            made.fit(data, labels(len(data)))
            assert np.all(np.isfinite(made.coef_))
            assert set(made.predict(data)) <= {0, 1}
            assert np.all(np.isfinite(made.predict_proba(data)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_few_rows_collinear_columns_and_labels_of_one_kind_are_fitted(delta):
    made = LogisticRegression(epsilon=1, delta=delta, bounds=(-1, 1), classes=["a", "b"])
    assert made.fit(np.ones((2, 5)), ["a", "a"]).coef_.shape == (1, 5)
    assert made.fit(np.zeros((0, 3)), np.zeros(0)).coef_.shape == (1, 3)
    assert made.fit(np.ones((9, 2)), ["x"] * 9).coef_.shape == (1, 2)


def test_the_number_of_steps_is_the_planned_one():
    X, y = np.zeros((10, 2)), np.arange(10) % 2
    few, many = (LogisticRegression(1, delta=1e-6, bounds=(-1, 1), n_public=n).fit(X, y).n_iter_ for n in (10, 10**6))
    assert few < many


def test_without_intercept_there_is_none():
    X, y = load_breast_cancer(return_X_y=True)
    made = LogisticRegression(1, delta=1e-6, bounds=(-1, 1), fit_intercept=False, n_public=5).fit(X, y)
    assert made.intercept_.tolist() == [0.0]
