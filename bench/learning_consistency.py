"""How far private models are from plain ones as rows grow in number, for each model and three designs.

python bench/learning_consistency.py [most rows [draws]]: ε = 1, the number of rows is counted privately. The error is
the distance of coefficients, or of a class's means for naive Bayes; for k-means and components it is the share by which
the inertia exceeds, or the variance kept falls short of, the plain fit's. Left out are the models that are drawn from a
grid (`KNormLogistic` and the quantile loss), which come no nearer than the grid's step and say so.
"""

import math
import sys
import warnings

import numpy as np
from scipy.optimize import minimize
from side_by_side import VENVS, table
from sklearn import cluster, decomposition, linear_model, naive_bayes
from sklearn.metrics import log_loss

from dalenius import learning

RULE = np.array([1.0, -2.0, 0.5])
DELTA = 1e-6
BOX, TWO, SPAN = {"bounds": (-1, 1)}, {"classes": [0, 1]}, {"target_bounds": (-5, 5)}


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


def plain_svm(X, labels, rounding=0.5):
    """The minimum of ½‖w‖² + Σ Huber's hinge, by scipy: scikit-learn has no such model."""
    sign = 2.0 * labels - 1

    def value(w):
        margin = 1 - sign * (X @ w[:3] + w[3])
        bent = np.abs(margin) <= rounding
        loss = np.where(bent, (margin + rounding) ** 2 / (4 * rounding), np.maximum(margin, 0))
        slope = -sign * np.where(bent, (margin + rounding) / (2 * rounding), margin > 0)
        gradient = np.append(X.T @ slope + w[:3], slope.sum())
        return (loss.sum() + w[:3] @ w[:3] / 2) / len(X), gradient / len(X)

    return minimize(value, np.zeros(4), jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9}).x[:3]


def distance(attribute, plain):
    """How far an attribute is from the plain model's."""
    return lambda model: np.linalg.norm(np.ravel(getattr(model, attribute)) - np.ravel(plain))


def linear_fits(X, targets):
    """(name, private model, its target, its error, plain model with probabilities) of models with coefficients."""
    labels, three, level, counts = targets
    plain, wide = (linear_model.LogisticRegression().fit(X, y) for y in (labels, three))
    line = distance("coef_", linear_model.LinearRegression().fit(X, level).coef_)
    rates = distance("coef_", linear_model.PoissonRegressor(alpha=0).fit(X, np.minimum(counts, 15)).coef_)
    two, many = distance("coef_", plain.coef_), distance("coef_", wide.coef_)
    hinge = distance("coef_", plain_svm(X, labels))
    for delta in (0.0, DELTA):
        shown, more = f"δ = {delta:g}", {"delta": delta} | BOX
        yield f"logistic, {shown}", learning.LogisticRegression(1, **TWO, **more), labels, two, plain
        yield f"three classes, {shown}", learning.LogisticRegression(1, classes=[0, 1, 2], **more), three, many, wide
        yield f"linear, {shown}", learning.LinearRegression(1, **SPAN, **more), level, line, None
        yield f"huber, {shown}", learning.HuberRegression(1, **SPAN, **more), level, line, None
        yield f"poisson, {shown}", learning.PoissonRegression(1, ceiling=15, **more), counts, rates, None
        yield f"Huber SVM, {shown}", learning.HuberSVM(1, **TWO, **more), labels, hinge, None
    yield f"DPSGD, δ = {DELTA:g}", learning.DPSGD(1, delta=DELTA, **TWO, **BOX), labels, two, plain
    yield "K-norm gradient, δ = 0", learning.KNormGradient(1, **SPAN, **BOX), level, line, None
    yield "exponential mechanism, δ = 0", learning.ExponentialERM(1, **SPAN, **BOX), level, line, None
    blocks = {"blocks": 10 * round(len(X) ** 0.5 / 10), "parameter_bounds": (-5, 5)}
    parts = learning.SubsampleAggregate(linear_model.LogisticRegression(), 1, **blocks, **TWO, **BOX)
    yield "blocks of logistic, δ = 0", parts, labels, lambda model: two(model.model_), None


def other_fits(X, labels):
    """The same of models without."""
    bayes = naive_bayes.GaussianNB().fit(X, labels)
    inertia = cluster.KMeans(3, n_init=3, random_state=0).fit(X).inertia_
    middle = X - X.mean(axis=0)
    kept = decomposition.PCA(2).fit(X).explained_variance_.sum()

    def excess(model):
        nearest = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2).min(axis=1)
        return nearest.sum() / inertia - 1

    def lost(model):
        return 1 - np.var(middle @ model.components_.T, axis=0, ddof=1).sum() / kept

    for delta in (0.0, DELTA):
        shown, more = f"δ = {delta:g}", {"delta": delta} | BOX
        yield (
            f"naive Bayes, {shown}",
            learning.NaiveBayes(1, **TWO, **more),
            labels,
            distance("theta_", bayes.theta_),
            bayes,
        )
        yield f"k-means (share), {shown}", learning.KMeans(3, epsilon=1, **more), labels, excess, None
        yield f"components (share), {shown}", learning.PCA(2, epsilon=1, **more), labels, lost, None


def main(most: str = "100000", draws: str = "3", only: str = "") -> str:
    warnings.simplefilter("ignore")
    sizes = [n for n in (1000, 10_000, 100_000, 1_000_000) if n <= int(float(most))]
    found: dict[tuple[str, str], list[str]] = {}
    for size in sizes:
        for design, X in designs(size, 24):
            given = targets(X, np.random.default_rng(size))
            for name, model, y, error, plain in [*linear_fits(X, given), *other_fits(X, given[0])]:
                if only not in name:
                    continue
                gaps, losses = [], []
                for _ in range(int(draws)):
                    made = model.fit(X, y)
                    gaps.append(error(made))
                    if plain is not None:
                        losses.append(log_loss(y, made.predict_proba(X)) / log_loss(y, plain.predict_proba(X)))
                more = f" ({100 * (np.mean(losses) - 1):+.1f} %)" if losses else ""
                found.setdefault((design, name), []).append(f"{math.sqrt(np.mean(np.square(gaps))):.4f}{more}")
                print(size, design, name, found[design, name][-1], file=sys.stderr, flush=True)
    rows = [[f"{design}: {name}", *cells] for (design, name), cells in sorted(found.items())]
    return table(["error (log loss over the plain one's)", *(f"n = {n:,}" for n in sizes)], rows)


if __name__ == "__main__":
    text = main(*sys.argv[1:])
    print(text)
    (VENVS / "learning-consistency.md").write_text(text + "\n")
