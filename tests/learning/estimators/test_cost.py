import pytest

from dalenius.errors import UnprovenClaim
from dalenius.learning import (
    DPSGD,
    HuberRegression,
    KMeans,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    PrivateSearch,
    PrivateSelection,
)
from dalenius.ledger import Ledger


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(bounds=(-1, 1), classes=["a", "b", "c"]),
        LogisticRegression(delta=1e-6, bounds=(0, 3), n_public=100),
        LinearRegression(bounds=(-1, 1), target_bounds=(0, 10)),
    ],
    ids=["three classes", "two classes", "line"],
)
def test_more_budget_costs_less_accuracy(model):
    # one run of ε = 0.02 costs .37 with a deviation of .14 at the least: ten are six deviations and more above .06
    much, little = (
        model.set_params(epsilon=epsilon).cost_of_privacy(600, 3, runs=runs) for epsilon, runs in ((50, 3), (0.02, 10))
    )
    assert little > much + 0.05
    assert much < 0.15


def test_a_model_without_a_target_is_refused_by_name():
    with pytest.raises(UnprovenClaim):
        KMeans(bounds=(0, 1)).cost_of_privacy(10, 2)


def test_nothing_is_spent(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, unit="row")
    LogisticRegression(1, bounds=(-1, 1), ledger=book, dataset="people").cost_of_privacy(100, 2, runs=1)
    assert book.entries("people") == []
    book.close()


@pytest.mark.parametrize(
    "model",
    [
        HuberRegression(bounds="private", target_bounds="private"),
        PoissonRegression(delta=1e-6, bounds=(0, 3), ceiling=9),
        PrivateSearch([LogisticRegression(bounds=(0, 1))], trials=2),
        PrivateSelection(bounds=(0, 1), target_bounds=(2, 3)),
        DPSGD(bounds=(-1, 1), steps=1, rate=1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_model_says_what_privacy_costs(model):
    assert -0.1 < model.set_params(epsilon=20).cost_of_privacy(500, 2, runs=1) < 5
