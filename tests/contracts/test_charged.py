import pickle

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import dalenius
from dalenius.curator import Curator
from dalenius.errors import BudgetExceeded, InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.learning import LogisticRegression, Scaler, cross_validate
from dalenius.learning.plans.gate import Chargeable, answers_questions, gate_for
from dalenius.ledger import Ledger

X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
Y = (X[:, 0] > 0).astype(int)


def model(**more):
    return LogisticRegression(**({"epsilon": 0.5, "delta": 1e-6, "bounds": (-1, 1), "classes": [0, 1]} | more))


@pytest.fixture
def session(tmp_path):
    table = pa.table({"a": X[:, 0], "user": list(range(60))})
    terms = {"table": "people", "budget": {"epsilon": 4, "delta": 1e-4}, "ledger": tmp_path / "x.ledger"}
    made = dalenius.connect(table, unit="row", **terms)
    yield made
    made.ledger.close()


def entries(session):
    return session.ledger.entries(session.dataset)


def test_a_session_is_charged_by_reference_also_through_clones(session):
    made = model(curator=session)
    made.fit(X, Y)
    clone(made_with := make_pipeline(Scaler(bounds=(-1, 1)), clone(made))).fit(X, Y)
    assert made_with[-1].curator is session
    assert len(entries(session)) == 2
    assert session.budget.epsilon == 3
    assert isinstance(session, Chargeable)


def test_a_session_shows_no_exact_score_and_charges_nothing_for_asking(session):
    made = model(curator=session)
    with pytest.raises(UnprovenClaim, match="exact scores"):
        cross_val_score(made, X, Y, cv=3)
    with pytest.raises(UnprovenClaim, match="exact scores"):
        GridSearchCV(made, {"epsilon": [0.1, 0.2]}, cv=2).fit(X, Y)
    with pytest.raises(TypeError):
        cross_val_score(make_pipeline(Scaler(bounds=(-1, 1)), made), X, Y, cv=3)
    assert entries(session) == []
    fitted = made.fit(X, Y)
    with pytest.raises(UnprovenClaim):
        fitted.score(X, Y)
    assert fitted.predict(X).shape == (60,)  # a function of what was released


def test_private_scores_of_a_session_are_charged(session):
    found = cross_validate(model(curator=session), X, Y, epsilon=0.5, folds=2)
    assert len(entries(session)) == 3
    assert all(0 <= score <= 1 for score in found.test_score)


def test_folds_that_a_scorer_scores_are_charged_all_the_same(session):
    """By scoring="accuracy" scikit-learn scores predictions itself, unseen by the estimator; fits are charged."""
    cross_val_score(model(curator=session), X, Y, cv=3, scoring="accuracy")
    assert len(entries(session)) == 3


def test_a_session_that_protects_users_refuses_a_fit_that_protects_rows(tmp_path):
    table = pa.table({"a": X[:, 0], "user": list(range(60))})
    terms = {"table": "people", "budget": {"epsilon": 4, "delta": 1e-4}, "ledger": tmp_path / "u.ledger"}
    made = dalenius.connect(table, unit="user", contributions=1, **terms)
    with pytest.raises(MixedRelations):
        model(curator=made).fit(X, Y)
    assert entries(made) == []
    made.ledger.close()


def test_a_ledger_may_stand_where_a_curator_does(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, delta=1e-5, unit="row")
    made = model(curator=book, dataset="people")
    cross_val_score(made, X, Y, cv=2)
    assert len(book.entries("people")) == 2
    with pytest.raises(BudgetExceeded):
        clone(made).set_params(epsilon=5).fit(X, Y)
    with pytest.raises(InvalidParameter):
        model(curator=book).fit(X, Y)
    gate = Curator({"x": [1]}, unit="row", ledger=book, dataset="people")
    with pytest.raises(InvalidParameter):
        gate_for(None, gate, book, "people", None)
    assert not answers_questions(gate)
    book.close()


def test_a_copy_for_another_process_is_refused_rather_than_uncharged(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, delta=1e-5, unit="row")
    with pytest.raises(TypeError):
        pickle.dumps(model(ledger=book, dataset="people"))
    book.close()
