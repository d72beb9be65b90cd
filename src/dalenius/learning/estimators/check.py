"""What stands around a private model and reads rows exactly: found by kind, before data is read."""

import sys
import warnings
from collections.abc import Iterator
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import FeatureUnion
from sklearn.pipeline import Pipeline as PlainPipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, PolynomialFeatures
from sklearn.utils import get_tags

from dalenius.calls import named_arguments
from dalenius.errors import UnprovenClaim
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.scaler import Scaler

_DEEPEST = 40


class Pipeline(PlainPipeline):  # type: ignore[misc]
    """scikit-learn's Pipeline, refused where a step would read rows exactly: `check` says which do.

    >>> from sklearn.preprocessing import StandardScaler
    >>> from dalenius.learning import LinearRegression, Pipeline, Scaler
    >>> sound = Pipeline([("scale", Scaler(bounds=(0, 100))), ("fit", LinearRegression(1, bounds=(-1, 1)))])
    >>> check(sound)
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> "Pipeline":
        """Check, then fit the steps one after the other."""
        check(self)
        fitted: Pipeline = super().fit(X, y, **params)
        return fitted

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Check, then fit and transform."""
        check(self)
        return super().fit_transform(X, y, **params)

    def fit_predict(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Check, then fit and predict."""
        check(self)
        return super().fit_predict(X, y, **params)


@named_arguments
def check(model: Any) -> None:
    """Refuse a model of which some part reads private rows exactly, for which no `guarantee_` counts.

    model   an estimator, a pipeline, a search

    Sound are the estimators of this package, transformers that learn nothing (scikit-learn's tags say so, or they are
    PolynomialFeatures), encoders with declared categories, and what is put together of these. What is not known to be
    sound is refused: an exact `StandardScaler` tells the extremes of a column, a grid of exact scores tells of rows.
    """
    for reason in leaks(model):
        raise UnprovenClaim(reason)


def leaks(model: Any) -> Iterator[str]:
    """Why each part is refused, with the remedy."""
    if model is None or isinstance(model, str):  # "passthrough" and "drop"
        return
    if isinstance(model, BaseSearchCV):
        yield (
            f"{type(model).__name__} chooses by exact scores of private rows, which no guarantee counts: use "
            "learning.PrivateSearch, or learning.cross_validate for each candidate"
        )
        yield from leaks(model.estimator)
    elif isinstance(model, PlainPipeline | FeatureUnion | ColumnTransformer):
        for _, part, *_ in model.transformers if isinstance(model, ColumnTransformer) else _parts(model):
            yield from leaks(part)
    elif not _sound(model):
        yield (
            f"{type(model).__name__} is fitted to private rows exactly, which no guarantee counts: use "
            "learning.Scaler with declared bounds, encoders with declared categories, or learning.PCA"
        )


def _parts(model: Any) -> list[Any]:
    steps: list[Any] = model.transformer_list if isinstance(model, FeatureUnion) else model.steps
    return steps


def _sound(model: Any) -> bool:
    if isinstance(model, PrivateEstimator | Scaler | PolynomialFeatures):
        return True
    if isinstance(model, OneHotEncoder | OrdinalEncoder):
        return not isinstance(model.categories, str) and getattr(model, "min_frequency", None) is None
    return isinstance(model, BaseEstimator) and not get_tags(model).requires_fit


def warn_of_leaks() -> None:
    """Warn of what stands around the fit that runs now: a pipeline or a search of scikit-learn among its callers.

    What is said follows from the kinds of the parts, never from a row.
    """
    around, frame = None, sys._getframe(1)
    for _ in range(_DEEPEST):
        holder = frame.f_locals.get("self")
        if isinstance(holder, BaseSearchCV | PlainPipeline) and not isinstance(holder, Pipeline):
            around = holder
        if frame.f_back is None:
            break
        frame = frame.f_back
    for reason in dict.fromkeys(leaks(around)):
        warnings.warn(f"{reason}; see learning.check", UserWarning, stacklevel=3)
