"""The normal equations of least squares over private rows, in whole numbers, and their exact enclosures."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.box_rows import BoxRows
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Span

Integers = NDArray[np.int64]
DIGITS = 14
"""Of a coordinate: sums over 2³³ rows stay within int64."""
LARGEST_RIDGE = Fraction(1 << 30)


@dataclass(frozen=True, slots=True)
class NormalSums:
    """P = Σ xxᵀ + ridge·I and Q = Σ xy, times 4^DIGITS, for rows of the unit ball or box with targets in [−1, 1].

    x and y are whole numbers of steps, so sums are exact in any order, and a row's part is its own doing alone.
    """

    rows: UnitRows | BoxRows
    span: Span
    ridge: int

    @staticmethod
    def check(ridge: Fraction) -> None:
        """Refuse a ridge that no whole number of int64 holds."""
        if ridge > LARGEST_RIDGE:
            raise InvalidParameter("this epsilon is too small, or the ridge too large, for exact sums: at most 2^30")

    @classmethod
    def of(cls, rows: UnitRows | BoxRows, span: Span, ridge: Fraction) -> "NormalSums":
        """With a ridge that is at least the given one, in the units of a square of a row."""
        return cls(rows, span, -(-ridge.numerator * 4**rows.digits // ridge.denominator))

    def sums(self, chunks: Iterable[tuple[Matrix, NDArray[Any]]]) -> tuple[Integers, Integers]:
        """(P, Q)."""
        d = self.rows.width
        gram = np.zeros((d + 1, d + 1), np.int64)
        for features, target in chunks:
            x, y = self.rows.steps_with(features, self.span.codes(target))
            whole = np.column_stack([x, y])
            gram += (whole.T @ whole).astype(np.int64)  # 2¹⁶ rows of products up to 2²⁸
        return gram[:d, :d] + self.ridge * np.eye(d, dtype=np.int64), gram[:d, d]


@dataclass(frozen=True, slots=True)
class Equations:
    """P θ = Q with whole P, positive definite, and Q; asked for enclosures at the working precision."""

    matrix: tuple[tuple[int, ...], ...]
    products: tuple[int, ...]

    @classmethod
    def of(cls, matrix: Integers, products: Integers) -> "Equations":
        """From the sums."""
        return cls(tuple(map(tuple, matrix.tolist())), tuple(products.tolist()))

    @property
    def size(self) -> int:
        """How many unknowns."""
        return len(self.products)

    def solved(self, right: list[arb], added: arb | None = None) -> list[arb] | None:
        """(P + added·I)⁻¹ right, or None where the working precision does not tell that an inverse exists."""
        solution = _solve(self._balls(added), right)
        return solution if solution is not None and all(value.is_finite() for value in solution) else None

    def inverse(self) -> list[list[arb]] | None:
        """P⁻¹, or None as above."""
        try:
            rows = self._balls(None).inv().tolist()
        except ZeroDivisionError:
            return None
        return rows if all(value.is_finite() for row in rows for value in row) else None

    def root(self) -> list[list[arb]] | None:
        """Lower triangular C with C Cᵀ = P, or None where a pivot is not known to be positive."""
        made: list[list[arb]] = []
        for i, row in enumerate(self._balls(None).tolist()):
            line: list[arb] = []
            for j in range(i + 1):
                above = made[j] if j < i else line
                rest = row[j] - sum((line[k] * above[k] for k in range(j)), arb(0))
                if j == i and not rest > 0:
                    return None
                line.append(rest.sqrt() if j == i else rest / above[j])
            made.append(line)
        return made

    def _balls(self, added: arb | None) -> arb_mat:
        extra = arb(0) if added is None else added
        return arb_mat(
            [
                [arb(value) + extra if i == j else arb(value) for j, value in enumerate(row)]
                for i, row in enumerate(self.matrix)
            ]
        )


def _solve(matrix: arb_mat, right: list[arb]) -> list[arb] | None:
    try:
        return [row[0] for row in matrix.solve(arb_mat([[value] for value in right])).tolist()]
    except ZeroDivisionError:
        return None
