"""Robust linear regression."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dalenius.errors import InvalidParameter
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.estimator import GivenRows
from dalenius.learning.estimators.glm import GeneralisedLinear, nonnegative_number, scale_of
from dalenius.learning.estimators.parameters import PerturbedParameters
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.sums.losses import ClippedHuber
from dalenius.learning.sums.regression_loss_bounds import Huber
from dalenius.numerics import float_above, positive


@dataclass(eq=False, repr=False)
class HuberRegression(RegressorMixin, GeneralisedLinear, PerturbedParameters):  # type: ignore[misc]
    """Private linear regression that outliers pull with bounded force.

    A residual beyond `knee`, as a part of half the width of `target_bounds`, pulls no harder than one at it: the Huber
    estimator with that fixed scale, where scikit-learn's HuberRegressor estimates one. By objective perturbation as
    `LogisticRegression`, whose `method`, `row_norm`, `largest_weight` and `n_public` these are. `alpha` adds
    ½·alpha·‖coef‖² to the sum of losses. The other parameters are those of `LinearRegression`; predictions stay within
    `target_bounds`.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    target_bounds: Any = None
    knee: float = 0.5
    alpha: float = 0.0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from private rows, or from people's by `learning.from_sql`; charged once, before they are read."""
        return self._fitted(self._given(X, y, sample_weight))

    def _fitted_stream(self, rows: StreamedRows) -> Self:
        return self._fitted(rows)

    def _fitted(self, rows: GivenRows) -> Self:
        declared = self._declared_span(rows, self.target_bounds)
        notes = self._release(self._plan(rows, declared), rows).notes
        coefficients, intercept = self._unscaled(notes)
        self._fitted_span = span = self._target_span(notes, declared)
        self.coef_ = coefficients[0] * span.half
        self.intercept_ = float(intercept[0] * span.half + span.middle)
        self.n_iter_ = int(notes["steps"])
        self._set_holds(notes)
        return self

    def predict(self, X: Any) -> Matrix:
        """The expected target of each row, within its declared bounds."""
        scores, span = self._score(X)[:, 0], self._fitted_span
        with np.errstate(all="ignore"):
            predicted: Matrix = np.clip(scores, span.lower, span.upper)
        return predicted

    def _plan(self, rows: GivenRows, span: Span | None) -> FitPlan:
        knee = positive(self.knee, "knee")
        if knee > 2:
            raise InvalidParameter(f"knee must be at most 2, the whole width of the target, got {self.knee}")
        alpha = nonnegative_number(self.alpha, "alpha") / scale_of(rows)
        return self._glm(rows, Huber(knee), ClippedHuber(float_above(knee)), span, lambda _: alpha)
