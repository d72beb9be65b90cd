"""Sums of products of rows, as whole numbers: what least squares needs of the data."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.encoded_rows import AnyRows, chunks_with_weights
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Span
from dalenius.neighbors import Metric, Relation, Sensitivity

_DIAGONAL, _BESIDE, _SQUARES = 99, 140, 25
"""Weights of x², of xx' (140/99 is just below √2), and of y² (about a quarter) in the vector that is released."""


@dataclass(frozen=True, slots=True)
class RowMoments:
    """Σ xxᵀ (each pair once), Σ xy and Σ y² over rows of the unit ball with targets in [−1, 1].

    With an intercept x holds a constant, so Σx, Σy and the number of rows are among them: the sums of A §3.8 and Σy,
    which that list lacks. A pair of different coordinates weighs 140/99 ≤ √2 times a square, so the vector of a row is
    no longer than xxᵀ is in Frobenius norm, and noise on it is lower by √2 off the diagonal. Products and sums are of
    whole numbers below 2⁵³: exact.
    """

    rows: UnitRows
    span: Span

    @property
    def size(self) -> int:
        """How many numbers."""
        return self.rows.width * (self.rows.width + 1) // 2 + self.rows.width + 1

    @property
    def step(self) -> Fraction:
        """What a whole number of the vector stands for, where a square weighs 1."""
        return Fraction(1, _DIAGONAL * 4**self.rows.digits)

    def sensitivity(self, relation: Relation) -> Sensitivity:
        """In steps  [A §3.8 regression by noisy sums, A Rem 3.9].

        One row: ‖xxᵀ‖² ≤ 1, ‖xy‖² ≤ 1, y⁴ ≤ 1 by their weights. Two rows: ‖xxᵀ − zzᵀ‖² ≤ 2, for the product of the two
        vectors is (1 − κ) Σ xᵢ²zᵢ² + κ (x·z)² ≥ 0 with κ = (140/99)²/2, ‖xy − zu‖² ≤ 4 and (y² − u²)² ≤ 1.
        A unit of many rows, of weights that add up to at most 1, has a mixture of such vectors: all four bounds hold
        for mixtures, the product of two of them being one of products that are ≥ 0.
        """
        square = Fraction(_SQUARES, _DIAGONAL) ** 2
        whole = (2 if relation is Relation.ADD_REMOVE else 6) + square
        return Sensitivity.root(whole / self.step**2, Metric.L2)

    def sums(self, view: AnyRows) -> NDArray[np.int64]:
        """The vector: squares, pairs, products with the target, the target's square."""
        d = self.rows.width
        gram = np.zeros((d + 1, d + 1), np.int64)
        for features, target, weight in chunks_with_weights(view):
            x, y = self.rows.steps_with(features, self.span.codes(target), weight)
            whole = np.column_stack([x, y])
            gram += (whole.T @ whole).astype(np.int64)  # 2¹⁶ rows of products below 2³⁰
        pairs = gram[:d, :d][np.triu_indices(d, 1)]
        return np.concatenate(
            [_DIAGONAL * np.diag(gram)[:d], _BESIDE * pairs, _DIAGONAL * gram[:d, d], _SQUARES * gram[d:, d]]
        )

    def parts(self, released: NDArray[np.int64]) -> tuple[Matrix, Matrix, float]:
        """(Σ xxᵀ, Σ xy, Σ y²) from the vector."""
        d, values = self.rows.width, np.asarray(released * float(self.step), np.float64)
        matrix: Matrix = np.diag(values[:d])
        above = np.triu_indices(d, 1)
        matrix[above] = values[d : d * (d + 1) // 2] * (_DIAGONAL / _BESIDE)
        matrix = matrix + np.triu(matrix, 1).T
        return matrix, values[-d - 1 : -1], float(values[-1]) * (_DIAGONAL / _SQUARES)
