"""Robust linear regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dalenius.errors import InvalidParameter
from dalenius.learning.estimator import PrivateEstimator
from dalenius.learning.objective import Perturbation
from dalenius.learning.rows import Matrix
from dalenius.learning.stated import Huber
from dalenius.learning.targets import Span
from dalenius.neighbors import Relation
from dalenius.numerics import positive


class HuberRegression(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Private linear regression that outliers pull with bounded force.

    Objective perturbation, purely ε: no δ is spent  [A Thm 6.1]. A residual beyond `knee`, as a part of half the width
    of `target_bounds`, pulls no harder than one at it. The other parameters are those of `LinearRegression`;
    predictions stay within `target_bounds`.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        bounds: Any = None,
        target_bounds: Any = None,
        knee: float = 0.5,
        fit_intercept: bool = True,
        relation: Relation | str = "add-remove",
        ledger: Any = None,
        dataset: str | None = None,
        curator: Any = None,
        bits: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.knee = knee
        self.fit_intercept = fit_intercept
        self.relation = relation
        self.ledger = ledger
        self.dataset = dataset
        self.curator = curator
        self.bits = bits

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        span = Span.declare(self.target_bounds)
        found = self._release(self._plan(span), rows).notes
        coefficients, intercept = self._unscaled(found)
        self._fitted_span = span
        self.coef_ = coefficients[0] * span.half
        self.intercept_ = float(intercept[0] * span.half + span.middle)
        self.n_iter_ = int(found["steps"])
        return self

    def predict(self, X: Any) -> Matrix:
        """The expected target of each row, within its declared bounds."""
        features, span = self._held(X), self._fitted_span
        with np.errstate(all="ignore"):
            found: Matrix = np.clip(features @ self.coef_ + self.intercept_, span.lower, span.upper)
        return found

    def _plan(self, span: Span) -> Perturbation:
        knee = positive(self.knee, "knee")
        if knee > 2:
            raise InvalidParameter(f"knee must be at most 2, the whole width of the target, got {self.knee}")
        intercept = bool(self.fit_intercept)
        return Perturbation(self._box(), Huber(knee), self._budget(counts=False), intercept, self._public(), span)
