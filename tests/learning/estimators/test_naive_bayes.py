import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import DaleniusError
from dalenius.learning import NaiveBayes
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.estimators.naive_bayes import ClassMoments
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.tallies import DIGITS
from dalenius.neighbors import Relation
from tests.learning.adversary import FEATURES, labels, rows
from tests.learning.checks import CLASSIFIER
from tests.learning.unsupervised import parts, reached

STEPS = 1 << DIGITS


def plan(relation=Relation.ADD_REMOVE, delta=0):
    return ClassMoments(Box.declare((-1, 1), FEATURES), ClassLabels((0, 1)), FitBudget.of(1, delta, relation), ())


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.theorem("A Ex 3.4")
def test_no_row_reaches_further_than_is_paid_for(relation):
    """Every hostile row, and every pair, in whole numbers; the bound is nearly reached, so half of it would fail."""
    made = plan(relation)
    l1, square = reached(parts(made.sums, (0.0, 1.0, np.nan, 7.0)), relation is Relation.CHANGE_ONE)
    reach = made.reach()
    assert l1 <= reach.l1 * STEPS
    assert square <= reach.square * STEPS**2
    assert l1 > reach.l1 * STEPS * 0.99
    assert square > reach.square * STEPS**2 * 0.9


def test_a_clip_that_is_skipped_is_caught(monkeypatch):
    monkeypatch.setattr(Box, "scaled", lambda self, features: np.clip(np.nan_to_num(features), -9, 9))
    made = plan()
    assert reached(parts(made.sums, (0.0,)), pairs=False)[0] > made.reach().l1 * STEPS


def test_without_noise_it_is_the_plain_model():
    X, y = load_iris(return_X_y=True)
    made = NaiveBayes(1e6, bounds=(X.min(0), X.max(0)), classes=[0, 1, 2]).fit(X, y)
    plain = GaussianNB().fit(X, y)
    assert made.theta_ == pytest.approx(plain.theta_, abs=1e-3)
    assert made.var_ == pytest.approx(plain.var_, abs=2e-3)
    assert made.class_count_ == pytest.approx([50, 50, 50], abs=0.1)
    assert np.mean(made.predict(X) == plain.predict(X)) > 0.98
    assert np.abs(made.predict_proba(X) - plain.predict_proba(X)).max() < 0.05


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_classes_are_found(delta):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    X = np.where(y, 0.3, -0.3)[:, None] + 0.2 * rng.normal(size=(5000, 3))
    made = NaiveBayes(1, delta=delta, bounds=(-1, 1), classes=[0, 1]).fit(X, y)
    assert made.score(X, y) > 0.97
    assert made.predict_log_proba(X[:2]).shape == (2, 2)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_hostile_rows_neither_fail_nor_warn(delta, count):
    X = rows()[-count:] if count else np.zeros((0, FEATURES))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        made = NaiveBayes(1, delta=delta, bounds=(-1, 1), classes=[0, 1]).fit(X, labels(len(X)))
        for released in (made.theta_, made.var_, made.class_prior_):
            assert np.all(np.isfinite(released))
        assert np.all(made.var_ > 0)
        assert np.all(np.isfinite(made.predict_proba(rows())))
        made.fit(X, ["x"] * len(X))


def test_rows_are_added_one_by_one():
    """In another order, or in other company, a row adds the same."""
    X, y, made = rows(), labels(len(rows())), plan()
    whole = made.sums(Rows(X, y))
    assert np.array_equal(whole, made.sums(Rows(X[::-1], y[::-1])))
    assert np.array_equal(whole, sum(made.sums(Rows(X[i : i + 1], y[i : i + 1])) for i in range(len(X))))


@pytest.mark.parametrize(
    "wrong", [{"priors": [1]}, {"priors": [0.2, 0.2]}, {"priors": "x"}, {"classes": [1]}, {"epsilon": 0}]
)
def test_what_is_out_of_range_is_refused(wrong):
    given = {"bounds": (-1, 1), "classes": [0, 1]} | wrong
    with pytest.raises(DaleniusError):
        NaiveBayes(**given).fit(np.ones((4, 2)), [0, 1, 0, 1])


def test_public_chances_take_the_place_of_counts():
    made = NaiveBayes(1, bounds=(-1, 1), classes=[0, 1], priors=[0.9, 0.1]).fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert made.class_prior_.tolist() == [0.9, 0.1]


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_scikit_learn_checks_pass(delta):
    made = NaiveBayes(epsilon=1000, delta=delta, bounds=(-10, 10))
    told = check_estimator(made, expected_failed_checks=CLASSIFIER, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= CLASSIFIER.keys()
