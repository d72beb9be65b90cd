"""Accuracy and excess error of private models, for one library.

python learning_worker.py <peer> <data.npz> [share [task]]
"""

import json
import math
import sys
import time
import warnings

import numpy as np

DELTA = 1e-5
EPSILONS = (0.1, 1.0, 10.0)
SPLITS, DRAWS = 30, 10
CS = (1.0, 0.1, 0.01, 0.001)


def split(n, seed):
    order = np.random.default_rng(seed).permutation(n)
    return order[: int(0.8 * n)], order[int(0.8 * n) :]


def classification(data):
    from sklearn.datasets import load_breast_cancer, load_digits

    X, y = load_breast_cancer(return_X_y=True)
    low, high = X.min(0), X.max(0)  # stands in for published clinical ranges
    digits, labels = load_digits(return_X_y=True)
    yield "breast_cancer", (X - low) / (high - low) * 2 - 1, y, (SPLITS, DRAWS)
    yield "digits odd/even", digits / 8 - 1, labels % 2, (SPLITS, DRAWS)
    yield "digits, ten classes", digits / 8 - 1, labels, (SPLITS, DRAWS)
    yield "Adult", data["X"], data["y"], (5, 5)


def regression():
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", np.clip(X / 0.15, -1, 1), y, (25.0, 346.0), (SPLITS, DRAWS)
    rng = np.random.default_rng(7)
    X, w = rng.uniform(-1, 1, (100_000, 20)), rng.normal(size=20) / math.sqrt(20)
    yield "80 000 × 20", X, np.clip(X @ w + 0.3 * rng.normal(size=100_000), -3, 3), (-3.0, 3.0), (5, 5)


def ours():
    from dalenius.learning import LinearRegression, LogisticRegression

    def logistic(delta):
        def fit(X, y, epsilon, classes):
            return LogisticRegression(epsilon, delta=delta, bounds=(-1, 1), classes=classes, n_public=len(X)).fit(X, y)

        return fit

    def linear(delta):
        def fit(X, y, epsilon, bounds):
            return LinearRegression(epsilon, delta=delta, bounds=(-1, 1), target_bounds=bounds).fit(X, y)

        return fit

    names = {f"δ = {DELTA:g}": DELTA, "δ = 0": 0.0}
    return {n: logistic(d) for n, d in names.items()}, {n: linear(d) for n, d in names.items()}


def diffprivlib():
    from diffprivlib.models import LinearRegression, LogisticRegression

    def logistic(C):
        def fit(X, y, epsilon, classes):
            norm = math.sqrt(X.shape[1] / 3 + 1)
            return LogisticRegression(epsilon=epsilon, data_norm=norm, C=C, max_iter=500).fit(X, y)

        return fit

    def linear(X, y, epsilon, bounds):
        box = -np.ones(X.shape[1]), np.ones(X.shape[1])
        return LinearRegression(epsilon=epsilon, bounds_X=box, bounds_y=bounds).fit(X, y)

    return {f"C = {C:g}": logistic(C) for C in CS}, {"default": linear}


def measured(runs, score):
    """Scores over splits and draws; the splits are the same for every library."""
    splits, draws = runs
    begun, found = time.process_time(), []
    for seed in range(splits):
        for _ in range(draws):
            found.append(score(seed))
    values = np.array(found)
    return {
        "mean": float(values.mean()),
        "median": float(np.median(values)),
        "se": float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0,
        "runs": len(values),
        "cpu": (time.process_time() - begun) / len(values),
    }


def main():
    peer, data = sys.argv[1], np.load(sys.argv[2])
    share = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    wanted = sys.argv[4:]
    warnings.simplefilter("ignore")
    logistic, linear = ours() if peer == "dalenius" else diffprivlib()
    out = {}
    for name, X, y, (splits, draws) in classification(data):
        if wanted and name not in wanted:
            continue
        classes = np.unique(y)
        for way, fit in logistic.items():
            for epsilon in EPSILONS:

                def score(seed, fit=fit, epsilon=epsilon, X=X, y=y, classes=classes):
                    train, test = split(len(X), seed)
                    return fit(X[train], y[train], epsilon, classes).score(X[test], y[test])

                out[f"{name}|{epsilon:g}|{way}"] = measured((splits, max(1, round(draws * share))), score)
    for name, X, y, bounds, (splits, draws) in regression():
        if wanted and name not in wanted:
            continue
        from sklearn.linear_model import LinearRegression

        floor = {}
        for seed in range(splits):
            train, test = split(len(X), seed)
            floor[seed] = np.mean((LinearRegression().fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2)
        for way, fit in linear.items():
            for epsilon in EPSILONS:

                def excess(seed, fit=fit, epsilon=epsilon, X=X, y=y, bounds=bounds, floor=floor):
                    train, test = split(len(X), seed)
                    found = fit(X[train], y[train], epsilon, bounds).predict(X[test])
                    return (np.mean((found - y[test]) ** 2) - floor[seed]) / np.var(y)

                out[f"{name}|{epsilon:g}|{way}"] = measured((splits, max(1, round(draws * share))), excess)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
