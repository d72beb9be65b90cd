"""How far private coefficients are from plain ones as rows grow in number, for each model and three designs.

python bench/learning_consistency.py [most rows [draws]]: ε = 1, the number of rows is counted privately.
"""

import math
import sys
import warnings

import numpy as np
from side_by_side import VENVS, table
from sklearn import linear_model
from sklearn.metrics import log_loss

from dalenius.learning import DPSGD, HuberRegression, LinearRegression, LogisticRegression, PoissonRegression

RULE = np.array([1.0, -2.0, 0.5])
DELTA = 1e-6


def designs(rows, seed):
    """Features in [−1, 1]: uniform, correlated by .8, and skewed to one end."""
    rng = np.random.default_rng(seed)
    mixed = np.linalg.cholesky(0.2 * np.eye(3) + 0.8)
    yield "uniform", rng.uniform(-1, 1, (rows, 3))
    yield "correlated", np.clip(rng.normal(size=(rows, 3)) @ mixed.T / 3, -1, 1)
    yield "skewed", 2 * rng.random((rows, 3)) ** 4 - 1


def targets(X, rng):
    """Labels, numbers and counts that follow the rule."""
    score = X @ RULE
    labels = (rng.random(len(X)) < 1 / (1 + np.exp(-score))).astype(int)
    three = np.argmax(np.outer(score, [1, 0, -1]) + rng.gumbel(size=(len(X), 3)), axis=1)
    return labels, three, score + 0.5 * rng.normal(size=len(X)), rng.poisson(np.exp(score / 2))


def fits(X, rng):
    """(name, plain coefficients, a private fit that gives its coefficients and the ratio of log losses)."""
    labels, three, level, counts = targets(X, rng)
    box, two, many = {"bounds": (-1, 1)}, {"classes": [0, 1]}, {"classes": [0, 1, 2]}
    plain, wide = (linear_model.LogisticRegression().fit(X, y) for y in (labels, three))
    line = linear_model.LinearRegression().fit(X, level)
    rates = linear_model.PoissonRegressor(alpha=0).fit(X, np.minimum(counts, 15))
    for delta in (0.0, DELTA):
        shown = f"δ = {delta:g}"
        yield f"logistic, {shown}", plain, LogisticRegression(1, delta=delta, **two, **box), labels
        yield f"three classes, {shown}", wide, LogisticRegression(1, delta=delta, **many, **box), three
        yield f"linear, {shown}", line, LinearRegression(1, delta=delta, target_bounds=(-5, 5), **box), level
        huber = HuberRegression(1, delta=delta, target_bounds=(-5, 5), **box)
        yield f"huber, {shown}", line, huber, level
        yield f"poisson, {shown}", rates, PoissonRegression(1, delta=delta, ceiling=15, **box), counts
    yield f"DPSGD, δ = {DELTA:g}", plain, DPSGD(1, delta=DELTA, **two, **box), labels


def main(most: str = "100000", draws: str = "3") -> str:
    warnings.simplefilter("ignore")
    sizes = [n for n in (1000, 10_000, 100_000, 1_000_000) if n <= int(float(most))]
    found: dict[tuple[str, str], list[str]] = {}
    for size in sizes:
        for design, X in designs(size, 24):
            rng = np.random.default_rng(size)
            for name, plain, model, y in fits(X, rng):
                gaps, losses = [], []
                for _ in range(int(draws)):
                    made = model.fit(X, y)
                    gaps.append(np.linalg.norm(np.ravel(made.coef_) - np.ravel(plain.coef_)))
                    if hasattr(made, "predict_proba"):
                        losses.append(log_loss(y, made.predict_proba(X)) / log_loss(y, plain.predict_proba(X)))
                more = f" ({100 * (np.mean(losses) - 1):+.1f} %)" if losses else ""
                found.setdefault((design, name), []).append(f"{math.sqrt(np.mean(np.square(gaps))):.3f}{more}")
    rows = [[f"{design}: {name}", *cells] for (design, name), cells in sorted(found.items())]
    return table(["error of coefficients (log loss over the plain one's)", *(f"n = {n:,}" for n in sizes)], rows)


if __name__ == "__main__":
    text = main(*sys.argv[1:])
    print(text)
    (VENVS / "learning-consistency.md").write_text(text + "\n")
