from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dalenius.learning.solvers.convex_terms import BallDomain, Separable
from dalenius.learning.solvers.proximal import certified, exact_proximal_minimum, proximal_minimum, steepness
from dalenius.learning.solvers.solver import TOLERANCE, Objective
from dalenius.learning.sums.hinge import HuberHinge
from dalenius.learning.sums.loss_bounds import Logistic, Softmax

INF = float("inf")
ONES = np.ones((3, 1))
WIDE = Separable((0.5, 0.0, 0.0), (-INF,) * 3, (INF,) * 3)
NARROW = Separable((3.0, 0.0, 0.0), (-INF, 0.0, -INF), (INF, INF, 0.1))


def rows(count, outputs=1, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3))
    x = np.trunc(x / np.linalg.norm(x, axis=1, keepdims=True) * 2**18 * (1 - 1e-9))
    scores = x @ rng.normal(size=(3, max(2, outputs))) / 2**17 + rng.gumbel(size=(count, max(2, outputs)))
    return x, scores.argmax(axis=1).astype(float)


def objective(count, loss, seed=0, ridge=0.5):
    linear = np.random.default_rng(seed + 9).normal(size=(3, loss.outputs))
    return Objective([rows(count, loss.outputs, seed)], 18, loss, ridge, linear)


@pytest.mark.parametrize("loss", [Logistic(), HuberHinge(Fraction(1, 2)), Softmax(3)], ids=repr)
@pytest.mark.parametrize("term", [NARROW, BallDomain(0.5)], ids=repr)
def test_no_point_near_the_answer_is_better(loss, term):
    made = objective(500, loss)
    answer = proximal_minimum(made, term, (3, loss.outputs))
    assert answer is not None

    def value(at):
        return made.value(at) + term.value(at)

    rng, least = np.random.default_rng(3), value(answer)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(50):
            near = term.nearest(answer + size * rng.normal(size=answer.shape), 0.0)
            assert value(near) >= least - 1e-9


def test_a_lasso_is_scikit_learn_s():
    """Without an intercept, at C = 0.002; the ridge is too small to show."""
    x, y = rows(4000)
    made = Objective([(x, y)], 18, Logistic(), 1e-6, np.zeros((3, 1)))
    answer = proximal_minimum(made, Separable((500.0,) * 3, (-INF,) * 3, (INF,) * 3), (3, 1))
    plain = LogisticRegression(l1_ratio=1, C=0.002, solver="saga", fit_intercept=False, tol=1e-10, max_iter=5000)
    assert answer is not None
    assert answer[:, 0] == pytest.approx(plain.fit(x * 2.0**-18, y).coef_[0], abs=1e-4)
    assert (answer == 0).any()


def test_the_exact_solver_finds_the_same():
    for term in (NARROW, BallDomain(0.2)):
        made = objective(6, Logistic(), ridge=4.0)
        floats = proximal_minimum(made, term, (3, 1))
        exact = exact_proximal_minimum(made, term, (3, 1), [Fraction(v) for v in made.linear.ravel()])
        assert floats is not None
        assert np.linalg.norm(exact.astype(float) - floats) <= 2 * TOLERANCE / 4.0


def test_a_point_that_is_not_the_minimum_is_not_certified():
    made = objective(500, Logistic())
    answer = proximal_minimum(made, NARROW, (3, 1))
    assert answer is not None
    steep = steepness(made)
    for away in (np.array([[0.0], [0.0], [-1e-3]]), np.array([[0.0], [1e-3], [0.0]])):
        gradient, error = made.gradient(answer + away)
        assert certified(answer + away, gradient, error, steep, 0.5, NARROW) is None


def test_what_is_certified_lies_as_close_to_the_minimum_as_proved():
    """From points at all distances; the second rows are 0, so that only the ridge bends and little is given away."""
    rng, shares = np.random.default_rng(5), []
    for made in (
        objective(500, Logistic()),
        Objective([(np.zeros((500, 3)), np.ones(500))], 18, Logistic(), 0.5, ONES),
    ):
        answer, steep = proximal_minimum(made, WIDE, (3, 1)), steepness(made)
        for _ in range(50):
            point = answer + 10.0 ** rng.uniform(-4, 0.5) * rng.normal(size=answer.shape)
            gradient, error = made.gradient(point)
            tolerances = [2.0**k for k in range(-14, 20)]
            ends = [(certified(point, gradient, error, steep, 0.5, WIDE, t), t) for t in tolerances]
            there, tolerance = next((end, t) for end, t in ends if end is not None)
            shares.append(np.linalg.norm(there - answer) * 0.5 / (tolerance + TOLERANCE))
    assert 0.2 < max(shares) <= 1
