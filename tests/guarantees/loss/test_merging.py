"""Small laws whose bins are known exactly, in fractions of e^(-w) = 1/2: torques balance and nothing gains."""

import math

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.loss.merging import Merging

STEP = math.log(2)


def split(atoms, points):
    """(left, right) shares per bin of atoms (loss, mass), tilted by 0."""
    left, right = np.zeros(len(points) - 1), np.zeros(len(points) - 1)
    for loss, mass in atoms:
        j = min(int(np.searchsorted(points, loss, side="right")) - 1, len(points) - 2)
        share = -math.expm1(points[j] - loss) / -math.expm1(points[j] - points[j + 1])
        left[j] += mass * (1 - share)
        right[j] += mass * share
    return left, right


def delta(atoms, epsilon):
    return mp.fsum(mp.mpf(m) * max(0, 1 - mp.exp(mp.mpf(epsilon) - mp.mpf(x))) for x, m in atoms)


def laws():
    rng = np.random.default_rng(11)
    for size in (1, 2, 7, 40):
        for scale in (0.5, 3.0, 8.0):
            loss = rng.normal(0, scale, size) + 0.2
            mass = rng.dirichlet(np.full(size, 0.3))
            yield list(zip(loss.tolist(), mass.tolist(), strict=True))


@pytest.mark.parametrize("s", [0.0, 2.5])
@pytest.mark.parametrize("widths", ["even", "uneven"])
@pytest.mark.parametrize("atoms", list(laws()))
def test_merged_law_is_below_at_every_epsilon_and_keeps_the_mass(atoms, widths, s):
    low, high = min(x for x, _ in atoms) - 0.1, max(x for x, _ in atoms) + 0.1
    count = max(3, math.ceil((high - low) / STEP) + 1)
    points = low + STEP * np.arange(count + 1)
    if widths == "uneven":
        points = np.delete(points, slice(2, -1, 3)) if count > 4 else points
    left, right = split(atoms, points)
    bins = left + right
    tilt = np.exp(s * points)
    merged = Merging(
        s,
        np.diff(points),
        left * tilt[:-1],
        right * tilt[:-1],
        bins * tilt[:-1],
        np.ones(len(bins)),
        np.zeros(len(points)),
    ).merged()
    law = list(zip(points.tolist(), (merged / tilt).tolist(), strict=True))
    assert all(m >= 0 for _, m in law)
    assert sum(m for _, m in law) == pytest.approx(1, abs=1e-12)
    # merging keeps Q's mass, moving down adds to it
    assert sum(m * math.exp(-x) for x, m in law) >= sum(m * math.exp(-x) for x, m in atoms) * (1 - 1e-12)
    for epsilon in np.linspace(low - 1, high + 1, 60):
        assert delta(law, epsilon) <= delta(atoms, epsilon) + mp.mpf(10) ** -13


def test_two_equal_torques_meet_at_the_point_between():
    # bins [−w, 0] and [0, w]: halves of a balanced pair, all of it ends at 0
    points = STEP * np.arange(-1, 2)
    atoms = [(-STEP / 2, 1 / (1 + math.exp(STEP / 2))), (STEP / 2, 1 / (1 + math.exp(-STEP / 2)))]
    left, right = split(atoms, points)
    merged = Merging(0.0, np.diff(points), left, right, left + right, np.ones(2), np.zeros(3)).merged()
    assert merged == pytest.approx([0, 1, 0], abs=1e-12)
