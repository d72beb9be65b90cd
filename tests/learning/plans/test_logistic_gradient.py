"""Scores by brute force, every pair of neighbors of a small world, and the law where rows say nothing."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.plans import logistic_gradient
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.logistic_gradient import LogisticGradient
from dalenius.learning.plans.region import Region
from dalenius.neighbors import Relation
from dalenius.numerics import precision

WORLD = [(1.0, 1), (1.0, 0), (-0.5, 1), (0.0, 0), (np.nan, 1), (1e300, 0), (0.3, 7)]


def plan(relation=Relation.ADD_REMOVE, epsilon=1, features=1, intercept=True, deviation=None, bound=3):
    box = Box.declare((-1, 1), features)
    region = Region.of(bound, UnitRows(box, 1, intercept))
    budget = FitBudget.of(epsilon, 0, relation)
    return LogisticGradient(box, ClassLabels((0, 1)), budget, intercept, (), region, Fraction(bound), deviation)


def rows(pairs):
    return Rows(np.array([[x] for x, _ in pairs]).reshape(-1, 1), np.array([y for _, y in pairs], float))


@pytest.fixture
def coarse(monkeypatch):
    monkeypatch.setattr(logistic_gradient, "HALF_GRIDS", {1: 12, 2: 5, 3: 3})


def log_masses(made, data):
    with precision(128):
        return np.array([float(mass.log().mid()) for mass in made.choice(data).masses()])


@pytest.mark.parametrize("features", [1, 2])
def test_scores_are_the_gradient_of_the_logistic_loss(coarse, features):
    """By its formula on scaled rows; slopes come from a table of 2¹² places to the unit."""
    made = plan(features=features)
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (60, features)), rng.integers(0, 2, 60)
    x = made.rows.steps(X) / 2.0**10
    half = logistic_gradient.HALF_GRIDS[made.rows.width]
    expected = []
    for point in made.points():
        theta = point * float(made.region.radius) / half
        expected.append(np.abs(x.T @ (1 / (1 + np.exp(-x @ theta)) - y)).max())
    assert -np.array(made.choice(Rows(X, y)).scores) / 2.0**30 == pytest.approx(expected, abs=60 * 2.0**-12)


@pytest.mark.theorem("A Thm 7.11")
@pytest.mark.parametrize(("relation", "moved"), [(Relation.ADD_REMOVE, 1), (Relation.CHANGE_ONE, 2)])
def test_one_row_leans_the_line_by_the_printed_odds(coarse, relation, moved):
    """Row x = 1 of class 1: |gradient| at θ is σ(−θ), at most 1; the ends of the line are θ = ∓3."""
    logs = log_masses(plan(relation, epsilon=4, intercept=False), rows([(1.0, 1)]))
    ends = [1 / (1 + np.exp(theta)) for theta in (-3.0, 3.0)]
    assert logs[-1] - logs[0] == pytest.approx(4 / (2 * moved) * (ends[0] - ends[1]), abs=2.0**-7)


def worst(relation, **more):
    made = plan(relation, **more)
    small = [list(pairs) for size in range(3) for pairs in combinations_with_replacement(WORLD, size)]
    if relation is Relation.ADD_REMOVE:
        pairs = [(each, [*each, row]) for each, row in product(small, WORLD)]
    else:
        pairs = [([*each, a], [*each, b]) for each in small[:8] for a, b in product(WORLD, WORLD)]
    known = {}

    def law(each):
        key = repr(sorted(map(repr, each)))
        if key not in known:
            known[key] = log_masses(made, rows(each))
        return known[key]

    return max(np.abs(law(one) - law(two)).max() for one, two in pairs)


@pytest.mark.theorem("A Thm 7.11")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("deviation", [None, Fraction(1, 2)])
def test_no_pair_of_neighbors_is_told_apart_by_more_than_epsilon(coarse, relation, deviation):
    assert worst(relation, deviation=deviation) <= 1 + 1e-12


def test_twice_the_rate_and_rows_that_are_not_held_are_caught(coarse, monkeypatch):
    rate = LogisticGradient.rate
    monkeypatch.setattr(LogisticGradient, "rate", lambda self: 4 * rate(self))
    assert worst(Relation.ADD_REMOVE) > 1.05
    monkeypatch.setattr(LogisticGradient, "rate", rate)
    far = lambda self, X: np.trunc(np.clip(np.nan_to_num(np.column_stack([X, X])), -4, 4) * 2.0**10)  # noqa: E731
    monkeypatch.setattr(UnitRows, "steps", far)
    assert worst(Relation.ADD_REMOVE) > 1.05


@pytest.mark.theorem("A Rem 7.8")
def test_where_rows_say_nothing_the_answer_has_the_base_measure_s_law(coarse):
    """The second feature is always 0: the loss is flat along it, and its coefficient follows g, given the first."""
    made = plan(features=2, intercept=False, deviation=Fraction(3, 4), epsilon=4)
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(-1, 1, 300), np.zeros(300)])
    data = Rows(X, (rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int))
    points, masses = made.points(), np.exp(log_masses(made, data))
    scale = float(made.bound) / logistic_gradient.HALF_GRIDS[2]
    for first in (-1, 0, 1, 2):
        line = points[:, 0] == first
        normal = np.exp(-((points[line, 1] * scale) ** 2) / (2 * 0.75**2))
        assert masses[line] / masses[line].sum() == pytest.approx(normal / normal.sum(), rel=1e-9)
    flat = np.exp(log_masses(plan(features=2, intercept=False, epsilon=4), data))
    middle = points[:, 0] == 0
    assert np.ptp(flat[middle]) < 1e-12  # the uniform base measure leaves it anywhere in the ball


@pytest.mark.theorem("A Rem 7.8")
def test_with_many_rows_the_base_measure_is_outweighed(coarse):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (4000, 1))
    data = Rows(X, (rng.random(4000) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int))
    for deviation in (None, Fraction(1, 2)):
        made = plan(intercept=False, deviation=deviation)
        best = made.points()[int(np.argmax(log_masses(made, data)))][0] * 3 / 12
        assert best == pytest.approx(2, abs=0.26)
