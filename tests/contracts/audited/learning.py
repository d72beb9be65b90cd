"""Every estimator on a pair of neighbors: eight rows, and a ninth far outside of all bounds."""

import functools
from typing import Any

import numpy as np
import pandas as pd
import sklearn.linear_model

from dalenius import learning
from tests.contracts.audited.case import Audited

X = np.array([[-1.0, 0.5], [1.0, -0.5], [0.2, 0.9], [-0.7, -0.3], [0.4, 0.1], [-0.2, -0.8], [0.9, 0.6], [-0.6, 0.7]])
Y = np.array([0, 1, 1, 0, 1, 0, 1, 0])
ROWS = (X, Y)
MORE = (np.vstack([X, [1e300, -1e300]]), np.append(Y, 0))
BOX: dict[str, Any] = {"bounds": (-1, 1)}


def _people(extra: int) -> tuple[Any]:
    """Eight people of a row each, and perhaps one more, of five rows far outside of all bounds."""
    rows = np.vstack([X, np.tile([1e300, -1e300], (extra, 1))])
    who = [*range(8), *[8] * extra]
    frame = pd.DataFrame({"who": who, "a": rows[:, 0], "b": rows[:, 1], "y": [*Y, *[0] * extra]})
    return (learning.from_frame(frame, target="y", unit="who", contributions=2),)


FITTED: dict[str, Any] = {
    "LinearRegression": learning.LinearRegression(2, target_bounds=(0, 1), **BOX),
    "LogisticRegression": learning.LogisticRegression(2, classes=[0, 1], **BOX),
    "HuberRegression": learning.HuberRegression(2, target_bounds=(0, 1), **BOX),
    "HuberSVM": learning.HuberSVM(2, classes=[0, 1], **BOX),
    "PoissonRegression": learning.PoissonRegression(2, ceiling=3, **BOX),
    "DPSGD": learning.DPSGD(2, delta=0.01, classes=[0, 1], steps=5, rate=0.5, **BOX),
    "KNormGradient": learning.KNormGradient(2, target_bounds=(0, 1), fit_intercept=False, **BOX),
    "ExponentialERM": learning.ExponentialERM(2, target_bounds=(0, 1), fit_intercept=False, **BOX),
    "KNormLogistic": learning.KNormLogistic(2, classes=[0, 1], fit_intercept=False, **BOX),
    "NaiveBayes": learning.NaiveBayes(2, classes=[0, 1], **BOX),
    "KMeans": learning.KMeans(2, 2, n_steps=2, **BOX),
    "PCA": learning.PCA(1, 2, **BOX),
    "SubsampleAggregate": learning.SubsampleAggregate(
        sklearn.linear_model.LinearRegression(), 2, blocks=4, parameter_bounds=(-1, 1), **BOX
    ),
    "PrivateSelection": learning.PrivateSelection(2, target_bounds=(0, 1), **BOX),
    "PrivateSearch": learning.PrivateSearch(
        [learning.LogisticRegression(classes=[0, 1], bounds=(-b, b)) for b in (1, 10)], epsilon=3, trials=2
    ),
}
VARIANTS: dict[str, Any] = {
    "ExponentialERM in an l1 ball": learning.ExponentialERM(
        2, target_bounds=(0, 1), coefficient_norm="l1", fit_intercept=False, **BOX
    ),
    "HuberRegression with a delta": learning.HuberRegression(2, delta=0.01, target_bounds=(0, 1), **BOX),
    "PoissonRegression with a delta": learning.PoissonRegression(2, delta=0.01, ceiling=3, **BOX),
    "LogisticRegression with a delta": learning.LogisticRegression(2, delta=0.01, classes=[0, 1], **BOX),
    "HuberSVM with a delta": learning.HuberSVM(2, delta=0.01, classes=[0, 1], **BOX),
    "LogisticRegression with a lasso": learning.LogisticRegression(2, classes=[0, 1], C=0.5, l1_ratio=0.5, **BOX),
    "LogisticRegression within bounds": learning.LogisticRegression(
        2, delta=0.01, classes=[0, 1], coef_bounds=(0, 1), **BOX
    ),
    "SubsampleAggregate without bounds": learning.SubsampleAggregate(
        sklearn.linear_model.LinearRegression(), 2, delta=0.01, blocks=4, parameter_bounds="private", **BOX
    ),
    "LogisticRegression with standard errors": learning.LogisticRegression(
        2, classes=[0, 1], standard_errors=True, **BOX
    ),
    "PoissonRegression with standard errors": learning.PoissonRegression(
        2, delta=0.01, ceiling=3, standard_errors=True, **BOX
    ),
    "LinearRegression with a delta": learning.LinearRegression(2, delta=0.01, target_bounds=(0, 1), **BOX),
}
"""The same estimators by another mechanism."""
OF_PEOPLE: dict[str, Any] = {
    f"{name} of people": FITTED.get(name, VARIANTS.get(name))
    for name in (
        *("LinearRegression", "LogisticRegression", "HuberRegression", "PoissonRegression", "DPSGD"),
        *("LogisticRegression with a delta", "PoissonRegression with a delta", "HuberSVM"),
    )
}
"""Fitted to people, of whom one has five rows."""
ALSO = {"cross_validate"}
"""Audited below, though it is no estimator."""
NOT_FITTED = {
    "Calibrated",  # a guarantee
    "Pipeline",  # scikit-learn's, of estimators that are audited
    "TrainingData",  # rows, as from_frame and from_sql give them
    "check",  # reads kinds, no rows
    "from_frame",  # gives rows to the estimators of people
    "from_sql",
    "CrossValidation",  # what cross_validate gives
    "GaussianObjective",  # the mechanism of HuberRegression and PoissonRegression with a delta
    "ObjectivePerturbation",  # the mechanism of LogisticRegression, HuberRegression and PoissonRegression
    "Scaler",  # reads declared bounds, no rows
    "StatedLoss",  # a protocol
}


def _leaves(model: Any) -> dict[str, Any]:
    """Every fitted attribute, which is what a caller can read."""
    found = {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    found.pop("guarantee_", None)
    best = found.pop("best_estimator_", None)
    return found | ({} if best is None else {"best": str(best.bounds), "coef": best.coef_})


def _fit(model: Any, data: Any) -> Any:
    from sklearn.base import clone

    return _leaves(clone(model).fit(*data))


def _validated(data: Any) -> Any:
    model = learning.LogisticRegression(classes=[0, 1], **BOX)
    return learning.cross_validate(model, *data, epsilon=2, folds=2).test_score


@functools.cache
def audited(name: str) -> Audited:
    """The estimator, with the claim that a fit of it states."""
    if name == "cross_validate":
        model = learning.LogisticRegression(classes=[0, 1], **BOX)
        claim = learning.cross_validate(model, *ROWS, epsilon=2, folds=2).guarantee
        return Audited(name, _validated, MORE, ROWS, claim, 150)
    from sklearn.base import clone

    models = FITTED | VARIANTS | OF_PEOPLE
    more, rows = (_people(5), _people(0)) if name in OF_PEOPLE else (MORE, ROWS)
    claim = clone(models[name]).fit(*rows).guarantee_
    return Audited(
        name, lambda data: _fit(models[name], data), more, rows, claim, 400 if name == "PrivateSearch" else 150
    )
