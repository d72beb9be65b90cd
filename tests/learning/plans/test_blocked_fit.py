"""One row changes one block's answer, whatever the estimator does."""

import random
import sys
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, SGDRegressor

from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.plans import blocked_fit as blocks
from dalenius.learning.plans.blocked_fit import BlockedFit, Fitted, Numbers, answer, answers, seeded
from dalenius.learning.plans.budget import FitBudget
from dalenius.neighbors import Relation
from dalenius.noise import Bits, UniformInteger
from tests.learning.adversary import FEATURES, rows

FITTED = Fitted(
    ("coef_", "intercept_"), ((FEATURES,), ()), ((Fraction(-1), Fraction(1)),) * 2, (Fraction(1, 4), Fraction(0))
)
DEFAULT = [0.25] * FEATURES + [0.0]
PARTS = 6


class Hostile(RegressorMixin, BaseEstimator):
    """Does what the sum of its rows says."""

    def __init__(self, way="error"):
        self.way = way

    def fit(self, X, y):
        self.coef_, self.intercept_ = np.full(FEATURES, 0.5), 0.5
        if self.way == "error":
            raise ValueError(f"a row: {X[0]}")
        if self.way == "exit":
            sys.exit(3)
        if self.way == "interrupt":
            raise KeyboardInterrupt
        if self.way == "warning":
            warnings.warn("a row is odd", UserWarning, stacklevel=1)
        if self.way == "shape":
            self.coef_ = np.zeros(len(X))
        if self.way == "text":
            self.coef_ = np.array(["x"] * FEATURES)
        if self.way == "nan":
            self.coef_[0] = np.nan
        if self.way == "print":
            print(X)  # noqa: T201
            print(X, file=sys.stderr)  # noqa: T201
            np.log(-np.ones(1))
        if self.way == "missing":
            del self.coef_
        return self


@pytest.mark.parametrize("way", ["error", "exit", "interrupt", "warning", "shape", "text", "missing"])
def test_whatever_goes_wrong_is_the_default(way):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = answer(Hostile(way), np.ones((3, FEATURES)), np.ones(3), 0, FITTED)
    assert found.tolist() == DEFAULT


def test_no_number_is_the_default_and_the_rest_is_kept(capfd):
    found = answer(Hostile("nan"), np.ones((3, FEATURES)), np.ones(3), 0, FITTED)
    assert found.tolist() == [0.25, 0.5, 0.5, 0.5, 0.5]
    answer(Hostile("print"), np.ones((3, FEATURES)), np.ones(3), 0, FITTED)
    assert capfd.readouterr() == ("", "")


def test_an_empty_block_is_the_default():
    assert answer(LinearRegression(), np.ones((0, FEATURES)), np.ones(0), 0, FITTED).tolist() == DEFAULT


def plan(estimator, relation=Relation.ADD_REMOVE):
    box = Box.declare((-1, 1), FEATURES)
    return BlockedFit(box, Numbers(), FitBudget.of(1, 0, relation), (), estimator, None, FITTED, PARTS, None)


def told(made, view, drawn):
    return answers(made.estimator, list(made.divided(view, drawn)), list(range(PARTS)), FITTED, None)


@pytest.mark.parametrize("estimator", [LinearRegression(), SGDRegressor(max_iter=5, tol=None), Hostile("nan")])
@pytest.mark.theorem("A §8.1 subsample and aggregate", "A Rem 8.1")
def test_a_row_changes_no_other_block(estimator):
    """Each hostile row removed from where it stands: all answers but that of its block are bit by bit the same."""
    X = rows(3, 60)
    y = np.resize([0.5, np.nan, -1e308, 1e308, np.inf, 0.1], len(X))
    drawn = UniformInteger(PARTS).sample(Bits(), len(X))
    made = plan(estimator)
    whole = told(made, Rows(X, y), drawn)
    for at in range(0, len(X), 7):
        kept = np.arange(len(X)) != at
        less = told(made, Rows(X[kept], y[kept]), drawn[kept])
        others = np.arange(PARTS) != drawn[at]
        assert np.array_equal(whole[others], less[others])


