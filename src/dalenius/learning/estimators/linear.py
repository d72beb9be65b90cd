"""Linear regression."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.base import RegressorMixin

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.estimator import GivenRows, PrivateEstimator
from dalenius.learning.estimators.fitted import check_fitted
from dalenius.learning.estimators.glm import unit_of
from dalenius.learning.estimators.parameters import LinearParameters
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.counted_rows import CountedRows
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.noisy_moments import NoisyMoments

RIDGES = ("noise", "adaptive")


@dataclass(eq=False, repr=False)
class LinearRegression(RegressorMixin, PrivateEstimator, LinearParameters):  # type: ignore[misc]
    """Private least squares by noisy sums of products  [A §3.8 regression by noisy sums].

    bounds          (lower, upper) of the features, numbers or one for each; from public knowledge. Or "private": a
                    fifth of the budget finds them among ±2^k, k from −10 to 40; another share or other exponents by
                    `dalenius.statistics.PrivateBounds`
    target_bounds   (lower, upper) of the target, or "private"; predictions stay within them. One share finds both. For
                    rows of `from_sql` both are the policy's if left out
    ridge           "noise": as large as the noise; "adaptive": less where the released sums allow it
    n_public        the number of rows, if it is public; left out, a private count takes a fiftieth of the budget
    largest_weight  of `sample_weight`, declared: larger weights count as it
    relation        "add-remove", or "change-one", which makes the number of rows public
    ledger, dataset or curator   what every fit, also of clones, is charged to

    NaN features count as the middle of their bounds; rows whose target is no number count as no row.
    Without an intercept the plane passes through the middle of all bounds.
    `debiased_coef_` are the coefficients without the ridge's shrinkage, `standard_errors_` theirs, privacy noise
    included, and `confidence_interval(level)` is made of both; where noise hides an axis of the data it is too narrow.

    >>> import numpy as np
    >>> X = np.linspace(0, 10, 5000)[:, None]
    >>> model = LinearRegression(epsilon=10, bounds=(0, 10), target_bounds=(0, 100)).fit(X, 7 * X[:, 0] + 20)
    >>> bool(abs(model.coef_[0] - 7) < 1), str(model.guarantee_)[:27]
    (True, '10-differential privacy for')
    """

    epsilon: float = 1.0
    _: KW_ONLY
    target_bounds: Any = None
    ridge: str = "noise"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from private rows, or from people's by `learning.from_sql`; charged once, before they are read."""
        return self._fitted(self._given(X, y, sample_weight))

    def fit_parquet(self, path: str | Path, features: Sequence[str], target: str) -> Self:
        """Learn from columns of a file, in one pass that keeps only a chunk in memory."""
        return self._fitted(self._streamed(StreamedRows.open(path, features, target)))

    def fit_arrow(self, table: Any, features: Sequence[str], target: str) -> Self:
        """Learn from columns of an Arrow table or data set, in one pass, a chunk at a time."""
        return self._fitted(self._streamed(StreamedRows.of(table, features, target)))

    def _fitted(self, rows: GivenRows) -> Self:
        if self.ridge not in RIDGES:
            raise InvalidParameter(f"ridge must be one of {', '.join(RIDGES)}, got {self.ridge!r}")
        declared = self._declared_span(rows, self.target_bounds)
        known, public, intercept = self._known_rows(rows), self._public(), bool(self.fit_intercept)

        def plan(box: Box, span: Span | None, budget: FitBudget) -> FitPlan:
            assert span is not None

            def counted(count: int, left: FitBudget) -> NoisyMoments:
                return NoisyMoments(box, span, left, intercept, public, count, self.ridge)

            return CountedRows(budget, public, counted) if known is None else counted(known, budget)

        budget = replace(self._budget(counts=False), unit=unit_of(rows))
        made = self._with_bounds(plan, budget, public, declared, self.target_bounds)
        notes = self._release(made, rows).notes
        coefficients, intercepts = self._unscaled(notes)
        self._fitted_span = span = self._target_span(notes, declared)
        self.coef_ = coefficients[0] * span.half
        self.intercept_ = float(intercepts[0] * span.half + span.middle)
        deviations = np.sqrt(np.maximum(np.diag(np.array(notes["spread"])), 0.0))[: self.n_features_in_]
        units = span.half / (self._fitted_unit.radius * self._fitted_box.half)
        self.standard_errors_ = deviations * units
        self.debiased_coef_ = np.array(notes["debiased"])[: self.n_features_in_] * units
        self.n_iter_ = 1
        return self

    def confidence_interval(self, level: float = 0.95) -> Matrix:
        """The ends (lower, upper) for each coefficient, one row each, about `debiased_coef_`; nothing is spent.

        By the normal law: sampling of the rows and the noise of privacy together. Coverage is asymptotic.
        """
        check_fitted(self)
        if not isinstance(level, int | float) or not 0 < level < 1:
            raise InvalidParameter(f"level must lie between 0 and 1, got {level!r}")
        wide = float(ndtri((1 + level) / 2)) * self.standard_errors_
        ends: Matrix = np.column_stack([self.debiased_coef_ - wide, self.debiased_coef_ + wide])
        return ends

    def predict(self, X: Any) -> Matrix:
        """The expected target of each row, within its declared bounds."""
        features, span = self._held(X), self._fitted_span
        with np.errstate(all="ignore"):
            predicted: Matrix = np.clip(features @ self.coef_ + self.intercept_, span.lower, span.upper)
        return predicted
