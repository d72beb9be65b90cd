"""How often 95 % intervals of coefficients hold the truth, how wide they are, and how many are infinite.

python bench/learning_intervals.py [fits]: ε = 1, three features in [−1, 1], the number of rows is counted privately.
"""

import sys

import numpy as np
from scipy.special import expit
from side_by_side import VENVS, table

from dalenius.learning import LogisticRegression, PoissonRegression
from dalenius.learning.data.box import Box
from dalenius.learning.data.targets import ClassLabels, Counts
from dalenius.learning.plans.budget import COUNT_SHARE, FitBudget
from dalenius.learning.plans.curvature import CURVATURE_SHARE
from dalenius.learning.plans.fading import FitTerms
from dalenius.learning.plans.gaussian_perturbation import GaussianPerturbation
from dalenius.learning.plans.objective import Perturbation
from dalenius.learning.sums.loss_bounds import Logistic
from dalenius.learning.sums.regression_loss_bounds import Poisson
from dalenius.neighbors import Relation

RULE, OTHER_RULE = np.array([1.0, -1.5, 0.5]), np.array([0.7, 0.4, -1.2])
CEILING = 15.0
CASES = [
    *[("logistic", design, 2000) for design in ("uniform", "skewed", "two values")],
    *[("logistic", design, 2000) for design in ("mixed", "held out", "near one end")],
    *[("logistic", design, 2000) for design in ("correlated", "one pair", "heavy tails")],
    ("logistic", "correlated", 10_000),
    *[("poisson", design, 10_000) for design in ("uniform", "skewed", "two values", "mixed", "held out")],
    ("poisson", "uniform", 2000),
]


def features(design, rows, rng):
    """Rows of a design."""
    if design == "uniform":
        return rng.uniform(-1, 1, (rows, 3))
    if design == "skewed":
        return 2 * rng.random((rows, 3)) ** 4 - 1
    if design == "two values":
        return rng.choice([-1.0, 1.0], (rows, 3))
    if design == "near one end":
        return 2 * rng.beta(2, 5, (rows, 3)) - 1
    if design == "correlated":
        return np.clip(rng.normal(size=(rows, 3)) @ np.linalg.cholesky(0.2 * np.eye(3) + 0.8).T / 3, -1, 1)
    if design == "one pair":
        first = rng.uniform(-1, 1, rows)
        return np.column_stack([first, np.clip(first + 0.3 * rng.normal(size=rows), -1, 1), rng.uniform(-1, 1, rows)])
    if design == "heavy tails":
        return np.clip(rng.standard_t(3, (rows, 3)) / 5, -1, 1)
    if design == "mixed":
        rare = rng.choice([-1.0, 1.0], rows, p=[0.7, 0.3])
        return np.column_stack([rng.uniform(-1, 1, rows), rare, 2 * rng.beta(2, 3, rows) - 1])
    half = np.where(rng.random(rows) < 0.5, -1.0, np.minimum(rng.exponential(0.6, rows) - 1, 1))
    rare = np.where(rng.random(rows) < 0.15, 1.0, -1.0)
    return np.column_stack([half, rare, np.round(rng.uniform(-1, 1, rows) * 2) / 2])


def rule_of(kind, design):
    """The true coefficients."""
    rule = OTHER_RULE if design == "held out" else RULE
    return rule if kind == "logistic" else rule / 2


def oracle(kind, design, rows, delta):
    """The widths of intervals that know the true curvature, and the noise of the same fit."""
    X, rule = features(design, 200_000, np.random.default_rng(1)), rule_of(kind, design)
    x, score = np.column_stack([X, np.ones(len(X))]) / 2, X @ rule
    logistic = kind == "logistic"
    bend = expit(score) * expit(-score) if logistic else np.exp(score) / CEILING
    curvature = (x * bend[:, None]).T @ x * rows / len(X)
    share = (1 - COUNT_SHARE) * (1 - CURVATURE_SHARE)
    budget = FitBudget.of(share, delta, Relation.ADD_REMOVE)
    plan = Perturbation if budget.pure else GaussianPerturbation
    loss, read = (Logistic(), ClassLabels((0, 1))) if logistic else (Poisson(CEILING), Counts(CEILING))
    variance, _ = plan(Box.declare((-1, 1), 3), loss, budget, True, (), read, FitTerms(rows, plain=True)).noise()
    inverse = np.linalg.inv(curvature)
    slopes = curvature * (1.0 if logistic else 1 / CEILING) + variance * np.eye(4)
    return 1.96 * np.sqrt(np.diag(inverse @ slopes @ inverse))[:3]


def measured(kind, design, rows, fits, delta, rng):
    """Whether each interval holds the truth, and its width."""
    held, widths, rule = [], [], rule_of(kind, design)
    more = {"delta": delta, "bounds": (-1, 1), "standard_errors": True}
    for _ in range(fits):
        X = features(design, rows, rng)
        if kind == "logistic":
            model, y = LogisticRegression(1, classes=[0, 1], **more), (rng.random(rows) < expit(X @ rule)).astype(int)
        else:
            model, y = PoissonRegression(1, ceiling=CEILING, **more), rng.poisson(np.exp(X @ rule))
        ends = model.fit(X, y).confidence_interval(0.95)
        held.append((ends[:, 0] <= rule) & (rule <= ends[:, 1]))
        widths.append(ends[:, 1] - ends[:, 0])
    return np.array(held), np.array(widths)


def main(fits: str = "400") -> str:
    rng, lines = np.random.default_rng(), []
    for kind, design, rows in CASES:
        for delta in (0.0, 1e-6):
            held, widths = measured(kind, design, rows, int(fits), delta, rng)
            finite = np.isfinite(widths)
            ratios = (widths / oracle(kind, design, rows, delta))[finite]
            within = f"{held[finite].mean():.3f} of {finite.sum()}" if finite.any() else "–"
            line = [f"{kind}, {design}, n = {rows:,}, δ = {delta:g}", f"{held.mean():.3f}", within]
            lines.append([*line, f"{np.median(ratios):.2f}" if finite.any() else "–", f"{1 - finite.mean():.1%}"])
    return table(
        ["model and design", "coverage", "that of the finite ones", "their width ÷ oracle's", "infinite"], lines
    )


if __name__ == "__main__":
    text = main(*sys.argv[1:])
    print(text)
    (VENVS / "learning-intervals.md").write_text(text + "\n")
