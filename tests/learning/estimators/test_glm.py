import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning import HuberRegression, LogisticRegression, PoissonRegression
from dalenius.learning.estimators.glm import chosen_method
from dalenius.learning.plans.budget import Budget
from dalenius.neighbors import Relation

PURE, WITH_DELTA = (Budget.of(1, delta, Relation.ADD_REMOVE) for delta in (0, 1e-5))


def test_the_rule_reads_public_facts_alone():
    for signal in (0.0, 1e9):
        assert chosen_method("auto", WITH_DELTA, 1, signal) == "objective"
        assert chosen_method("descent", WITH_DELTA, 1, signal) == "descent"
        assert chosen_method("auto", PURE, 3, signal) == "objective"
    assert [chosen_method("auto", WITH_DELTA, 3, signal) for signal in (1.0, 1e3)] == ["descent", "objective"]


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
