"""Scores of private models of sums, for one library: python learning_models_worker.py <peer> [share]."""

import json
import math
import sys
import time
import warnings

import numpy as np

DELTA = 1e-5
EPSILONS = (0.1, 1.0, 10.0)
FITS = 60


def split(n, seed):
    order = np.random.default_rng(seed).permutation(n)
    return order[: int(0.8 * n)], order[int(0.8 * n) :]


def labelled():
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris

    for name, load in (("iris", load_iris), ("breast_cancer", load_breast_cancer), ("digits", load_digits)):
        X, y = load(return_X_y=True)
        low, high = X.min(0), X.max(0)  # stands in for published ranges
        yield name, X, y, (low, np.where(high > low, high, low + 1))


def clustered():
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    rng = np.random.default_rng(0)
    centres = rng.uniform(-0.8, 0.8, (5, 2))
    blobs = np.clip(centres[rng.integers(0, 5, 10_000)] + 0.05 * rng.normal(size=(10_000, 2)), -1, 1)
    yield "5 blobs", blobs, 5, (-1.0, 1.0)
    flat = PCA(2).fit_transform(load_digits(return_X_y=True)[0])
    yield "digits in 2 dimensions", flat / np.abs(flat).max(), 10, (-1.0, 1.0)


def wide():
    from sklearn.datasets import load_breast_cancer, load_digits

    digits = load_digits(return_X_y=True)[0] / 8 - 1
    yield "digits, 10 of 64", digits, 10
    X = load_breast_cancer(return_X_y=True)[0]
    low, high = X.min(0), X.max(0)
    yield "breast_cancer, 3 of 30", (X - low) / (high - low) * 2 - 1, 3


def ours():
    from dalenius.learning import PCA, KMeans, NaiveBayes

    def ways(delta):
        return {
            "bayes": lambda X, y, e, b: NaiveBayes(e, delta=delta, bounds=b, classes=np.unique(y)).fit(X, y),
            "means": lambda X, k, e, b: KMeans(k, e, delta=delta, bounds=b).fit(X),
            "axes": lambda X, k, e: PCA(k, e, delta=delta, bounds=(-1, 1)).fit(X),
        }

    return {"δ = 0": ways(0.0), f"δ = {DELTA:g}": ways(DELTA)}


def diffprivlib():
    from diffprivlib.models import PCA, GaussianNB, KMeans

    def norm(X):
        return math.sqrt(X.shape[1] / 3 + 1)  # as our rows are shrunk

    def box(X):
        return -np.ones(X.shape[1]), np.ones(X.shape[1])

    return {
        "δ = 0": {
            "bayes": lambda X, y, e, b: GaussianNB(epsilon=e, bounds=b).fit(X, y),
            "means": lambda X, k, e, b: KMeans(k, epsilon=e, bounds=b).fit(X),
            "axes": lambda X, k, e: PCA(k, epsilon=e, bounds=box(X), data_norm=norm(X)).fit(X),
        }
    }


def cost(X, centres):
    return ((X[:, None] - centres) ** 2).sum(axis=2).min(axis=1).sum()


def kept(X, axes):
    return ((X - X.mean(0)) @ axes.T).var(axis=0).sum()


def measured(fits, score):
    begun = time.process_time()
    found = np.array([score(seed) for seed in range(fits)])
    cpu = (time.process_time() - begun) / fits
    return {"mean": float(found.mean()), "se": float(found.std(ddof=1) / math.sqrt(fits)), "cpu": cpu}


def main():
    from sklearn import cluster, decomposition

    peer = sys.argv[1]
    fits = max(3, round(FITS * (float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)))
    warnings.simplefilter("ignore")
    out = {}
    for way, fit in (ours() if peer == "dalenius" else diffprivlib()).items():
        for epsilon in EPSILONS:
            for name, X, y, bounds in labelled():

                def accuracy(seed, X=X, y=y, bounds=bounds, fit=fit, epsilon=epsilon):
                    train, test = split(len(X), seed)
                    return fit["bayes"](X[train], y[train], epsilon, bounds).score(X[test], y[test])

                out[f"naive Bayes, {name}|{epsilon:g}|{way}"] = measured(fits, accuracy)
            for name, X, k, bounds in clustered():
                plain = cost(X, cluster.KMeans(k, n_init=10, random_state=0).fit(X).cluster_centers_)

                def spread(_, X=X, k=k, bounds=bounds, fit=fit, epsilon=epsilon, plain=plain):
                    return cost(X, fit["means"](X, k, epsilon, bounds).cluster_centers_) / plain

                out[f"k-means, {name}|{epsilon:g}|{way}"] = measured(fits, spread)
            if peer == "diffprivlib" and epsilon > 1:
                continue  # its rejection sampler does not come back within minutes
            for name, X, k in wide():
                most = kept(X, decomposition.PCA(k).fit(X).components_)

                def share(_, X=X, k=k, fit=fit, epsilon=epsilon, most=most):
                    return kept(X, fit["axes"](X, k, epsilon).components_) / most

                out[f"components, {name}|{epsilon:g}|{way}"] = measured(max(3, fits // 3), share)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
