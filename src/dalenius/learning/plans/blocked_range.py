"""Where the answers of blocks lie, found for a δ where no range of them is known."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.guarantees import ApproxDP
from dalenius.learning.data.rows import Matrix
from dalenius.mechanisms import PartitionSelection
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits

RANGE_SHARE = Fraction(1, 4)
"""The part of ε, and all of δ, that finds the range."""
_FARTHEST = 400
NOTHING_NAMED = (Fraction(-1), Fraction(1))
"""The range where no cell holds enough blocks to be named."""
Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class RangeSearch:
    """The cells between powers of two, of either sign, that hold enough of the blocks' answers  [A Rem 8.3].

    There are as many cells as floats have exponents, and all but those of some blocks are empty: naming one of them
    without a δ would leave a chance above 0 for every other, and so no range at all. An empty cell is never named, and
    a cell of one block with a chance of at most δ. Block answers are replaced, never added: each number of one answer
    leaves a cell and enters another, so `PartitionSelection` with a group for each number costs twice its (ε, δ).
    """

    epsilon: Fraction
    delta: Fraction
    numbers: int

    @property
    def selection(self) -> PartitionSelection:
        """Which cells are named, all numbers together."""
        return PartitionSelection(self.epsilon / 2, self.delta / 2, groups=self.numbers)

    def guarantee(self) -> ApproxDP:
        """(ε, δ) for one block's answer  [DVGM22; A Rem 8.3]."""
        return self.selection.guarantee(Sensitivity(1, Metric.UNITS), Relation.CHANGE_ONE)

    def ranges(self, answers: Matrix, bits: Bits) -> list[Ends]:
        """For each number the least interval that holds all of its cells that were named."""
        named = []
        for column in cells(answers).T:
            present, blocks = np.unique(column, return_counts=True)
            named.append(present[self.selection.release(blocks.astype(np.int64), bits)])
        return [hull(chosen.tolist()) for chosen in named]

    def facts(self) -> dict[str, Any]:
        """All that the law depends on but the answers."""
        return {"range": {"epsilon": str(self.epsilon), "delta": str(self.delta), "numbers": self.numbers}}


def cells(answers: Matrix) -> NDArray[np.int64]:
    """±(e + 401) for 2^(e−1) ≤ |answer| < 2^e, with e held within ±400; 0 for what is smaller still."""
    exponent = np.minimum(np.frexp(answers)[1], _FARTHEST)
    place = np.where((answers == 0) | (exponent < -_FARTHEST), 0, exponent + _FARTHEST + 1)
    return np.where(answers < 0, -place, place).astype(np.int64)


def hull(chosen: list[int]) -> Ends:
    """The least interval that holds the cells."""
    if not chosen or chosen == [0]:
        return NOTHING_NAMED
    return min(_ends(cell)[0] for cell in chosen), max(_ends(cell)[1] for cell in chosen)


def _ends(cell: int) -> Ends:
    if cell == 0:
        return Fraction(0), Fraction(0)
    far = Fraction(2) ** (abs(cell) - _FARTHEST - 1)
    return (far / 2, far) if math.copysign(1, cell) > 0 else (-far, -far / 2)
