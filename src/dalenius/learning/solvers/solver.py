"""The minimum of a perturbed objective, with a proof of how close it is.

Σ ωᵢ g(xᵢ·w, yᵢ) + Σ γⱼwⱼ²/2 + v·w, weights ω of [0, 1] and all γⱼ ≥ γ, is γ-strongly convex: where its gradient has
length τ, the minimum is within τ/γ. The gradient is computed with an error bound, so that "length at most τ" is a
statement about the real gradient. Rows come in parts that are asked for anew in each pass, so they may stay in a file.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.learning.data.encoded_rows import Part, whole_part
from dalenius.learning.data.rows import Matrix
from dalenius.learning.sums.loss_bounds import StatedLoss

TOLERANCE = 2.0**-16
"""The gradient's length at which an answer counts as the minimum; above what floats add for up to 2²⁸ rows."""
FINE_TOLERANCE = 2.0**-22
"""The same for up to `FINE_ROWS` rows of a steady loss, for which floats add less than a sixteenth of it."""
FINE_ROWS = 1 << 20
_STEPS = 1000
_HALVINGS = 40
_DIRECT = 512
_PIECE = 1 << 15
_SLOPE_PARTS = (16, 33, 50)
"""Slopes are split in three parts of whole numbers, down to 2⁻⁵⁰, whose products with rows add exactly."""
_SLOPE_ERROR = 2.0**-47
"""What a slope may err by: margins to 2⁻⁵², functions of numpy to 8 units of the last place, a weight's product to
2⁻⁵³, the split to 2⁻⁵⁰."""
FAILURES = (ArithmeticError, ValueError, np.linalg.LinAlgError)
"""What linear algebra raises of numbers that have left the floats: then the exact solver takes over."""


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """Rows as whole numbers of steps 2^−digits, at most 2^digits long, with weights that are multiples of 2⁻²⁰."""

    parts: Iterable[Part]
    """A list, or something that reads the rows again each time."""
    digits: int
    loss: StatedLoss
    ridge: float
    linear: Matrix
    penalty: Matrix | None = None
    """The γⱼ of each coordinate, a column; `ridge` for all if left out."""
    tolerance: float = TOLERANCE
    """The gradient's length at which an answer counts as the minimum."""

    @property
    def pull(self) -> Any:
        """What each weight is multiplied by in the gradient."""
        return self.ridge if self.penalty is None else self.penalty

    def value(self, weights: Matrix) -> float:
        """The objective."""
        total = 0.0
        for steps, target, share in self._pieces():
            total += float((self.loss.values(self._margins(steps, weights), target) * share).sum())
        return float(total + (self.pull / 2 * weights * weights).sum() + (self.linear * weights).sum())

    def gradient(self, weights: Matrix) -> tuple[Matrix, float]:
        """The gradient, and how far it may be from the real one in ℓ2."""
        # Python's integers: however many pieces there are, and whatever their order, nothing is rounded
        wholes, rows = [np.zeros(weights.shape, object) for _ in _SLOPE_PARTS], 0
        for steps, target, share in self._pieces():
            slopes = self.loss.slopes(self._margins(steps, weights), target) * share[:, None]
            for whole, part in zip(wholes, _split(steps, slopes), strict=True):
                whole += part
            rows += len(steps)
        parts = zip(wholes, _SLOPE_PARTS, strict=True)
        total = sum(whole.astype(np.float64) * 2.0 ** -(digits + self.digits) for whole, digits in parts)
        rest = self.pull * weights + self.linear
        size = float(rows + np.linalg.norm(self.pull * weights) + np.linalg.norm(self.linear))
        return total + rest, rows * math.sqrt(weights.shape[1]) * self._slope_error(weights) + size * 2.0**-50

    def _slope_error(self, weights: Matrix) -> float:
        """Also what the margins lack of a small weight beside a long one, which are cut at one place: see `_margins`.

        For a loss that is not steady, also what its slopes move by with the rounding of a long margin.
        """
        bend, longest = float(self.loss.trace), _longest(weights)
        cut = bend * (longest + 2.0**-40) * math.sqrt(len(weights)) * 2.0**-61
        if self.loss.steady:
            return _SLOPE_ERROR + cut
        return _SLOPE_ERROR + cut + (bend * longest + 256.0) * 2.0**-50

    def direction(self, weights: Matrix, gradient: Matrix) -> Matrix:
        """Minus the inverse Hessian times the gradient: exactly for small models, by conjugate gradients for large."""
        if weights.shape[1] == 1 and len(weights) <= _DIRECT:
            return np.asarray(-np.linalg.solve(self.hessian(weights), gradient), np.float64)
        return self._conjugate(weights, gradient)

    def hessian(self, weights: Matrix) -> Matrix:
        """The second derivative in the weights one after another, in floats: it leads the search and proves nothing."""
        d, k = weights.shape
        pulls = np.broadcast_to(np.reshape(np.asarray(self.pull, np.float64), (-1, 1)), weights.shape)
        total = np.diag(pulls.ravel()).reshape(d, k, d, k)
        for steps, target, share in self._pieces():
            x, margins = steps * 2.0**-self.digits, self._margins(steps, weights)
            for one in range(k):
                bend = self.loss.bend(margins, target, np.outer(share, np.eye(k)[one]))
                for two in range(k):
                    total[:, two, :, one] += x.T @ (x * bend[:, two : two + 1])
        return total.reshape(d * k, d * k)

    def _conjugate(self, weights: Matrix, gradient: Matrix) -> Matrix:
        solution, rest = np.zeros_like(weights), -gradient
        along, size = rest.copy(), float((rest * rest).sum())
        target_size = size * 1e-6
        for _ in range(300):
            image = self.pull * along
            for steps, target, share in self._pieces():
                x = steps * 2.0**-self.digits
                image = image + x.T @ self.loss.bend(
                    self._margins(steps, weights), target, share[:, None] * (x @ along)
                )
            pace = size / max(float((along * image).sum()), 1e-300)
            solution, rest = solution + pace * along, rest - pace * image
            size, before = float((rest * rest).sum()), size
            if size <= target_size:
                break
            along = rest + (size / before) * along
        return solution

    def _pieces(self) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
        for part in self.parts:
            steps, target, share = whole_part(part)
            for start in range(0, len(steps), _PIECE):
                kept = slice(start, start + _PIECE)
                yield steps[kept], target[kept], share[kept]

    def _margins(self, steps: Matrix, weights: Matrix) -> Matrix:
        """x·w: w in two parts of whole numbers, down to 2⁻⁶² of the longest, whose products with rows add exactly.

        For a loss that only differences matter to, the row's largest is taken off first, exactly.
        """
        exponent = 33 - math.ceil(math.log2(_longest(weights) + 2.0**-40))
        coarse = np.round(weights * 2.0**exponent)
        fine = steps @ np.round((weights * 2.0**exponent - coarse) * 2.0**30)
        whole = steps @ coarse
        if self.loss.relative and len(steps):
            top = (np.arange(len(steps)), (whole + fine * 2.0**-30).argmax(axis=1))
            whole, fine = whole - whole[top][:, None], fine - fine[top][:, None]
        return whole * 2.0 ** -(exponent + self.digits) + fine * 2.0 ** -(exponent + 30 + self.digits)


