"""Linear regression."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.plans.budget import Budget
from dalenius.learning.plans.descent import moves, whole_gaussian
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.searched_bounds import sought
from dalenius.learning.sums.moments import Moments
from dalenius.mechanisms import Gaussian, KNorm
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, Lattice

RIDGES = ("noise", "adaptive")
_NOISE_RIDGE = 0.7
_ROOM = 39


@dataclass(frozen=True, slots=True)
class NoisyMoments(FitPlan):
    """The sums that least squares needs, released once; what is solved from them costs nothing  [A Prop 3.1].

    δ > 0: Gaussian noise  [A Thm 13.1]; δ = 0: noise of density ∝ exp(−‖z‖₂/scale), which for so many sums is smaller
    than Laplace noise on each  [A §3.8 regression by noisy sums, HT10].
    """

    box: Box
    span: Span
    budget: Budget
    intercept: bool
    public: tuple[str, ...]
    ridge: str = "noise"

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "noisy moments",
            "box": self.box.facts(),
            "span": self.span.facts(),
            "intercept": self.intercept,
            "ridge": self.ridge,
        }

    def released(self) -> tuple[Moments, Gaussian | KNorm, float]:
        """The sums, the noise for them, and its standard deviation in the units of a square."""
        relation = self.budget.relation
        size = Moments(UnitRows(self.box, 1, self.intercept), self.span).size
        rough = 2 * moves(relation) / (float(self.budget.rest) ** (1.0 if self.budget.pure else 0.5))
        digits = max(3, min(15, (_ROOM - 7 - math.ceil(math.log2(rough))) // 2))
        moments = Moments(UnitRows(self.box, digits, self.intercept), self.span)
        sensitivity = moments.sensitivity(relation)
        if not self.budget.pure:
            gaussian = whole_gaussian(sensitivity, self.budget.rest)
            return moments, gaussian, float(gaussian.scale * moments.step)
        knorm = whole_knorm(sensitivity, self.budget.rest)
        return moments, knorm, float(knorm.scale * moments.step) * math.sqrt(size + 1)

    def run(self, view: Rows | StreamedRows, bits: Bits) -> Outcome:
        """Sum, add noise, solve with a ridge as large as the noise."""
        moments, mechanism, noise = self.released()
        matrix, products, squares = moments.parts(mechanism.release(moments.sums(view.chunks()), bits))
        weights, spread = solved(matrix, products, squares, noise, self.ridge)
        return self.outcome(weights[:, None], None, 1, spread=spread.tolist())


def solved(matrix: Matrix, products: Matrix, squares: float, noise: float, ridge: str) -> tuple[Matrix, Matrix]:
    """Weights by the noisy normal equations, and the covariance of their error: sampling and privacy noise together.

    The length of the noise in Σxxᵀ is about σ√(2d); a ridge of 0.7 of it, and no eigenvalue below that, keep the answer
    finite and short whatever the noise. "adaptive" takes the ridge back by as much as the least noisy eigenvalue
    exceeds the noise, as AdaSSP does  [Wan18], reading it off the released matrix, for nothing.

    The error solves H e = noise of (Σxy − Σxxᵀ w): variance σ²(1 + (‖w‖² + wⱼ²)/2) for each coordinate from the noise,
    and s²·Σxxᵀ from the rows, s² the mean square residual of the released sums.
    """
    d = len(matrix)
    length = noise * math.sqrt(2 * d)
    values, axes = np.linalg.eigh(matrix)
    least = _NOISE_RIDGE * length
    added = least
    if ridge == "adaptive":
        added = max(0.1 * length, least - max(0.0, float(values[0]) - length))
    held = np.maximum(values + added, least)
    weights = axes @ ((axes.T @ products) / held)
    rows = max(1.0, float(np.trace(matrix)))
    residual = max(0.0, squares - 2 * float(weights @ products) + float(weights @ matrix @ weights)) / rows
    core = residual * (axes * np.maximum(values, 0.0)) @ axes.T
    core = core + np.diag(noise**2 * (1 + (weights @ weights + weights**2) / 2))
    inverse = (axes / held) @ axes.T
    return weights, inverse @ core @ inverse


def whole_knorm(sensitivity: Sensitivity, epsilon: Fraction) -> KNorm:
    """Noise on whole numbers of density ∝ exp(−‖z‖₂/scale), at a cost of ε  [HT10]."""
    scale = max(math.ceil(sensitivity.value / epsilon), 1 << 20)
    if scale > 1 << 40:
        raise InvalidParameter("this epsilon is too small for exact noise: raise it")
    return KNorm(Metric.L2, Fraction(scale), Lattice(0))


class LinearRegression(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Private least squares by noisy sums of products  [A §3.8 regression by noisy sums].

    bounds          (lower, upper) of the features, numbers or one for each; from public knowledge. Or "private": a
                    fifth of the budget finds them among ±2^k, k from −10 to 40; another share or other exponents by
                    `dalenius.statistics.PrivateBounds`
    target_bounds   (lower, upper) of the target, or "private"; predictions stay within them. One share finds both
    ridge           "noise": as large as the noise; "adaptive": less where the released sums allow it
    relation        "add-remove", or "change-one", which makes the number of rows public; the number is not needed
    ledger, dataset or curator   what every fit, also of clones, is charged to

    NaN features count as the middle of their bounds; rows whose target is no number count as no row.
    Without an intercept the plane passes through the middle of all bounds.
    `standard_errors_` are those of `coef_`, privacy noise included; the shrinkage of the ridge is not in them.

    >>> import numpy as np
    >>> X = np.linspace(0, 10, 5000)[:, None]
    >>> model = LinearRegression(epsilon=10, bounds=(0, 10), target_bounds=(0, 100)).fit(X, 7 * X[:, 0] + 20)
    >>> bool(abs(model.coef_[0] - 7) < 1), str(model.guarantee_)[:27]
    (True, '10-differential privacy for')
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 0.0,
        bounds: Any = None,
        target_bounds: Any = None,
        ridge: str = "noise",
        fit_intercept: bool = True,
        relation: Relation | str = "add-remove",
        ledger: Any = None,
        dataset: str | None = None,
        curator: Any = None,
        bits: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.relation = relation
        self.ledger = ledger
        self.dataset = dataset
        self.curator = curator
        self.bits = bits

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        return self._fitted(self._rows(X, y))

    def fit_parquet(self, path: str | Path, features: Sequence[str], target: str) -> Self:
        """Learn from columns of a file, in one pass that keeps only a chunk in memory."""
        return self._fitted(self._streamed(StreamedRows.open(path, features, target)))

    def fit_arrow(self, table: Any, features: Sequence[str], target: str) -> Self:
        """Learn from columns of an Arrow table or data set, in one pass, a chunk at a time."""
        return self._fitted(self._streamed(StreamedRows.of(table, features, target)))

    def _fitted(self, rows: Rows | StreamedRows) -> Self:
        if self.ridge not in RIDGES:
            raise InvalidParameter(f"ridge must be one of {', '.join(RIDGES)}, got {self.ridge!r}")
        declared = None if sought(self.target_bounds) is not None else Span.declare(self.target_bounds)
        self._known_rows(rows)
        public, intercept = self._public(), bool(self.fit_intercept)

        def plan(box: Box, span: Span | None, budget: Budget) -> NoisyMoments:
            assert span is not None
            return NoisyMoments(box, span, budget, intercept, public, self.ridge)

        made = self._with_bounds(plan, self._budget(counts=False), public, declared, self.target_bounds)
        found = self._release(made, rows).notes
        coefficients, intercepts = self._unscaled(found)
        self._fitted_span = span = self._target_span(found, declared)
        self.coef_ = coefficients[0] * span.half
        self.intercept_ = float(intercepts[0] * span.half + span.middle)
        deviations = np.sqrt(np.maximum(np.diag(np.array(found["spread"])), 0.0))[: self.n_features_in_]
        unit = UnitRows(self._fitted_box, 1, intercept)
        self.standard_errors_ = deviations / unit.radius / self._fitted_box.half * span.half
        self.n_iter_ = 1
        return self

    def predict(self, X: Any) -> Matrix:
        """The expected target of each row, within its declared bounds."""
        features, span = self._held(X), self._fitted_span
        with np.errstate(all="ignore"):
            found: Matrix = np.clip(features @ self.coef_ + self.intercept_, span.lower, span.upper)
        return found
