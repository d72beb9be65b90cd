"""Rows that count by a weight: declared weights of rows, and rows of people who have many."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.learning.data.rows import CHUNK, Matrix
from dalenius.queries import View

WEIGHT_DIGITS = 20
"""A weight is a multiple of 2⁻²⁰, so that sums of weights and products with slopes are exact."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class WeightedRows(View):
    """Features, target and a weight of [0, 1] for each row, private; a unit's weights add up to at most 1.

    There is no `chunks`: a plan that would not heed the weights cannot read the rows.
    """

    features: Matrix
    target: NDArray[Any]
    weight: Matrix
    unit: str | None = None
    """The column that says whose row it is, or None where a row is a unit."""
    scale: float = 1.0
    """What a weight of 1 stands for: the largest declared weight, times the contribution bound of a unit."""
    people: NDArray[np.int64] | None = None
    """The number of each row's person, −1 for nobody, where it is known."""

    def weighted_chunks(self) -> Iterator[tuple[Matrix, NDArray[Any], Matrix]]:
        """The rows, some thousands at a time, in their order."""
        for start in range(0, len(self.weight), CHUNK):
            kept = slice(start, start + CHUNK)
            yield self.features[kept], self.target[kept], self.weight[kept]

    @property
    def total(self) -> int:
        """The sum of the weights, rounded down."""
        return int((self.weight * 2.0**WEIGHT_DIGITS).sum()) >> WEIGHT_DIGITS


def clamped(weight: Matrix, largest: float) -> Matrix:
    """Each weight as a part of the largest, held in [0, 1] and cut to a multiple of 2⁻²⁰; 0 for what is no number."""
    with np.errstate(all="ignore"):
        share = np.minimum(np.maximum(weight / largest, 0.0), 1.0)
        share[np.isnan(share)] = 0.0
        weights: Matrix = np.trunc(share * 2.0**WEIGHT_DIGITS) * 2.0**-WEIGHT_DIGITS
    return weights


def shared_out(people: NDArray[np.int64], counts: NDArray[np.int64], contributions: int) -> Matrix:
    """1/max(n, T) for each row of a person with n rows, cut down: a person's weights add up to at most 1.

    `people` numbers the person of each row, `counts` says how many rows each has. It is min(1, T/n) over T.
    """
    whole = (1 << WEIGHT_DIGITS) // np.maximum(counts, contributions)
    weights: Matrix = whole[people] * 2.0**-WEIGHT_DIGITS
    return weights
