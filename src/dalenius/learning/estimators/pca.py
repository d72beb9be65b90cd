"""Principal components."""

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.counted_rows import CountedRows
from dalenius.learning.plans.fading import held_for_products
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.whole_noise import whole_gaussian, whole_knorm
from dalenius.mechanisms import Gaussian, KNorm
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits

_SQUARE, _PAIR = 99, 140
"""Weights of xᵢ² and of xᵢxⱼ in the vector that is released; 140/99 is just below √2."""
_DIGITS = 14


@dataclass(frozen=True, slots=True)
class NoisyCovariance(FitPlan):
    """Σ xxᵀ over rows of the unit ball with a constant beside them, released once: counts, sums and products in one.

    A pair of coordinates weighs 140/99 ≤ √2 times a square, so a row's vector is no longer than xxᵀ in Frobenius norm,
    at most 1. δ > 0: Gaussian noise  [A Thm 13.1]; δ = 0: noise of density ∝ exp(−‖z‖₂/scale)  [HT10].
    """

    box: Box
    budget: FitBudget
    public: tuple[str, ...]
    count: int
    """The number of rows, public or released before: with few, long rows are shrunk."""

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {"method": "noisy covariance", "box": self.box.facts(), "count": self.count}

    @property
    def rows(self) -> UnitRows:
        """Rows of the unit ball, in steps."""
        return held_for_products(UnitRows(self.box, _DIGITS), self.count, self.budget)

    def sensitivity(self) -> Sensitivity:
        """In steps: 1, or √2 for two rows, since (xxᵀ)·(zzᵀ) ≥ 0 with these weights too  [A Rem 3.9]."""
        whole = Fraction(_SQUARE * 4**_DIGITS) ** 2
        return Sensitivity.root(whole * (1 if self.budget.relation is Relation.ADD_REMOVE else 2), Metric.L2)

    def mechanism(self) -> Gaussian | KNorm:
        """Noise for the whole budget."""
        if self.budget.pure:
            return whole_knorm(self.sensitivity(), self.budget.total)
        return whole_gaussian(self.sensitivity(), self.budget.total)

    def sums(self, view: Rows) -> Any:
        """The vector: squares, then pairs."""
        d = self.rows.width
        gram = np.zeros((d, d), np.int64)
        for features, _ in view.chunks():
            x = self.rows.steps(features)
            gram += (x.T @ x).astype(np.int64)  # 2¹⁶ rows of products up to 2²⁸
        return np.concatenate([_SQUARE * np.diag(gram), _PAIR * gram[np.triu_indices(d, 1)]])

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Sum, add noise, centre."""
        d, unit = self.box.features, self.rows
        values = np.asarray(self.mechanism().release(self.sums(view), bits), np.float64) / (_SQUARE * 4.0**_DIGITS)
        matrix: Matrix = np.zeros((d + 1, d + 1))
        matrix[np.triu_indices(d + 1, 1)] = values[d + 1 :] * (_SQUARE / _PAIR)
        matrix = (matrix + matrix.T + np.diag(values[: d + 1])) * unit.radius**2
        count = max(1.0, float(matrix[d, d]))
        mean = np.clip(matrix[d, :d] / count, -1, 1)
        covariance = matrix[:d, :d] / count - np.outer(mean, mean)
        return Outcome((), notes={"count": count, "mean": mean.tolist(), "covariance": covariance.tolist()})


@dataclass(eq=False, repr=False)
class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator, BoundedParameters):  # type: ignore[misc]
    """Private principal components by a noisy covariance.

    n_components   how many; left out, all
    whiten         divide each component by its released standard deviation

    The other parameters are those of `LinearRegression`. `components_`, `explained_variance_`,
    `explained_variance_ratio_`, `singular_values_` and `mean_` are as scikit-learn's, made from one release; a variance
    that noise made negative is 0. A fiftieth of the budget counts the rows: while they are few, those far from the
    middle of all bounds are shrunk, which the variances show; with many, nothing is.
    """

    n_components: int | None = None
    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 0.0
    whiten: bool = False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from private rows; charged once, before they are read. `y` is not looked at."""
        features = self._features(X, reset=True)
        rows = Rows(features, np.zeros(len(features)))
        kept, box, public, known = self._kept(), self._box(), self._public(), self._known_rows(rows)

        def plan(count: int, left: FitBudget) -> NoisyCovariance:
            return NoisyCovariance(box, left, public, count)

        budget = self._budget(counts=False)
        whole = CountedRows(budget, public, plan)
        plan(1, whole.left).mechanism()  # a budget too small for exact noise is refused before the charge
        notes = self._release(whole if known is None else plan(known, budget), rows).notes
        self._fitted_box = box
        values, axes = np.linalg.eigh(np.array(notes["covariance"]) * np.outer(box.half, box.half))
        order = np.argsort(values)[::-1]
        variances = np.maximum(values[order], 0.0)
        axes = axes[:, order].T
        # a sign that does not hang on the solver: the largest entry is positive
        axes = axes * np.where(np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1) < 0, -1.0, 1.0)
        self.components_, self.explained_variance_ = axes[:kept], variances[:kept]
        self.explained_variance_ratio_ = self.explained_variance_ / max(float(variances.sum()), 1e-300)
        self.singular_values_ = np.sqrt(self.explained_variance_ * notes["count"])
        self.mean_ = np.array(notes["mean"]) * box.half + box.middle
        self.n_components_ = kept
        self.noise_variance_ = float(variances[kept:].mean()) if kept < len(variances) else 0.0
        self._scale = np.sqrt(np.maximum(self.explained_variance_, 1e-12)) if self.whiten else np.ones(kept)
        return self

    def transform(self, X: Any) -> Matrix:
        """Each row's place along the components."""
        features = self._held(X)
        with np.errstate(all="ignore"):
            places: Matrix = (features - self.mean_) @ self.components_.T / self._scale
        return places

    def inverse_transform(self, X: Any) -> Matrix:
        """Rows of the data's own features, from places along the components."""
        places = np.asarray(X, np.float64)
        features: Matrix = (places * self._scale) @ self.components_ + self.mean_
        return features

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def _kept(self) -> int:
        given, d = self.n_components, self.n_features_in_
        if given is None:
            return int(d)
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 1 <= given <= d:
            raise InvalidParameter(f"n_components must be a whole number from 1 to {d}, got {given!r}")
        return int(given)
