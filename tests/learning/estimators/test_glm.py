import numpy as np
import pytest
from sklearn import linear_model
from sklearn.metrics import log_loss

from dalenius.errors import InvalidParameter
from dalenius.learning import HuberRegression, LogisticRegression, PoissonRegression
from dalenius.learning.estimators.glm import chosen_method
from dalenius.learning.plans.budget import FitBudget
from dalenius.neighbors import Relation

PURE, WITH_DELTA = (FitBudget.of(1, delta, Relation.ADD_REMOVE) for delta in (0, 1e-5))


def test_the_rule_reads_public_facts_alone():
    for signal in (0.0, 1e9):
        assert chosen_method("auto", WITH_DELTA, 0.0, signal) == "objective"
        assert chosen_method("objective", WITH_DELTA, 60.0, signal) == "objective"
        assert chosen_method("auto", PURE, 80.0, signal) == "objective"
    for method in ("auto", "descent"):  # with many rows either is the plain model
        assert [chosen_method(method, WITH_DELTA, 80.0, s) for s in (1.0, 1e3)] == ["descent", "objective"]


def test_a_method_without_a_proof_is_refused():
    for method, budget in (("newton", PURE), ("descent", PURE), ("newton", WITH_DELTA)):
        with pytest.raises(InvalidParameter):
            chosen_method(method, budget, 1, 1.0)
    for wrong in ({"C": 0}, {"C": "1"}, {"row_norm": -1}, {"class_weight": "balanced"}, {"class_weight": {7: 1}}):
        with pytest.raises(InvalidParameter):
            LogisticRegression(1, bounds=(-1, 1), classes=[0, 1], **wrong).fit(X, X[:, 0] > 0)
    for model in (
        HuberRegression(1, bounds=(-1, 1), target_bounds=(-1, 1), alpha=-1),
        LogisticRegression(1, delta=1e-6, bounds=(-1, 1), class_weight={True: 2}, method="descent"),
    ):
        with pytest.raises(InvalidParameter):
            model.fit(X, X[:, 0] > 0)


RNG = np.random.default_rng(1)
X = RNG.uniform(-1, 1, (4000, 2))


@pytest.mark.parametrize("method", ["objective", "descent"])
def test_both_methods_learn_and_cost_what_was_asked_for(method):
    more = {"delta": 1e-5, "bounds": (-1, 1), "method": method}
    two = LogisticRegression(2, classes=[0, 1], **more).fit(X, X[:, 0] > 0)
    assert two.score(X, X[:, 0] > 0) > 0.85
    line = HuberRegression(2, target_bounds=(-2, 2), **more).fit(X, X[:, 0] + 0.1 * RNG.normal(size=4000))
    assert line.coef_[0] > 0.4
    counts = PoissonRegression(2, ceiling=10, **more).fit(X, RNG.poisson(np.exp(X[:, 0])))
    assert counts.coef_[0] > 0
    for model in (two, line, counts):
        assert model.guarantee_.sum_form[0] == 2
        assert model.guarantee_.delta(2) <= 1e-5
        assert model.guarantee_.public == ()
        assert model.n_iter_ >= 1


def design(kind, rows):
    rng = np.random.default_rng(24)
    if kind == "uniform":
        return rng.uniform(-1, 1, (rows, 3))
    if kind == "correlated":
        return np.clip(rng.normal(size=(rows, 3)) @ np.linalg.cholesky(0.2 * np.eye(3) + 0.8).T / 3, -1, 1)
    return 2 * rng.random((rows, 3)) ** 4 - 1


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("kind", ["uniform", "correlated", "skewed"])
def test_errors_to_the_plain_fit_fall_with_the_rows(kind, delta):
    """From 10⁴ to 10⁵ rows at ε = 1 by √10 or more: four fits each, expected at a tenth, allowed at 0.6."""
    found = []
    for rows in (10_000, 100_000):
        Z, rng = design(kind, rows), np.random.default_rng(rows)
        score = Z @ [1, -2, 0.5]
        labels, counts = rng.random(rows) < 1 / (1 + np.exp(-score)), rng.poisson(np.exp(score / 2))
        plain = linear_model.LogisticRegression().fit(Z, labels)
        rates = linear_model.PoissonRegressor(alpha=0).fit(Z, np.minimum(counts, 15))
        two = LogisticRegression(1, delta=delta, bounds=(-1, 1), classes=[False, True])
        many = PoissonRegression(1, delta=delta, bounds=(-1, 1), ceiling=15)
        gaps = [[np.linalg.norm(two.fit(Z, labels).coef_ - plain.coef_) for _ in range(4)]]
        gaps.append([np.linalg.norm(many.fit(Z, counts).coef_ - rates.coef_) for _ in range(4)])
        found.append(np.sqrt(np.mean(np.square(gaps), axis=1)))
        assert log_loss(labels, two.predict_proba(Z)) < 1.01 * log_loss(labels, plain.predict_proba(Z))
    assert np.all(found[1] < 0.6 * found[0])
