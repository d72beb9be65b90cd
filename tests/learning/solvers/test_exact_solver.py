from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dalenius.learning.solvers.exact_solver import exact_minimum
from dalenius.learning.solvers.solver import TOLERANCE, minimum
from dalenius.learning.sums.loss_bounds import Logistic, Softmax
from dalenius.learning.sums.regression_loss_bounds import Huber, Poisson
from dalenius.numerics import precision
from tests.learning.adversary import FEATURES, labels, rows
from tests.learning.solvers.test_solver import objective, real_gradient

LOSSES = [Logistic(), Logistic(Fraction(5, 8)), Softmax(3), Huber(Fraction(1, 2)), Poisson(4.0)]


def problem(loss, ridge=3.0):
    data = rows(count=5)
    made = objective(loss, data, labels(len(data)), ridge)
    return made, (FEATURES + 1, loss.outputs), [Fraction(v) for v in made.linear.ravel()]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_exact_minimum_is_where_newton_s_is(loss):
    """Both gradients are at most τ, so the two are within 2τ/γ of each other: the minimum is one point."""
    made, shape, linear = problem(loss)
    exact = exact_minimum(made, shape, linear).astype(float)
    assert np.linalg.norm(exact - minimum(made, shape)) <= 2 * TOLERANCE / made.ridge


def test_the_real_gradient_is_short():
    made, shape, linear = problem(Logistic())
    found = exact_minimum(made, shape, linear).astype(float)
    length = sum(float(v) ** 2 for row in real_gradient(made, found) for v in row) ** 0.5
    assert length <= TOLERANCE * 1.001


def test_a_linear_term_beyond_all_floats_is_solved_too():
    """Without rows the minimum is −v/γ, exactly."""
    made = objective(Logistic(), np.zeros((0, FEATURES)), np.zeros(0), 2.0)
    huge = [Fraction(3) ** 700 * sign for sign in (1, -1, 1, 1, -1)]
    found = exact_minimum(made, (FEATURES + 1, 1), huge).ravel()
    assert all(abs(w + v / 2) <= Fraction(TOLERANCE) / 2 for w, v in zip(found, huge, strict=True))


def test_too_few_steps_are_followed_by_more(monkeypatch):
    monkeypatch.setattr("dalenius.learning.solvers.exact_solver._STEPS", 3)
    made, shape, linear = problem(Logistic(), ridge=30.0)
    found = exact_minimum(made, shape, linear).astype(float)
    assert np.linalg.norm(found - minimum(made, shape)) <= 2 * TOLERANCE / 30


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_enclosed_slopes_hold_those_of_floats(loss):
    rng = np.random.default_rng(5)
    for size in (0.1, 3.0, 50.0):
        margins = rng.normal(size=(20, loss.outputs)) * size
        target = rng.integers(0, 2, 20).astype(float)
        floats = loss.slopes(margins, target)
        with precision(128):
            for m, y, s in zip(margins, target, floats, strict=True):
                found = loss.enclosed([arb(v) for v in m], float(y))
                assert all(
                    abs(float(a.mid()) - b) < 2.0**-47 and a.rad() < 1e-30 for a, b in zip(found, s, strict=True)
                )
