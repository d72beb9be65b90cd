"""The sum of clipped gradients over private rows: an exact vector of whole numbers."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.encoded_rows import Part, whole_part
from dalenius.learning.data.rows import Matrix
from dalenius.learning.sums.losses import Slopes
from dalenius.neighbors import Metric, Relation, Sensitivity

Integers = NDArray[np.int64]
ROW_DIGITS = 18
SLOPE_DIGITS = 16
_EXACT = 53


def digits_for(scale: float) -> tuple[int, int]:
    """Digits of rows and of slopes such that noise of this scale, in their steps, is at most 2³⁹ steps wide."""
    total = max(8, min(ROW_DIGITS + SLOPE_DIGITS, 38 - max(0, math.ceil(math.log2(scale)))))
    return total // 2 + 1, total - total // 2 - 1


@dataclass(frozen=True, slots=True, eq=False)
class GradientSum:
    """Σ slope(xᵢ·w, yᵢ) xᵢ in steps of 2^−(row digits + slope digits).

    All products and sums are of whole numbers below 2⁵³, so they are exact in whatever order BLAS takes them, and a
    row's part depends on that row and w alone. One row's part has ℓ2 length at most clip · 2^(digits): the length of
    slope ⊗ x is the product of the two lengths.
    """

    rows: UnitRows
    loss: Slopes
    slope_digits: int = SLOPE_DIGITS
    _kept: list[Part] = field(default_factory=list, repr=False)
    _sources: list[Iterable[Part]] = field(default_factory=list, repr=False)

    @property
    def step_exponent(self) -> int:
        """log₂ of a step."""
        return -(self.rows.digits + self.slope_digits)

    def sensitivity(self, relation: Relation) -> Sensitivity:
        """In steps: the length of one row's part, or of the difference of two  [A Rem 3.9, A Alg 7]."""
        one = Fraction(self.loss.clip) * 2**-self.step_exponent
        return Sensitivity(one if relation is Relation.ADD_REMOVE else 2 * one, Metric.L2)

    def hold(self, chunks: Iterable[Part]) -> None:
        """Keep the rows as whole numbers, since descent reads them many times."""
        self._kept.extend(chunks)

    def reread(self, source: Iterable[Part]) -> None:
        """Ask for the rows anew each time, since they may not fit in memory."""
        self._sources.append(source)

    def at(self, weights: Matrix) -> Integers:
        """The sum at weights of shape (width, outputs), flattened."""
        return self.over(chain(self._kept, *self._sources), weights)

    def over(self, parts: Iterable[Part], weights: Matrix) -> Integers:
        """The sum over some parts that are whole numbers already.

        A row's weight multiplies its slopes, which are cut toward zero again: a unit whose weights add up to at most 1
        moves the sum by no more than its longest row would.
        """
        exact, scale = self._whole(weights)
        total = np.zeros((self.rows.width, self.loss.outputs), np.int64)
        for steps, target, share in _pieces(parts, self._piece):
            slopes = self.loss.slopes((steps @ exact) * scale, target, self.slope_digits)
            total += (steps.T @ np.trunc(slopes * share[:, None])).astype(np.int64)
        return total.ravel()

    @property
    def _piece(self) -> int:
        """Rows whose parts can be added in floats exactly."""
        return 1 << min(16, _EXACT - self.rows.digits - self.slope_digits)

    def _whole(self, weights: Matrix) -> tuple[Matrix, float]:
        """Public weights as whole numbers, as fine as margins stay below 2⁵³, and what a margin's step is."""
        longest = float(np.sqrt((weights * weights).sum(axis=0)).max(initial=0.0))
        spare = _EXACT - self.rows.digits - 2
        exponent = min(40, spare - math.ceil(math.log2(longest + 2.0**-40)))
        return np.trunc(weights * 2.0**exponent), 2.0 ** -(exponent + self.rows.digits)


def _pieces(parts: Iterable[Part], size: int) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
    for part in parts:
        steps, target, share = whole_part(part)
        for start in range(0, len(steps), size):
            kept = slice(start, start + size)
            yield steps[kept], target[kept], share[kept]
