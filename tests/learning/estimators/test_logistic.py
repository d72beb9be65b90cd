import warnings

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss

from dalenius.errors import InvalidParameter
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
    made = LogisticRegression(1, delta=1e-6, bounds=(-1, 1), method="descent")
    few, many = (made.set_params(n_public=n).fit(X, y).n_iter_ for n in (10, 300))
    assert few < many
    assert made.set_params(n_public=10**6).fit(X, y).n_iter_ == 1  # the perturbed minimum


def test_without_intercept_there_is_none():
    X, y = load_breast_cancer(return_X_y=True)
    made = LogisticRegression(1, delta=1e-6, bounds=(-1, 1), fit_intercept=False, n_public=5).fit(X, y)
    assert made.intercept_.tolist() == [0.0]


def uniform(rows, outputs=1, seed=0):
    """Features uniform on [−1, 1], and labels by a logistic model of them."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, 3))
    rule = np.array([[1, -2, 0.5]]) if outputs == 1 else 2 * rng.normal(size=(outputs, 3))
    scores = X @ rule.T + rng.gumbel(size=(rows, outputs))
    return X, (scores[:, 0] > rng.gumbel(size=rows)).astype(int) if outputs == 1 else scores.argmax(axis=1)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("epsilon", [1, 100])
def test_with_many_rows_it_is_the_plain_model(epsilon, delta, outputs):
    """Slopes held to ½ would be off by 1: the bounds leave the noise, of deviation below .02, ample room."""
    X, y = uniform(50_000, outputs)
    made = LogisticRegression(epsilon, delta=delta, bounds=(-1, 1), classes=sorted(set(y))).fit(X, y)
    plain = linear_model.LogisticRegression().fit(X, y)
    assert made.coef_ == pytest.approx(plain.coef_, abs=0.15 if outputs == 1 else 0.4)
    assert made.intercept_ == pytest.approx(plain.intercept_, abs=0.15 if outputs == 1 else 0.4)
    assert log_loss(y, made.predict_proba(X)) <= 1.01 * log_loss(y, plain.predict_proba(X))
    assert made.slope_share_ == 1
    assert 1.5 < made.row_norm_ <= 3**0.5 + 1e-9


def test_weights_of_rows_and_classes_and_c_are_scikit_learn_s():
    """At ε = 10⁵ the cover of the solver is left, of scale .003; without C or weights coefficients are off by .3."""
    X, y = uniform(4000)
    weight = np.random.default_rng(1).uniform(0, 2, 4000)
    for more in ({"C": 0.01}, {"C": 1e-3}, {"C": 0.01, "class_weight": {1: 5.0}}):
        plain = linear_model.LogisticRegression(**more, tol=1e-8).fit(X, y, weight)
        made = LogisticRegression(1e5, bounds=(-1, 1), classes=[0, 1], largest_weight=2, n_public=10**9, **more)
        found = made.fit(X, y, sample_weight=weight)
        assert found.coef_ == pytest.approx(plain.coef_, abs=0.1)
        assert found.intercept_ == pytest.approx(plain.intercept_, abs=0.1)


def test_what_training_does_to_a_row_predictions_do_too():
    """A row beyond the declared length is the row on the ball in its direction, constant and all, in either."""
    X, y = uniform(3000)
    made = LogisticRegression(100, bounds=(-1, 1), classes=[0, 1], row_norm=0.5).fit(X, y)
    far = np.array([[0.9, -0.9, 0.9]])
    z = np.append(far[0], 1.0)
    near = z * np.sqrt(1.25) / np.linalg.norm(z)
    expected = near[:3] @ made.coef_[0] + near[3] * made.intercept_[0]
    assert made.decision_function(far)[0] == pytest.approx(expected, abs=1e-4)
    assert made.row_norm_ == pytest.approx(0.5)
    inside = np.array([[0.1, 0.2, -0.1]])
    assert made.decision_function(inside)[0] == pytest.approx(inside[0] @ made.coef_[0] + made.intercept_[0])


def test_a_lasso_is_scikit_learn_s_and_bounds_hold_coefficients():
    """At ε = 10⁵ the cover of the solver is left; the plain ridge would be off by .1 and more."""
    X, y = uniform(4000)
    plain = linear_model.LogisticRegression(l1_ratio=1, C=0.005, solver="saga", tol=1e-8, max_iter=2000).fit(X, y)
    more = {"bounds": (-1, 1), "classes": [0, 1], "n_public": 10**9}
    made = LogisticRegression(1e5, C=0.005, l1_ratio=1.0, **more).fit(X, y)
    ridge = LogisticRegression(1e5, C=0.005, **more).fit(X, y)
    assert made.coef_ == pytest.approx(plain.coef_, abs=0.03)
    assert np.abs(ridge.coef_ - plain.coef_).max() > 0.1
    for delta in (0.0, 1e-6):
        held = LogisticRegression(500, delta=delta, coef_bounds=(0, 0.25), **more).fit(X, y)
        assert held.coef_ == pytest.approx(np.array([[0.25, 0.0, 0.25]]), abs=0.03)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_lasso_of_many_classes_is_fitted(delta):
    X, y = uniform(3000, 3)
    made = LogisticRegression(5, delta=delta, bounds=(-1, 1), classes=[0, 1, 2], l1_ratio=0.5, C=0.1).fit(X, y)
    assert made.score(X, y) > 0.5


def test_penalties_and_bounds_out_of_range_are_refused():
    X, y = uniform(30)
    for wrong in ({"l1_ratio": 2}, {"l1_ratio": -1}, {"coef_bounds": (1, 0)}, {"coef_bounds": 3}):
        with pytest.raises(InvalidParameter):
            LogisticRegression(1, bounds=(-1, 1), classes=[0, 1], **wrong).fit(X, y)
    with pytest.raises(InvalidParameter, match="two classes"):
        LogisticRegression(1, bounds=(-1, 1), classes=[0, 1, 2], coef_bounds=(0, 1)).fit(X, y)
    with pytest.raises(InvalidParameter, match="descent"):
        LogisticRegression(1, delta=1e-6, bounds=(-1, 1), classes=[0, 1], l1_ratio=1, method="descent").fit(X, y)
    inf = float("inf")
    for nowhere in ((inf, inf), (-inf, -inf)):
        with pytest.raises(InvalidParameter, match="coef_bounds"):
            LogisticRegression(1, bounds=(-1, 1), classes=[0, 1], coef_bounds=nowhere).fit(X, y)


def test_scales_at_which_floats_prove_no_minimum_are_refused_or_held():
    """Each of these was an error after the charge, or a search without an end."""
    X, y = uniform(300)
    for more in ({"l1_ratio": 0.5}, {"coef_bounds": (0, float("inf"))}):
        with pytest.raises(InvalidParameter, match="too narrow"):
            LogisticRegression(1, bounds=(-1e-6, 1e-6), classes=[0, 1], **more).fit(X * 1e-6, y)
    for far in (1e308, 1e12):
        made = LogisticRegression(1, bounds=(-1e10, 1e10), classes=[0, 1], coef_bounds=(far, far)).fit(X * 1e10, y)
        assert np.all(np.isfinite(made.coef_))
        assert np.all(made.coef_ > 0)
    made = LogisticRegression(1, bounds=(-0.001, 0.001), classes=[0, 1], l1_ratio=0.5).fit(X * 0.001, y)
    assert np.all(np.isfinite(made.coef_))
