from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.sums.loss_bounds import Logistic, Softmax, StatedLoss
from dalenius.learning.sums.regression_loss_bounds import Huber, Poisson

LOSSES = [Logistic(), Logistic(Fraction(5, 8)), Softmax(2), Softmax(5), Huber(Fraction(2, 5)), Poisson(6.0)]


def sample(loss, seed=0):
    rng = np.random.default_rng(seed)
    margins = rng.normal(size=(200, loss.outputs)) * 10.0 ** rng.uniform(-2, 2, (200, 1))
    return margins, rng.integers(0, max(2, loss.outputs), 200).astype(float)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_what_a_loss_states_holds(loss):
    assert isinstance(loss, StatedLoss)
    margins, target = sample(loss)
    assert np.abs(loss.slopes(margins, target)).sum(axis=1).max() <= float(loss.gradient) * (1 + 1e-15)
    for m, y in zip(margins[:60], target[:60], strict=True):
        rows = np.stack([loss.bend(m[None], y[None], e[None])[0] for e in np.eye(loss.outputs)])
        values = np.linalg.eigvalsh(rows)
        assert values.min() >= -1e-12
        assert values.sum() <= float(loss.trace) + 1e-12
        assert (values > 1e-9).sum() <= loss.rank


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_slopes_and_bends_are_derivatives_of_the_value(loss):
    margins, target = sample(loss, 1)
    margins, h = np.clip(margins, -5, 5), 1e-6
    along = np.random.default_rng(2).normal(size=margins.shape)
    for i in range(20):
        m, y, u = margins[i : i + 1], target[i : i + 1], along[i : i + 1]
        rise = (loss.values(m + h * u, y) - loss.values(m - h * u, y)) / (2 * h)
        assert rise == pytest.approx(float((loss.slopes(m, y) * u).sum()), abs=1e-6)
        turn = (loss.slopes(m + h * u, y) - loss.slopes(m - h * u, y)) / (2 * h)
        assert turn == pytest.approx(loss.bend(m, y, u), abs=1e-4)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_a_row_without_target_says_nothing(loss):
    margins, none = sample(loss)[0], np.full(200, np.nan)
    assert not loss.values(margins, none).any()
    assert not loss.slopes(margins, none).any()
    assert not loss.bend(margins, none, np.ones_like(margins)).any()
