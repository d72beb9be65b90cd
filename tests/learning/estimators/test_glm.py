import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning import HuberRegression, LogisticRegression, PoissonRegression
from dalenius.learning.estimators.glm import chosen_method
from dalenius.learning.plans.budget import Budget
from dalenius.learning.sums.losses import ClippedHuber, ClippedLogistic, ClippedPoisson, ClippedSoftmax
from dalenius.neighbors import Relation

PURE, WITH_DELTA = (Budget.of(1, delta, Relation.ADD_REMOVE) for delta in (0, 1e-5))


def test_the_rule_reads_public_facts_alone():
    for loss in (ClippedLogistic(), ClippedSoftmax(3)):
        assert chosen_method("auto", WITH_DELTA, loss) == "descent"
    for loss in (ClippedHuber(0.5), ClippedPoisson(3.0)):
        assert chosen_method("auto", WITH_DELTA, loss) == "objective"
        assert chosen_method("descent", WITH_DELTA, loss) == "descent"
    for loss in (ClippedLogistic(), ClippedSoftmax(3), ClippedHuber(0.5)):
        assert chosen_method("auto", PURE, loss) == "objective"


def test_a_method_without_a_proof_is_refused():
    for method, budget, loss in (
        ("newton", PURE, ClippedLogistic()),
        ("descent", PURE, ClippedLogistic()),
        ("objective", WITH_DELTA, ClippedSoftmax(3)),
    ):
        with pytest.raises(InvalidParameter):
            chosen_method(method, budget, loss)


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
