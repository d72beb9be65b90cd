"""Least squares under constraints: no number below 0, and sums that are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from dalenius.errors import InvalidParameter
from dalenius.inference.noise import Floats

Chosen = NDArray[np.bool_]
_HEAVY = 1e4
"""How much more a known sum weighs than a value where the numbers that stay above 0 are looked for."""
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Constraints:
    """What is known of the numbers: rows of `matrix` times them are `sums`, and none is below 0 if `nonnegative`."""

    matrix: Floats
    sums: Floats
    nonnegative: bool

    @classmethod
    def of(
        cls,
        size: int,
        nonnegative: bool,
        total: float | None,
        sums: Sequence[tuple[Sequence[float], float]],
    ) -> "Constraints":
        """Of so many numbers: a total of them all, and other known sums as weights with what they make."""
        rows = [([1.0] * size, total)] if total is not None else []
        given = [(np.asarray(weights, np.float64), float(value)) for weights, value in (*rows, *sums)]
        if any(w.shape != (size,) or not np.isfinite(w).all() or not np.isfinite(v) for w, v in given):
            raise InvalidParameter(f"a known sum is {size} finite weights and a finite number")
        matrix = np.array([w for w, _ in given]).reshape(len(given), size)
        if len(given) and np.linalg.matrix_rank(matrix) < len(given):
            raise InvalidParameter("the known sums must not follow from each other, or contradict each other")
        constraints = cls(matrix, np.array([v for _, v in given]), nonnegative)
        if nonnegative and len(given) and not constraints._possible():
            raise InvalidParameter("no numbers that are not below 0 have these sums")
        return constraints

    def _possible(self) -> bool:
        gap = nnls(self.matrix, self.sums)[1]
        return bool(gap <= 1e-6 * (1 + float(np.abs(self.sums).max())))

    @property
    def any(self) -> bool:
        """Whether there is a constraint at all."""
        return self.nonnegative or bool(self.sums.size)


def nearest(values: Floats, covariance: Floats, held: Constraints) -> tuple[Floats, Chosen]:
    """The numbers under the constraints that are nearest to an estimate, and which of them are above 0.

    Nearest in the metric of the inverse covariance, which is least squares on all that was released: with the estimate
    x of covariance V, Σ(y − Az)²/v = const + (z − x)ᵀV⁻¹(z − x). The numbers above 0 are found by an active set [LH74];
    on them x − VCᵀ(CVCᵀ)⁻¹(Cx − c) solves it, C all constraints that bind, and what it leaves is checked.
    """
    free = np.ones(values.size, np.bool_)
    if held.nonnegative:
        root = np.linalg.cholesky(np.linalg.inv(covariance)).T
        heavy = _HEAVY * float(np.abs(np.diag(root)).max())
        design = np.vstack([root, heavy * held.matrix])
        target = np.concatenate([root @ values, heavy * held.sums])
        free = np.array(nnls(design, target, maxiter=30 * values.size)[0] > 0, np.bool_)
    for _ in range(_ROUNDS):
        nearest_values = _bound(values, covariance, held, free)[0]
        if not held.nonnegative or float(nearest_values.min()) >= -1e-9 * (1 + float(np.abs(nearest_values).max())):
            return np.where(free, np.maximum(nearest_values, 0.0) if held.nonnegative else nearest_values, 0.0), free
        free = free & (nearest_values > 0)
    raise InvalidParameter("the constraints could not be met: leave some out")


def covariance_under(covariance: Floats, held: Constraints, free: Chosen) -> Floats:
    """V − VCᵀ(CVCᵀ)⁻¹CV: what is left of a covariance once the constraints that bind are known to hold."""
    return _bound(np.zeros(len(covariance)), covariance, held, free)[1]


def _bound(values: Floats, covariance: Floats, held: Constraints, free: Chosen) -> tuple[Floats, Floats]:
    zeros = np.eye(values.size)[~free]
    matrix = np.vstack([held.matrix, zeros])
    if not len(matrix):
        return values, covariance
    aims = np.concatenate([held.sums, np.zeros(len(zeros))])
    moved = covariance @ matrix.T
    gain = moved @ np.linalg.pinv(matrix @ moved, hermitian=True)
    left = covariance - gain @ moved.T
    return values - gain @ (matrix @ values - aims), np.asarray((left + left.T) / 2)
