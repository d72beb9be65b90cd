"""What both regressions that draw their coefficients share."""

import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import DaleniusError, InvalidParameter, UnboundedQuery
from dalenius.learning import ExponentialERM, KNormGradient
from dalenius.learning.solvers import stopped_rejection as stopped
from dalenius.ledger import Ledger
from tests.learning.adversary import FEATURES, rows
from tests.learning.checks import REGRESSOR
from tests.learning.sums.test_moments import TARGETS

BOTH = [KNormGradient, ExponentialERM]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Stop after some 256 tries, for speed: the law of an answer does not change."""
    monkeypatch.setattr(stopped, "STOP_EXPONENT", 8)


@pytest.mark.parametrize("kind", BOTH)
def test_scikit_learn_checks_pass(kind):
    made = kind(epsilon=1000, bounds=(-5, 5), target_bounds=(-5, 5), coefficient_bound=3)
    told = check_estimator(made, expected_failed_checks=REGRESSOR, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= REGRESSOR.keys()


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_a_line_is_found(kind, relation, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform([0, 10], [4, 30], (40_000, 2))
    y = 3 * X[:, 0] - 2 * X[:, 1] + 50 + rng.normal(size=40_000)
    monkeypatch.setattr(stopped, "STOP_EXPONENT", 30)
    made = kind(4, bounds=([0, 10], [4, 30]), target_bounds=(-20, 50), relation=relation).fit(X, y)
    assert made.coef_ == pytest.approx([3, -2], abs=1.0)
    assert made.score(X, y) > 0.9
    assert not made.stopped_
    assert made.guarantee_.epsilon(0) == 4
    assert made.predict([[1e300, np.nan], [-np.inf, np.inf]]).min() >= -20


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("loss", ["squared", "quantile"])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_hostile_rows_neither_fail_nor_warn(kind, loss, count):
    data = rows()[-count:] if count else np.zeros((0, FEATURES))
    data = data if loss == "squared" else data[:, :1]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        made = kind(1, bounds=(-1, 1), target_bounds=(-5, 5), loss=loss).fit(data, np.resize(TARGETS, count))
        assert np.all(np.isfinite(made.coef_))
        assert np.all(np.isfinite(made.predict(rows()[:, : data.shape[1]])))
        made.fit(np.ones((9, 2)), ["x"] * 9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"loss": "hinge"},
        {"level": 0},
        {"level": 1},
        {"coefficient_bound": 0},
        {"coefficient_bound": 1e9},
        {"ridge": 0},
        {"ridge": "0.0001"},
        {"epsilon": -1},
        {"epsilon": "1e-12"},
        {"ridge": 10**12},
    ],
)
@pytest.mark.parametrize("kind", BOTH)
def test_what_is_out_of_range_is_refused_before_the_charge(kind, wrong, tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    given = {"bounds": (0, 1), "target_bounds": (0, 1), "ledger": ledger, "dataset": "people"} | wrong
    with pytest.raises(DaleniusError):
        kind(**given).fit(np.ones((3, 1)), np.ones(3))
    assert not ledger.entries("people")
    ledger.close()


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("epsilon", ["1e-6", 1e6])
def test_tiny_and_huge_budgets_work(kind, epsilon):
    made = kind(epsilon, bounds=(0, 1), target_bounds=(0, 1)).fit(np.linspace(0, 1, 50)[:, None], np.linspace(0, 1, 50))
    assert np.all(np.isfinite(made.coef_))
    assert made.cost_of_privacy(200, 1, runs=1) > -1


def test_what_is_missing_is_named():
    with pytest.raises(UnboundedQuery):
        KNormGradient(bounds=(0, 1)).fit(np.ones((3, 1)), np.ones(3))
    with pytest.raises(InvalidParameter, match="at most 3 coefficients"):
        KNormGradient(bounds=(0, 1), target_bounds=(0, 1), loss="quantile").fit(np.ones((3, 3)), np.ones(3))
