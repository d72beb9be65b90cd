"""What privacy will cost in accuracy, from synthetic rows, before anything is spent."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson
from sklearn import linear_model
from sklearn.base import clone, is_classifier, is_regressor

from dalenius.errors import UnprovenClaim
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix
from dalenius.learning.plans.searched_bounds import sought
from dalenius.noise import Bits

_SPREAD = 0.2
"""Of the noise in a synthetic target, as a part of half its range."""


def cost_of_privacy(model: Any, rows: int, features: int, runs: int, bits: Bits) -> float:
    """The mean of private minus plain error, over fresh synthetic rows that are uniform in the model's bounds.

    For a classifier the share of wrong labels; for a regressor the squared error over the target's variance. A linear
    rule is drawn anew each time: real data may be easier or harder.
    """
    if not (is_classifier(model) or is_regressor(model)):
        raise UnprovenClaim(
            f"{type(model).__name__} has no target to simulate: fit public or synthetic rows, and compare"
        )
    costs = []
    for _ in range(runs):
        X, y = synthetic(model, rows + 2000, features, bits)
        private = clone(model).set_params(ledger=None, dataset=None, curator=None)
        private.fit(X[:rows], y[:rows])
        plain = _plain(model).fit(X[:rows], y[:rows])
        costs.append(_error(private, X[rows:], y[rows:]) - _error(plain, X[rows:], y[rows:]))
    return float(np.mean(costs))


def _plain(model: Any) -> Any:
    if is_classifier(model):
        return linear_model.LogisticRegression(C=1e4, max_iter=300)
    if hasattr(model, "ceiling"):
        return linear_model.PoissonRegressor(alpha=1e-6, max_iter=300)
    return linear_model.LinearRegression()


def _error(model: Any, X: Matrix, y: NDArray[Any]) -> float:
    guessed = model.predict(X)
    if is_classifier(model):
        return float(np.mean(guessed != y))
    return float(np.mean((guessed - y) ** 2) / np.var(y))


def synthetic(model: Any, rows: int, features: int, bits: Bits) -> tuple[Matrix, NDArray[Any]]:
    """Rows uniform in the bounds of a model, and a target that follows a random line of them."""
    like = model.candidates[0] if getattr(model, "candidates", None) and not hasattr(model, "bounds") else model
    box = Box.declare((-1, 1), features) if sought(like.bounds) is not None else like._box_of(features)
    z = 2 * _uniform(bits, (rows, features)) - 1
    X = z * box.half + box.middle
    rule = 2 * _uniform(bits, (features, 1)) - 1
    drift = z @ rule / np.sqrt(features)
    if is_classifier(model):
        classes = np.unique(np.asarray([0, 1] if like.classes is None else like.classes))
        edges = np.quantile(drift, np.arange(1, len(classes)) / len(classes))
        return X, classes[np.searchsorted(edges, drift[:, 0] + 0.1 * (_uniform(bits, rows) - 0.5))]
    if hasattr(model, "ceiling"):
        rate = np.exp(np.minimum(np.log(model.ceiling) / 2 * (1 + drift[:, 0]), np.log(model.ceiling)))
        return X, poisson.ppf(_uniform(bits, rows), rate)
    low, high = (-1.0, 1.0) if sought(model.target_bounds) is not None else np.asarray(model.target_bounds, np.float64)
    raw = drift[:, 0] + _SPREAD * (_uniform(bits, rows) - 0.5)
    return X, np.clip(raw, -1, 1) * (high - low) / 2 + (high + low) / 2


def _uniform(bits: Bits, shape: Any) -> Matrix:
    size = int(np.prod(shape))
    return (bits.words(np.uint32, size) / 2.0**32).reshape(shape)
