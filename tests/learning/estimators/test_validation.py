from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning import LinearRegression, LogisticRegression, cross_validate
from dalenius.ledger import Ledger

X = np.random.default_rng(0).uniform(-1, 1, (3000, 2))
Y = (X[:, 0] > 0).astype(int)


def model(**more):
    return LogisticRegression(**({"epsilon": 2, "bounds": (-1, 1), "classes": [0, 1]} | more))


def test_scores_are_near_the_truth_and_the_price_is_that_of_all_folds():
    found = cross_validate(model(), X, Y, epsilon=1, folds=4)
    assert len(found.test_score) == 4
    assert 0.85 < found.mean <= 1
    assert found.guarantee.sum_form == (3 * 2 + 1, 0)
    gaussian = cross_validate(model(delta=1e-6), X, Y, epsilon=Fraction(1, 2), folds=2)
    assert gaussian.guarantee.delta(2.5) <= 1.000001e-6
    assert "over 2 folds" in str(gaussian)


def test_every_row_trains_all_folds_but_the_one_it_tests(monkeypatch):
    trained, tested = [], []
    fit = LogisticRegression.fit
    monkeypatch.setattr(LogisticRegression, "fit", lambda self, a, b: (trained.extend(a[:, 0]), fit(self, a, b))[1])
    monkeypatch.setattr(
        "dalenius.learning.estimators.validation.noisy_hits", lambda m, a, b, *_: (tested.extend(a[:, 0]), (1, 1))[1]
    )
    cross_validate(model(), X, Y, epsilon=1, folds=3)
    assert sorted(tested) == sorted(X[:, 0])
    assert sorted(trained) == sorted([*X[:, 0], *X[:, 0]])


def test_fits_and_counts_are_charged(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=20, unit="row")
    cross_validate(model(ledger=book, dataset="people"), X, Y, epsilon=1, folds=3)
    assert len(book.entries("people")) == 4
    assert book.spent("people").epsilon == 3 * 2 + 1
    book.close()


def test_what_has_no_price_is_refused():
    wrong = [
        (model(classes=None), UnprovenClaim),
        (LinearRegression(), UnprovenClaim),
        (object(), UnprovenClaim),
    ]
    for each, error in wrong:
        with pytest.raises(error):
            cross_validate(each, X, Y, epsilon=1)
    with pytest.raises(InvalidParameter):
        cross_validate(model(), X, Y, epsilon=1, folds=1)
