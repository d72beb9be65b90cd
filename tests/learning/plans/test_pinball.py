"""Quantile regression: scores and laws by brute force in fractions, and every pair of neighbors of a small world."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import Span
from dalenius.learning.plans import pinball
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.pinball import PinballCells, PinballGradient, PinballLoss, quantile_level
from dalenius.learning.plans.region import FINE, Region
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.numerics import precision

WORLD = [(1.0, 1.0), (1.0, -0.2), (-0.5, 0.1), (0.0, 1.0), (np.nan, np.inf), (1e300, -1e300), (0.3, 0.3)]


def made(kind, level="0.25", relation=Relation.ADD_REMOVE, epsilon=1, features=1, intercept=None, bound=1):
    box = Box.declare((-1, 1), features)
    constant = features > 1 if intercept is None else intercept
    region = Region.of(bound, UnitRows(box, 1, constant))
    budget = FitBudget.of(epsilon, 0, relation)
    return kind(box, Span.declare((-1, 1)), budget, constant, (), region, quantile_level(level))


def rows(pairs):
    return Rows(np.array([[x] for x, _ in pairs]).reshape(-1, 1), np.array([y for _, y in pairs], float))


def whole(plan, pairs):
    view = rows(pairs)
    x, y = plan.rows.steps_with(view.features, plan.span.codes(view.target))
    return [([int(v) for v in row], int(t)) for row, t in zip(x, y, strict=True)]


def log_masses(plan, pairs):
    with precision(128):
        law = plan.law(rows(pairs)) if isinstance(plan, PinballCells) else plan.choice(rows(pairs))
        return np.array([float(mass.log().mid()) for mass in law.masses()])


@pytest.fixture
def coarse(monkeypatch):
    monkeypatch.setattr(pinball, "CELLS", 24)
    monkeypatch.setattr(pinball, "_HALF_GRIDS", {1: 6, 2: 3, 3: 2})


@pytest.mark.theorem("A Thm 7.11")
@pytest.mark.parametrize("kind", [PinballCells, PinballGradient])
@pytest.mark.parametrize(("relation", "moved"), [(Relation.ADD_REMOVE, 1), (Relation.CHANGE_ONE, 2)])
def test_one_row_parts_the_line_in_two_by_the_printed_odds(coarse, kind, relation, moved):
    """Row x = 1, y = 0 at level ¼: |gradient| is ¼ below 0 and ¾ above, and one row moves it by ¾ at most.

    A row of length 1 is cut by a step of 2⁻¹⁰ at most.
    """
    logs = log_masses(made(kind, relation=relation, epsilon=3), [(1.0, 0.0)])
    assert logs[0] - logs[-1] == pytest.approx(3 / (2 * moved * 0.75) * (0.75 - 0.25), rel=2.0**-9)


@pytest.mark.theorem("A §7.4.2 exponential mechanism for ERM")
@pytest.mark.parametrize(("relation", "moved"), [(Relation.ADD_REMOVE, 1), (Relation.CHANGE_ONE, 2)])
def test_the_loss_of_one_row_weighs_the_ends_of_the_line_by_the_printed_odds(coarse, relation, moved):
    """Row x = 1, y = 0 at level ¼: the loss is ¼ at θ = −1 and ¾ at θ = 1, and that of any row at most ¾(1 + 1)."""
    logs = log_masses(made(PinballLoss, relation=relation, epsilon=3), [(1.0, 0.0)])
    assert logs[0] - logs[-1] == pytest.approx(3 / (moved * 0.75 * 2) * (0.75 - 0.25), rel=2.0**-9)


def test_cells_hold_the_distance_of_the_gradient_from_zero(coarse):
    """By fractions: in each cell the least |Σ x(level − 1[y < xθ])| over its inside, jumps bridged."""
    plan = made(PinballCells, bound=2)
    pairs = [(1.0, 0.9), (0.5, -0.4), (-0.8, 0.3), (-1.0, -0.7), (0.2, 0.19), (0.6, 0.0)]
    data, bound = whole(plan, pairs), plan.region.radius
    logs = log_masses(plan, pairs)
    distances = []
    for cell in range(24):
        ends = [bound * (2 * (cell + side) - 24) / 24 for side in (0, 1)]
        places = [*ends, *(Fraction(y, x) for (x,), y in data if ends[0] < Fraction(y, x) < ends[1])]
        inner = sorted(places)
        middles = [(a + b) / 2 for a, b in pairwise(inner)]
        gradients = [sum(x * (plan.level - (y < x * at)) for (x,), y in data) for at in middles]
        distances.append(0 if min(gradients) <= 0 <= max(gradients) else min(map(abs, gradients)))
    weights = np.array([-float(d / plan.scale()) for d in distances])
    assert logs == pytest.approx(weights - math.log(np.exp(weights).sum()), abs=1e-12)


@pytest.mark.parametrize("kind", [PinballGradient, PinballLoss])
@pytest.mark.parametrize(("features", "intercept"), [(1, False), (1, True), (2, True), (2, False)])
def test_grid_scores_are_those_of_brute_force(coarse, kind, features, intercept):
    plan = made(kind, "0.3", features=features, intercept=intercept)
    rng = np.random.default_rng(4)
    X = np.vstack([rng.uniform(-1, 1, (30, features)), np.eye(features), -np.eye(features), np.zeros((2, features))])
    y = rng.uniform(-1.2, 1.2, len(X))
    x, t = plan.rows.steps_with(X, plan.span.codes(y))
    points, m = plan.points(), pinball._HALF_GRIDS[plan.rows.width]
    assert len({tuple(point) for point in points.tolist()}) == len(points)
    assert (points**2).sum(axis=1).max() <= m * m
    scores = []
    for point in points.tolist():
        theta = [plan.region.radius * u / m for u in point]
        residuals = [int(b) - sum(int(v) * w for v, w in zip(a, theta, strict=True)) for a, b in zip(x, t, strict=True)]
        if kind is PinballLoss:
            total = sum(r * (plan.level - (r < 0)) for r in residuals)
            scores.append(-total * FINE * m * plan.level.denominator)
        else:
            slopes = [plan.level - (r < 0) for r in residuals]
            parts = [sum(int(v) * s for v, s in zip(column, slopes, strict=True)) for column in x.T]
            scores.append(-max(map(abs, parts)) * plan.level.denominator)
    assert list(plan.choice(Rows(X, y)).scores) == scores


def neighbors(relation):
    small = [list(pairs) for size in range(3) for pairs in combinations_with_replacement(WORLD, size)]
    if relation is Relation.ADD_REMOVE:
        return [(pairs, [*pairs, row]) for pairs, row in product(small, WORLD)]
    return [([*pairs, a], [*pairs, b]) for pairs in small[:9] for a, b in product(WORLD, WORLD)]


def worst(kind, relation, **more):
    plan, known = made(kind, relation=relation, **more), {}

    def laws(pairs):
        key = tuple(sorted(map(repr, pairs)))
        if key not in known:
            known[key] = log_masses(plan, pairs)
        return known[key]

    return max(np.abs(laws(one) - laws(two)).max() for one, two in neighbors(relation))


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("kind", [PinballCells, PinballGradient, PinballLoss])
@pytest.mark.theorem("A Thm 7.11", "A Thm 7.1")
def test_no_pair_of_neighbors_is_told_apart_by_more_than_epsilon(coarse, kind, relation):
    assert worst(kind, relation, intercept=kind is PinballLoss) <= 1 + 1e-12


@pytest.mark.parametrize("kind", [PinballCells, PinballGradient, PinballLoss])
def test_a_sensitivity_that_is_halved_is_caught(coarse, kind, monkeypatch):
    steep = pinball.Pinball.steep.fget
    monkeypatch.setattr(pinball.Pinball, "steep", property(lambda plan: steep(plan) / 2))
    assert worst(kind, Relation.ADD_REMOVE, level="0.5") > 1.05


def test_a_clip_that_is_skipped_is_caught(coarse, monkeypatch):
    """Rows as they come, not shrunk into the unit ball."""
    monkeypatch.setattr(
        UnitRows, "steps_with", lambda self, X, y: (np.trunc(np.nan_to_num(X * 4) * 2.0**9), y * 2.0**9)
    )
    plan = made(PinballGradient, level="0.5")
    one, two = (log_masses(plan, pairs) for pairs in ([(1.0, 1.0)], [(1.0, 1.0), (9.0, -1.0)]))
    assert np.abs(one - two).max() > 1.05


@pytest.mark.parametrize("wrong", [0, 1, -1, "1/3001", float("nan")])
def test_levels_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidParameter):
        quantile_level(wrong)


def test_quantiles_are_found():
    rng = np.random.default_rng(8)
    x = rng.uniform(0.2, 1, 20_000)
    y = x * rng.uniform(0, 0.8, 20_000)
    for level in (0.25, 0.5, 0.75):
        plan = made(PinballCells, level, epsilon=2)
        found = plan.run(Rows(x[:, None], y), Bits()).notes["weights"][0][0] / float(plan.rows.radius)
        assert found == pytest.approx(0.8 * level, abs=0.03)