def test_blocks_by_position_and_a_shared_generator_would_be_caught():
    """Mutants: rows dealt out in turn move with every row before them; so does a random state that blocks share."""
    X, y = rows(3, 60), np.linspace(-1, 1, len(rows(3, 60)))
    made, kept = plan(LinearRegression()), np.arange(len(X)) != 0
    turn = np.arange(len(X)) % PARTS
    whole, less = told(made, Rows(X, y), turn), told(made, Rows(X[kept], y[kept]), turn[:-1])
    assert (np.abs(whole - less).max(axis=1) > 0).sum() > 1
    shared = SGDRegressor(max_iter=5, tol=None, random_state=np.random.RandomState(0))
    assert isinstance(seeded(shared, 3).random_state, int)
    assert seeded(SGDRegressor(random_state=7), 3).random_state == 7


def test_every_row_draws_its_own_block(monkeypatch):
    asked = []
    monkeypatch.setattr(blocks, "UniformInteger", lambda k: asked.append(k) or UniformInteger(k))
    plan(LinearRegression()).run(Rows(np.zeros((9, FEATURES)), np.zeros(9)), Bits())
    assert asked == [PARTS]


@pytest.mark.parametrize("relation", Relation)
def test_the_aggregate_costs_epsilon_for_one_changed_answer(relation):
    made = plan(LinearRegression(), relation)
    assert made.aggregate().guarantee.sum_form == (1, 0)
    assert made.aggregate().unit.relation is Relation.CHANGE_ONE
    assert made.guarantee.epsilon(0) == 1


@pytest.mark.long  # processes take seconds to start
def test_processes_give_the_same_answers():
    X = np.random.default_rng(0).uniform(-1, 1, (80, FEATURES))
    made = plan(LinearRegression())
    parts = list(made.divided(Rows(X, X @ np.ones(FEATURES) / 9), UniformInteger(PARTS).sample(Bits(), 80)))
    alone, together = (answers(made.estimator, parts, [0] * PARTS, FITTED, jobs) for jobs in (None, 2))
    assert np.array_equal(alone, together)


def test_numbers_names_and_attributes_go_together():
    assert FITTED.names == (*(f"coef_[{i}]" for i in range(FEATURES)), "intercept_[]")
    parts = FITTED.parts(np.arange(5.0))
    assert parts["coef_"].tolist() == [0, 1, 2, 3]
    assert parts["intercept_"] == 4.0
    assert FITTED.held(np.array([9, -9, np.inf, 0.5, np.nan])).tolist() == [1, -1, 0.25, 0.5, 0]


class Drawing(RegressorMixin, BaseEstimator):
    """Takes as many numbers from the global generators as it has rows."""

    def fit(self, X, y):
        np.random.uniform(size=len(X))
        for _ in X:
            random.random()
        self.coef_, self.intercept_ = np.random.uniform(-1, 1, FEATURES), random.uniform(-1, 1)
        return self


def test_no_global_generator_carries_a_row_to_another_block_or_out_of_the_fit():
    X = rows()
    y = np.arange(len(X), dtype=float)
    divided = [(X[at::PARTS], y[at::PARTS]) for at in range(PARTS)]
    without = [(X[PARTS::PARTS], y[PARTS::PARTS]), *divided[1:]]
    found = []
    for each in (divided, without):
        np.random.seed(3)
        random.seed(3)
        given = answers(Drawing(), each, list(range(PARTS)), FITTED, None)
        found.append((given, np.random.uniform(), random.random()))
    (one, *after), (other, *later) = found
    assert np.array_equal(one[1:], other[1:])
    assert not np.array_equal(one[0], other[0])
    assert after == later