def _split(steps: Matrix, slopes: Matrix) -> Iterator[Any]:
    """Σ slope ⊗ row of each part of the slopes, in whole numbers; what is no number ends the search in floats."""
    if not np.isfinite(slopes).all():
        raise ArithmeticError("a slope has left the floats")
    left = slopes
    for digits in _SLOPE_PARTS:
        whole = np.trunc(left * 2.0**digits)
        left = left - whole * 2.0**-digits
        yield (steps.T @ whole).astype(np.int64).astype(object)


def minimum(objective: Objective, shape: tuple[int, int]) -> Matrix | None:
    """Weights at which the real gradient is proved to be no longer than the tolerance; None if floats found none."""
    try:
        with np.errstate(all="ignore"):
            return _newton(objective, shape)
    except FAILURES:
        return None


def _newton(objective: Objective, shape: tuple[int, int]) -> Matrix | None:
    weights = np.zeros(shape)
    gradient, error = objective.gradient(weights)
    value = objective.value(weights)
    for _ in range(_STEPS):
        length = float(np.linalg.norm(gradient))
        if length * (1 + 2.0**-40) + error <= objective.tolerance:
            return weights
        move = objective.direction(weights, gradient)
        slope, pace = float((gradient * move).sum()), 1.0
        for _ in range(_HALVINGS):
            there = weights + pace * move
            at, error = objective.gradient(there)
            reached = objective.value(there)
            if reached <= value + 1e-4 * pace * slope:
                break
            # near the minimum the values are equal but for their rounding, and only the gradient still tells
            if reached <= value + 2.0**-42 * (abs(value) + 1) and np.linalg.norm(at) < 0.9 * length:
                break
            pace /= 2
        weights, gradient, value = there, at, reached
    return None


def _longest(weights: Matrix) -> float:
    return float(np.linalg.norm(weights, axis=0).max(initial=0.0))
