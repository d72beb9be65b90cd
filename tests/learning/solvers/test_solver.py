from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.solvers.solver import TOLERANCE, Objective, minimum
from dalenius.learning.sums.loss_bounds import Logistic, Softmax
from dalenius.learning.sums.regression_loss_bounds import Huber
from tests.learning.adversary import FEATURES, labels, rows

LOSSES = [Logistic(), Logistic(Fraction(5, 8)), Softmax(3), Huber(Fraction(1, 2))]


def objective(loss, data, target, ridge=0.7, seed=0):
    steps = UnitRows(Box.declare((-1, 1), FEATURES), 18).steps(data)
    linear = np.random.default_rng(seed).normal(size=(FEATURES + 1, loss.outputs)) * 5
    return Objective([(steps, target)], 18, loss, ridge, linear)


def real_gradient(made, weights):
    """With 40 digits, written out again."""
    with mp.workdps(40):
        (steps, target), w = made.parts[0], [[mp.mpf(v) for v in row] for row in weights.tolist()]
        total = [
            [made.ridge * w[j][k] + mp.mpf(made.linear[j, k]) for k in range(made.loss.outputs)] for j in range(len(w))
        ]
        for row, y in zip(steps.tolist(), target.tolist(), strict=True):
            if y != y:
                continue
            x = [mp.mpf(int(v)) / 2**18 for v in row]
            m = [mp.fsum(x[j] * w[j][k] for j in range(len(w))) for k in range(made.loss.outputs)]
            for k, s in enumerate(slopes(made.loss, m, y)):
                for j in range(len(w)):
                    total[j][k] += s * x[j]
        return total


def slopes(loss, m, y):
    if isinstance(loss, Logistic):
        sign = 1 if y > 0 else -1
        return [-sign * min(1 / (1 + mp.exp(sign * m[0])), mp.mpf(loss.bound.numerator) / loss.bound.denominator)]
    if isinstance(loss, Huber):
        knee = mp.mpf(float(loss.knee))
        return [max(-knee, min(knee, m[0] - y))]
    weights = [mp.exp(v) for v in m]
    return [v / mp.fsum(weights) - (1 if k == int(y) else 0) for k, v in enumerate(weights)]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("size", [0.0, 1e-6, 1.0, 300.0])
def test_the_gradient_errs_by_no_more_than_it_says(loss, size):
    made = objective(loss, rows(), labels(len(rows())))
    weights = size * np.random.default_rng(3).normal(size=(FEATURES + 1, loss.outputs))
    found, error = made.gradient(weights)
    real = real_gradient(made, weights)
    with mp.workdps(40):
        gap = mp.sqrt(mp.fsum((real[j][k] - mp.mpf(found[j, k])) ** 2 for j, k in np.ndindex(*found.shape)))
    assert gap <= error < TOLERANCE / 100


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("ridge", [1e-3, 0.7, 50.0])
def test_a_certified_minimum_has_a_short_real_gradient(loss, ridge):
    for seed in range(2):
        data = rows(seed)
        made = objective(loss, data, labels(len(data), seed), ridge, seed)
        weights = minimum(made, (FEATURES + 1, loss.outputs))
        assert weights is not None
        with mp.workdps(40):
            assert mp.sqrt(mp.fsum(v**2 for row in real_gradient(made, weights) for v in row)) <= TOLERANCE


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_hostile_data_is_solved_too(loss):
    clear = np.repeat(np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]]), 200, axis=0)
    cases = [
        (np.zeros((0, FEATURES)), np.zeros(0)),
        (clear, np.repeat([1.0, 0.0], 200)),
        (clear, np.repeat([0.0, 1.0], 200)),
        (np.full((100, FEATURES), np.nan), np.zeros(100)),
        (np.ones((300, FEATURES)), np.full(300, np.nan)),
    ]
    for data, target in cases:
        assert minimum(objective(loss, data, target, 1e-2), (FEATURES + 1, loss.outputs)) is not None


def test_too_few_steps_give_nothing_rather_than_a_guess(monkeypatch):
    monkeypatch.setattr("dalenius.learning.solvers.solver._STEPS", 1)
    assert minimum(objective(Logistic(), rows(), labels(len(rows()))), (FEATURES + 1, 1)) is None


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("long", [2.0**25, 2.0**40, 2.0**60])
def test_a_small_weight_beside_a_long_one_errs_by_no_more_than_it_says(loss, long):
    made = Objective([(np.array([[0.0, 2.0**18]]), np.array([1.0]))], 18, loss, 1e-30, np.zeros((2, loss.outputs)))
    weights = np.full((2, loss.outputs), 0.23456789012345678)
    weights[1, 0], weights[0] = -0.1234567890123, long
    found, error = made.gradient(weights)
    real = real_gradient(made, weights)
    with mp.workdps(60):
        assert max(abs(real[j][k] - mp.mpf(found[j, k])) for j, k in np.ndindex(*found.shape)) <= error


def test_many_small_parts_give_what_one_large_part_gives():
    """An Arrow table may come in chunks of one row: a running float sum would round at every one, the same way."""
    steps, target = np.full((30000, 1), 2.0**18 - 1), np.ones(30000)
    parts = [(steps[i : i + 1], target[i : i + 1]) for i in range(len(steps))]
    one, many = (Objective(given, 18, Logistic(), 1e-30, np.zeros((1, 1))) for given in ([(steps, target)], parts))
    assert np.array_equal(one.gradient(np.array([[0.3]]))[0], many.gradient(np.array([[0.3]]))[0])
