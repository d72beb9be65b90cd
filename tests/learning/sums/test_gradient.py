import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.sums import gradient as module
from dalenius.learning.sums.gradient import GradientSum, digits_for
from dalenius.learning.sums.losses import ClippedHuber, ClippedLogistic, ClippedPoisson, ClippedSoftmax
from dalenius.neighbors import Relation
from tests.learning.adversary import FEATURES, labels, rows

LOSSES = [ClippedLogistic(), ClippedSoftmax(3), ClippedHuber(0.3), ClippedPoisson(20.0)]


def built(loss, digits=18, slopes=16):
    return GradientSum(UnitRows(Box.declare((-1, 1), FEATURES), digits), loss, slopes)


def summed(loss, data, target, weights, **more):
    gradient = built(loss, **more)
    gradient.hold([(gradient.rows.steps(data), target)])
    return [int(x) for x in gradient.at(weights)]


def square(vector):
    return sum(x * x for x in vector)


def weights_of(loss, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(FEATURES + 1, loss.outputs)) * 10.0 ** rng.integers(-3, 4)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_the_sum_is_exactly_that_of_its_rows_and_each_stays_below_the_clip(loss):
    """So removing any row moves the sum by that row's own part: the sensitivity, in whole numbers."""
    for seed in range(3):
        data, weights = rows(seed), weights_of(loss, seed)
        target = labels(len(data), seed)
        whole = summed(loss, data, target, weights)
        bound = built(loss).sensitivity(Relation.ADD_REMOVE).square
        alone = [summed(loss, data[i : i + 1], target[i : i + 1], weights) for i in range(len(data))]
        assert [sum(part) for part in zip(*alone, strict=True)] == whole
        assert max(map(square, alone)) <= bound
        for i in (0, 7, len(data) - 1):
            rest = summed(loss, np.delete(data, i, 0), np.delete(target, i), weights)
            assert [a - b for a, b in zip(whole, rest, strict=True)] == alone[i]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_half_the_sensitivity_is_broken_by_some_row(loss):
    data = np.vstack([rows(), np.full((1, FEATURES), 1.0)])
    target = np.zeros(len(data)) if not isinstance(loss, ClippedPoisson) else np.full(len(data), 20.0)
    weights = np.full((FEATURES + 1, loss.outputs), 5.0) * np.arange(1, loss.outputs + 1)
    if isinstance(loss, ClippedPoisson):
        weights = -weights
    parts = [summed(loss, data[i : i + 1], target[i : i + 1], weights) for i in range(len(data))]
    bound = built(loss).sensitivity(Relation.ADD_REMOVE)
    assert max(map(square, parts)) > bound.square / 4


def test_a_changed_row_moves_twice_as_far_as_a_removed_one():
    loss = ClippedLogistic()
    data = np.vstack([rows(), [[1.0] * FEATURES]])
    target, weights = np.zeros(len(data)), np.zeros((FEATURES + 1, 1))
    other = target.copy()
    other[-1] = 1.0
    moved = [
        a - b for a, b in zip(summed(loss, data, target, weights), summed(loss, data, other, weights), strict=True)
    ]
    one, two = (built(loss).sensitivity(relation).square for relation in Relation)
    assert one < square(moved) <= two


@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
def test_the_sum_does_not_depend_on_the_order_or_the_chunks(piece, monkeypatch):
    monkeypatch.setattr(module, "_EXACT", 34 + piece.bit_length() - 1)
    data = np.tile(rows(), (5, 1))
    target, weights = labels(len(data)), np.random.default_rng(0).normal(size=(FEATURES + 1, 1))
    monkeypatch.setattr(GradientSum, "_whole", lambda self, w: (np.trunc(w * 2.0**20), 2.0**-38))
    order = np.random.default_rng(1).permutation(len(data))
    assert summed(ClippedLogistic(), data, target, weights) == summed(
        ClippedLogistic(), data[order], target[order], weights
    )


def test_the_sum_is_near_the_gradient_in_floats():
    data = np.random.default_rng(0).uniform(-0.2, 0.2, (200, FEATURES))
    target, w = np.random.default_rng(1).integers(0, 2, 200).astype(float), np.array([1.0, -2.0, 0.5, 0.0, 0.3])
    unit = UnitRows(Box.declare((-1, 1), FEATURES), 18)
    x = np.column_stack([data, np.ones(200)]) / unit.radius
    slopes = np.clip(1 / (1 + np.exp(-x @ w)) - target, -0.5, 0.5)
    found = np.array(summed(ClippedLogistic(), data, target, w[:, None])) / 2.0**34
    assert found == pytest.approx(x.T @ slopes, abs=0.05)


@pytest.mark.parametrize("scale", [1e-9, 0.1, 1.0, 50.0, 3e4, 1e8])
def test_noise_of_any_scale_has_room_on_the_lattice(scale):
    digits, slopes = digits_for(scale)
    assert scale * 2.0 ** (digits + slopes) <= 2.0**40
    assert min(digits, slopes) >= 3
