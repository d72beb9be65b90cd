"""The base of regressions that draw their coefficients from a law: parameters, checks and predictions."""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.pinball import MOST_COEFFICIENTS, quantile_level
from dalenius.learning.plans.region import Region
from dalenius.numerics import Number

LOSSES = ("squared", "quantile")


@dataclass(eq=False, repr=False)
class DrawnRegression(RegressorMixin, PrivateEstimator, BoundedParameters):  # type: ignore[misc]
    """A regression whose coefficients are drawn from a density on a public ball."""

    epsilon: float = 1.0
    _: KW_ONLY
    target_bounds: Any = None
    loss: str = "squared"
    level: float = 0.5
    coefficient_bound: Number = 1
    ridge: Number | None = None
    fit_intercept: bool = True

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        span = Span.declare(self.target_bounds)
        self._known_rows(rows)
        notes = self._release(self._checked(span), rows).notes
        coefficients, intercept = self._unscaled(notes)
        self._fitted_span = span
        self.coef_ = coefficients[0] * span.half
        self.intercept_ = float(intercept[0] * span.half + span.middle)
        self.stopped_ = bool(notes["stopped"])
        self.n_iter_ = 1
        return self

    def predict(self, X: Any) -> Matrix:
        """The expected target of each row, or its quantile, within its declared bounds."""
        features, span = self._held(X), self._fitted_span
        with np.errstate(all="ignore"):
            predicted: Matrix = np.clip(features @ self.coef_ + self.intercept_, span.lower, span.upper)
        return predicted

    def _checked(self, span: Span) -> FitPlan:
        rows = UnitRows(self._box(), 1, bool(self.fit_intercept))
        if self.loss not in LOSSES:
            raise InvalidParameter(f"loss must be one of {', '.join(LOSSES)}, got {self.loss!r}")
        quantile_level(self.level)
        if self.loss == "quantile" and rows.width > MOST_COEFFICIENTS:
            raise InvalidParameter(
                f"the quantile loss is drawn from a grid of at most {MOST_COEFFICIENTS} coefficients, the intercept "
                f"among them, got {rows.width}: select features, or use HuberRegression"
            )
        return self._plan(span, Region.of(self.coefficient_bound, rows), rows)

    @abstractmethod
    def _plan(self, span: Span, region: Region, rows: UnitRows) -> FitPlan:
        """The plan of this fit."""
