"""Least squares from noisy sums of products, as a plan."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.curator import Outcome
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Span
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fading import held_for_products
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.whole_noise import moves, whole_gaussian, whole_knorm
from dalenius.learning.sums.moments import RowMoments
from dalenius.mechanisms import Gaussian, KNorm
from dalenius.noise import Bits

_NOISE_RIDGE = 0.7
_ROOM = 39


@dataclass(frozen=True, slots=True)
class NoisyMoments(FitPlan):
    """The sums that least squares needs, released once; what is solved from them costs nothing  [A Prop 3.1].

    A row longer than the radius is shrunk together with its target: it counts by a weight below 1, and a linear
    relation stays as it is. As rows grow in number the radius becomes that of the box, and every weight 1.

    δ > 0: Gaussian noise  [A Thm 13.1]; δ = 0: noise of density ∝ exp(−‖z‖₂/scale), which for so many sums is smaller
    than Laplace noise on each  [A §3.8 regression by noisy sums, HT10].
    """

    box: Box
    span: Span
    budget: FitBudget
    intercept: bool
    public: tuple[str, ...]
    rows: int
    """Their number, public or released before: with few, long rows count less."""
    ridge: str = "noise"

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "noisy moments",
            "box": self.box.facts(),
            "span": self.span.facts(),
            "intercept": self.intercept,
            "rows": self.rows,
            "ridge": self.ridge,
        }

    def unit_rows(self, digits: int) -> UnitRows:
        """Rows of the unit ball; with few of them a long row, and its target, are shrunk, which is a lesser weight."""
        return held_for_products(UnitRows(self.box, digits, self.intercept), self.rows, self.budget)

    def released(self) -> tuple[RowMoments, Gaussian | KNorm, float]:
        """The sums, the noise for them, and its standard deviation in the units of a square."""
        relation = self.budget.relation
        size = RowMoments(self.unit_rows(1), self.span).size
        rough = 2 * moves(relation) / (float(self.budget.total) ** (1.0 if self.budget.pure else 0.5))
        digits = max(3, min(15, (_ROOM - 7 - math.ceil(math.log2(rough))) // 2))
        moments = RowMoments(self.unit_rows(digits), self.span)
        sensitivity = moments.sensitivity(relation)
        if not self.budget.pure:
            gaussian = whole_gaussian(sensitivity, self.budget.total)
            return moments, gaussian, float(gaussian.scale * moments.step)
        knorm = whole_knorm(sensitivity, self.budget.total)
        return moments, knorm, float(knorm.scale * moments.step) * math.sqrt(size + 1)

    def run(self, view: AnyRows, bits: Bits) -> Outcome:
        """Sum, add noise, solve with a ridge as large as the noise."""
        moments, mechanism, noise = self.released()
        matrix, products, squares = moments.parts(mechanism.release(moments.sums(view), bits))
        weights = solved(matrix, products, noise, self.ridge)
        centre, spread = debiased(matrix, products, squares, noise, self.rows)
        estimates = {"debiased": centre.tolist(), "spread": spread.tolist(), "radius": moments.rows.radius}
        return self.outcome(weights[:, None], self.rows, 1, **estimates)


def solved(matrix: Matrix, products: Matrix, noise: float, ridge: str) -> Matrix:
    """Weights by the noisy normal equations.

    The length of the noise in Σxxᵀ is about σ√(2d); a ridge of 0.7 of it, and no eigenvalue below that, keep the answer
    finite and short whatever the noise. "adaptive" takes the ridge back by as much as the least noisy eigenvalue
    exceeds the noise, as AdaSSP does  [Wan18], reading it off the released matrix, for nothing.
    """
    length = noise * math.sqrt(2 * len(matrix))
    values, axes = np.linalg.eigh(matrix)
    least = _NOISE_RIDGE * length
    added = least
    if ridge == "adaptive":
        added = max(0.1 * length, least - max(0.0, float(values[0]) - length))
    weights: Matrix = axes @ ((axes.T @ products) / np.maximum(values + added, least))
    return weights


def debiased(matrix: Matrix, products: Matrix, squares: float, noise: float, rows: float) -> tuple[Matrix, Matrix]:
    """Weights without the ridge, and the covariance of their error: sampling and privacy noise together.

    With M = A + E, b the products and f their noise, M⁻¹b = θ + A⁻¹(f − Eθ) + A⁻¹EA⁻¹Eθ + …. E is symmetric of
    variance 2v on the diagonal and v = σ²/2 beside it, so E[EBE] = v(B + tr(B)I) for symmetric B: the mean of the
    second-order term is taken off, with M for A. The first-order term has covariance σ²I + v(‖θ‖²I + θθᵀ) between
    inverses, and the rows add s²A, s² the mean square residual of the released sums. Eigenvalues below the length of
    the noise say nothing, and are raised to it: then the weights are shrunk, and the covariance is too small.
    """
    d, v = len(matrix), noise**2 / 2
    values, axes = np.linalg.eigh(matrix)
    held = np.maximum(values, noise * math.sqrt(2 * d))
    inverse = (axes / held) @ axes.T
    plain = inverse @ products
    weights = plain - v * inverse @ (inverse @ plain + float(np.trace(inverse)) * plain)
    left = squares - 2 * float(plain @ products) + float(plain @ matrix @ plain)
    residual = max(0.0, left) / max(1.0, rows - d)
    whole = (noise**2 + v * float(weights @ weights)) * np.eye(d) + v * np.outer(weights, weights)
    whole = whole + residual * (axes * np.maximum(values, 0.0)) @ axes.T
    return weights, inverse @ whole @ inverse
