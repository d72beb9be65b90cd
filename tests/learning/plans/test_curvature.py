"""That fit and curvature share a budget, and that intervals hold the truth as often as they say."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning import LogisticRegression, PoissonRegression
from dalenius.learning.data.box import Box
from dalenius.learning.data.targets import ClassLabels, Counts
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.curvature import CURVATURE_SHARE, WithCurvature
from dalenius.learning.sums.bends import LogisticBends
from dalenius.neighbors import Relation
from tests.learning.adversary import FEATURES

BOX = Box.declare((-1, 1), FEATURES)


def plan(bends=None, relation=Relation.ADD_REMOVE, delta=0, epsilon=1):
    encoder = ClassLabels((0, 1)) if bends is None else Counts(bends.ceiling)
    budget = FitBudget.of(epsilon, delta, relation)
    return WithCurvature(budget, (), BOX, True, encoder, bends or LogisticBends(), lambda own: None)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_fit_and_curvature_share_the_budget(delta):
    made = plan(delta=delta, epsilon=2)
    left = made.left.total if made.left.pure else made.left.epsilon
    assert left + made.curvature_epsilon == 2
    assert made.curvature_epsilon == 2 * CURVATURE_SHARE == Fraction(1, 2)
    assert made.guarantee.epsilon(delta) == 2
    assert made.guarantee.delta(2) == pytest.approx(delta)
    with pytest.raises(InvalidParameter, match="too small"):
        plan(epsilon="0.0001")


def drawn(kind, rows, rng):
    """Features of two values; correlated by .8; or uniform, of a rare value, and bent to one side."""
    if kind == "two values":
        return rng.choice([-1.0, 1.0], (rows, 3))
    if kind == "correlated":
        return np.clip(rng.normal(size=(rows, 3)) @ np.linalg.cholesky(0.2 * np.eye(3) + 0.8).T / 3, -1, 1)
    rare = rng.choice([-1.0, 1.0], rows, p=[0.7, 0.3])
    return np.column_stack([rng.uniform(-1, 1, rows), rare, 2 * rng.beta(2, 3, rows) - 1])


def hits(model, kind, rows, runs, rule, respond):
    held, widths, rng = [], [], np.random.default_rng()
    for _ in range(runs):
        X = drawn(kind, rows, rng)
        ends = model.fit(X, respond(X @ rule, rng)).confidence_interval(0.95)
        held.append((ends[:, 0] <= rule) & (rule <= ends[:, 1]))
        widths.append(ends[:, 1] - ends[:, 0])
    return np.mean(held), np.array(widths)


RULE = np.array([1.0, -1.5, 0.5])


def label(score, rng):
    return (rng.random(len(score)) < 1 / (1 + np.exp(-score))).astype(int)


def count(score, rng):
    return rng.poisson(np.exp(score / 2))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_hold_the_truth(delta):
    """60 fits of 3 coefficients: below .80 once in 1e9 at a coverage of .95, and half the width would hold .67."""
    model = LogisticRegression(1, delta=delta, bounds=(-1, 1), classes=[0, 1], standard_errors=True)
    share, widths = hits(model, "two values", 2000, 60, RULE, label)
    assert share > 0.8
    assert np.median(widths) < 1.2


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("kind", ["two values", "mixed"])
def test_intervals_hold_the_truth_some_95_times_in_a_hundred(kind, delta):
    """.93 of 9000 and .92 of 3000 are 6 standard errors below .945; three quarters of the width would hold .86."""
    model = LogisticRegression(1, delta=delta, bounds=(-1, 1), classes=[0, 1], standard_errors=True)
    share, _ = hits(model, kind, 2000, 3000, RULE, label)
    assert share >= 0.93
    rates = PoissonRegression(1, delta=delta, bounds=(-1, 1), ceiling=15, standard_errors=True)
    share, _ = hits(rates, kind, 10_000, 1000, RULE / 2, lambda score, rng: count(2 * score, rng))
    assert share >= 0.92


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_of_correlated_features_are_mostly_finite(delta):
    """60 fits of 3: some 15 % are infinite; half of 60 would be so by chance less than once in 1e9."""
    model = LogisticRegression(1, delta=delta, bounds=(-1, 1), classes=[0, 1], standard_errors=True)
    share, widths = hits(model, "correlated", 2000, 60, RULE, label)
    assert share > 0.8
    assert np.isfinite(widths).any(axis=1).mean() > 0.5


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_finite_intervals_of_correlated_features_hold_the_truth_as_often_as_they_say(delta):
    """2000 fits: .925 of the 5000 and more that are finite is 6 standard errors below .95."""
    model = LogisticRegression(1, delta=delta, bounds=(-1, 1), classes=[0, 1], standard_errors=True)
    rng, held, widths = np.random.default_rng(), [], []
    for _ in range(2000):
        X = drawn("correlated", 2000, rng)
        ends = model.fit(X, label(X @ RULE, rng)).confidence_interval(0.95)
        held.append((ends[:, 0] <= RULE) & (ends[:, 1] >= RULE))
        widths.append(ends[:, 1] - ends[:, 0])
    finite = np.isfinite(widths)
    assert finite.mean() > 0.7
    assert np.array(held)[finite].mean() >= 0.925


def test_what_noise_hides_is_told_as_infinite():
    X = np.random.default_rng(0).uniform(-1, 1, (40, 3))
    made = LogisticRegression(0.1, bounds=(-1, 1), classes=[0, 1], standard_errors=True).fit(X, X[:, 0] > 0)
    assert np.isinf(made.confidence_interval()).any()


def test_standard_errors_without_a_rule_are_refused():
    X, y = np.random.default_rng(0).uniform(-1, 1, (50, 2)), np.arange(50) % 2
    more = {"bounds": (-1, 1), "classes": [0, 1], "standard_errors": True}
    for wrong in ({"l1_ratio": 1.0}, {"class_weight": {1: 2.0}}, {"coef_bounds": (0, 1)}, {"classes": [0, 1, 2]}):
        with pytest.raises(InvalidParameter):
            LogisticRegression(1, **(more | wrong)).fit(X, y)
    with pytest.raises(InvalidParameter, match="without weights"):
        LogisticRegression(1, **more).fit(X, y, sample_weight=np.ones(50))
    with pytest.raises(InvalidParameter, match="method"):
        LogisticRegression(1, delta=1e-6, method="descent", **more).fit(X, y)
    with pytest.raises(InvalidParameter, match="standard_errors=True"):
        LogisticRegression(1, bounds=(-1, 1), classes=[0, 1]).fit(X, y).confidence_interval()
    with pytest.raises(InvalidParameter, match="level"):
        LogisticRegression(1, **more).fit(X, y).confidence_interval(2)
