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
    yield "hospital", *hospital(), (SPLITS, DRAWS)
    yield "digits odd/even", digits / 8 - 1, labels % 2, (SPLITS, DRAWS)
    yield "digits, ten classes", digits / 8 - 1, labels, (SPLITS, DRAWS)
    yield "Adult", data["X"], data["y"], (5, 5)


def hospital():
    """Made-up patients: age, sex, blood pressure, creatinine, glucose, smoking and earlier stays, scaled by clinical
    ranges to [−1, 1]; readmission by a logistic model of known signs (+, 0, +, +, +, +, +), a fifth of all."""
    rng = np.random.default_rng(24)
    n = 10_000
    age, sex = np.clip(rng.normal(62, 17, n), 18, 100), rng.integers(0, 2, n)
    pressure = np.clip(rng.normal(105 + 0.45 * age, 16, n), 80, 220)
    creatinine = np.clip(np.exp(rng.normal(-0.1 + 0.006 * (age - 60), 0.35, n)), 0.3, 8)
    glucose, smoker = np.clip(rng.gamma(18, 6.4, n), 50, 400), rng.random(n) < 0.23
    stays = np.minimum(rng.poisson(0.4 + 0.012 * np.maximum(age - 40, 0)), 10)
    columns = [(age, 18, 100), (sex, 0, 1), (pressure, 80, 220), (creatinine, 0.3, 8), (glucose, 50, 400)]
    columns += [(smoker.astype(float), 0, 1), (stays, 0, 10)]
    X = np.column_stack([(c - low) / (high - low) * 2 - 1 for c, low, high in columns])
    score = X @ SIGNS + 1.9
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


SIGNS = np.array([0.9, 0.0, 0.7, 1.5, 0.8, 0.35, 1.6])


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


def judged(model, X, y, classes):
    """(accuracy, log loss, calibration error) on held-out rows: of ten bins of the likeliest label's probability."""
    shares = np.clip(model.predict_proba(X), 1e-12, 1)
    top, place = shares.max(axis=1), np.searchsorted(classes, y)
    right = classes[shares.argmax(axis=1)] == y
    bins = np.minimum((top * 10).astype(int), 9)
    gaps = [np.abs((right - top)[bins == b].sum()) for b in range(10)]
    return float(model.score(X, y)), float(-np.log(shares[np.arange(len(y)), place]).mean()), sum(gaps) / len(y)


def right_signs(model):
    """The share of the hospital's coefficients, but for the one that is 0, with the sign of the rule."""
    told = SIGNS != 0
    return float(np.mean(np.sign(np.ravel(model.coef_))[told] == np.sign(SIGNS[told])))


def measured(runs, score):
    """Scores over splits and draws; the splits are the same for every library."""
    splits, draws = runs
    begun, found = time.process_time(), []
    for seed in range(splits):
        for _ in range(draws):
            found.append(score(seed))
    scores = np.array(found).reshape(len(found), -1)
    values = scores[:, 0]
    more = (
        {"log_loss": float(scores[:, 1].mean()), "calibration": float(scores[:, 2].mean())}
        if scores.shape[1] > 1
        else {}
    )
    if scores.shape[1] > 3:
        more["signs"] = float(scores[:, 3].mean())
    return more | {
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

                def score(seed, fit=fit, epsilon=epsilon, X=X, y=y, classes=classes, name=name):
                    train, test = split(len(X), seed)
                    model = fit(X[train], y[train], epsilon, classes)
                    signs = (right_signs(model),) if name == "hospital" else ()
                    return *judged(model, X[test], y[test], classes), *signs

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
