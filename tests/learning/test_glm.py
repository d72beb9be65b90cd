import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning import HuberRegression, LogisticRegression, PoissonRegression
from dalenius.learning.budget import Budget
from dalenius.learning.glm import WEAK_SIGNAL, chosen_method
from dalenius.learning.losses import ClippedHuber, ClippedLogistic, ClippedPoisson, ClippedSoftmax
from dalenius.neighbors import Relation

PURE, WITH_DELTA = (Budget.of(1, delta, Relation.ADD_REMOVE) for delta in (0, 1e-5))


def test_the_rule_reads_public_numbers_alone():
    """μ is 1/3.7306 at (1, 10⁻⁵): the noise of one gradient is 1.8653 in each of 4 coordinates, 30 rows are 8 of it."""
    assert WEAK_SIGNAL == 8
    assert chosen_method("auto", WITH_DELTA, ClippedLogistic(), 29, 4) == "objective"
    assert chosen_method("auto", WITH_DELTA, ClippedLogistic(), 30, 4) == "descent"
    assert chosen_method("auto", WITH_DELTA, ClippedLogistic(), None, 4) == "descent"
    assert chosen_method("auto", WITH_DELTA, ClippedSoftmax(3), 5, 4) == "descent"
    for loss in (ClippedHuber(0.5), ClippedPoisson(3.0)):
        assert chosen_method("auto", WITH_DELTA, loss, None, 4) == "objective"
    assert chosen_method("auto", PURE, ClippedSoftmax(3), 10**6, 4) == "objective"


def test_a_method_without_a_proof_is_refused():
    for method, budget, loss in (
        ("newton", PURE, ClippedLogistic()),
        ("descent", PURE, ClippedLogistic()),
        ("objective", WITH_DELTA, ClippedSoftmax(3)),
    ):
        with pytest.raises(InvalidParameter):
            chosen_method(method, budget, loss, 100, 4)


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
