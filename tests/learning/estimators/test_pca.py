import warnings

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import DaleniusError
from dalenius.learning import PCA
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.estimators.pca import NoisyCovariance
from dalenius.learning.plans.budget import FitBudget
from dalenius.neighbors import Relation
from tests.learning.adversary import FEATURES, rows
from tests.learning.checks import TRANSFORMER
from tests.learning.unsupervised import parts, reached


def plan(relation=Relation.ADD_REMOVE, delta=0, epsilon=1):
    return NoisyCovariance(Box.declare((-1, 1), FEATURES), FitBudget.of(epsilon, delta, relation), (), 1)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_no_row_reaches_further_than_is_paid_for(relation, delta):
    """Every hostile row, and every pair, in whole numbers, those along the first axis of the data among them."""
    made = plan(relation, delta)
    _, square = reached(parts(made.sums), relation is Relation.CHANGE_ONE)
    bound = made.sensitivity().square
    assert 0.5 * bound < square <= bound  # half the sensitivity, a quarter of this, would be too little
    cost = made.mechanism().guarantee(made.sensitivity(), relation)
    assert (cost.square if delta else cost.budget) <= made.budget.total


def test_a_clip_that_is_skipped_is_caught(monkeypatch):
    monkeypatch.setattr(
        "dalenius.learning.data.box.UnitRows._lengths", lambda self, fine: np.full(len(fine), self.radius)
    )
    made = plan()
    assert reached(parts(made.sums), pairs=False)[1] > made.sensitivity().square


def data():
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.normal(size=(FEATURES, FEATURES)))[0]
    return 0.1 + (rng.normal(size=(20_000, FEATURES)) * [0.2, 0.1, 0.05, 0.02]) @ turn


def test_without_noise_it_is_the_plain_model():
    X = data()
    made, plain = PCA(3, 1e5, bounds=(-1, 1)).fit(X), decomposition.PCA(3).fit(X)
    assert np.abs((made.components_ * plain.components_).sum(axis=1)) == pytest.approx([1, 1, 1], abs=1e-3)
    assert made.explained_variance_ == pytest.approx(plain.explained_variance_, rel=0.02)
    assert made.explained_variance_ratio_ == pytest.approx(plain.explained_variance_ratio_, abs=0.01)
    assert made.singular_values_ == pytest.approx(plain.singular_values_, rel=0.02)
    assert made.mean_ == pytest.approx(plain.mean_, abs=1e-3)
    assert made.noise_variance_ == pytest.approx(plain.noise_variance_, rel=0.1)
    back = made.inverse_transform(made.transform(X))
    assert np.abs(back - plain.inverse_transform(plain.transform(X))).max() < 0.05


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_first_axis_is_found(delta):
    X = data()
    plain = decomposition.PCA(1).fit(X).components_[0]
    made = PCA(1, 1, delta=delta, bounds=(-1, 1), whiten=True).fit(X)
    assert abs(made.components_[0] @ plain) > 0.98
    assert made.transform(X).std() == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_hostile_rows_neither_fail_nor_warn(delta, count):
    X = rows()[-count:] if count else np.zeros((0, FEATURES))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        made = PCA(2, 1, delta=delta, bounds=(-1, 1)).fit(X)
        for released in (made.components_, made.explained_variance_, made.explained_variance_ratio_, made.mean_):
            assert np.all(np.isfinite(released))
        assert np.all(np.isfinite(made.transform(rows())))


def test_rows_are_added_one_by_one():
    X, made = rows(), plan()
    whole = made.sums(Rows(X, np.zeros(len(X))))
    assert np.array_equal(whole, sum(made.sums(Rows(X[i : i + 1], np.zeros(1))) for i in range(len(X))))


@pytest.mark.parametrize(
    "wrong", [{"n_components": 0}, {"n_components": 3}, {"n_components": 0.5}, {"epsilon": 0}, {"bounds": None}]
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(DaleniusError):
        PCA(**({"bounds": (-1, 1)} | wrong)).fit(np.ones((4, 2)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_scikit_learn_checks_pass(delta):
    made = PCA(1, epsilon=1000, delta=delta, bounds=(-10, 10))
    told = check_estimator(made, expected_failed_checks=TRANSFORMER, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= TRANSFORMER.keys()
