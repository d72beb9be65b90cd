"""An exact choice among finitely many pieces with given real masses.

Let p_i = m_i / Σ m be the law wanted. Whole cells: n_i ≤ 2¹⁶ p_i integers, and a 16-bit word w picks piece i on n_i
of its 2¹⁶ values. On the R = 2¹⁶ − Σ n_i values left over, the piece is drawn afresh from the residual law r_i = (2¹⁶
p_i − n_i) / R. In all, P[i] = n_i / 2¹⁶ + (R / 2¹⁶) r_i = p_i, whatever the n_i are. The residual law is drawn by
inversion: U uniform on [0, 1) gives the first i with U < C_i = r_0 + … + r_i. Of U the first 64 bits u are drawn; C_i
2⁶⁴ is known to lie in [low_i, high_i + 1) with integers low_i ≤ high_i. If u > high_i then U ≥ u / 2⁶⁴ > C_i; if u <
low_i then U < (u + 1) / 2⁶⁴ ≤ C_i; else more digits of U and C_i are drawn and computed until one of the two holds.
No float takes part.
"""

from collections.abc import Callable, Sequence

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.numerics import floor_of, precision

CELLS = 1 << 16
_TOP = 1 << 64
_DIGITS = 256  # binary digits kept of each mass

Masses = Callable[[], Sequence[arb]]
"""The masses, unnormalised, as enclosures at the working precision."""


class Pieces:
    """Piece i with probability m_i / Σ m, exactly. `cells[w]` is the piece of word w, or RESIDUAL."""

    __slots__ = ("_counts", "_high", "_low", "_masses", "cells", "size")

    RESIDUAL = -1

    def __init__(self, masses: Masses) -> None:
        self._masses = masses
        low, high = _fixed_point(masses)
        self.size = len(low)
        total_low, total_high = sum(low), sum(high)
        if total_low <= 0:
            raise InvalidParameter("the masses of a choice must have a positive sum")
        self._counts = _whole_cells(low, total_high)
        self.cells = np.full(CELLS, self.RESIDUAL, np.int32)
        whole = np.repeat(np.arange(self.size, dtype=np.int32), self._counts)
        self.cells[: len(whole)] = whole
        if len(whole) == CELLS:  # all masses are whole cells: nothing is left over, ever
            self._low = self._high = np.zeros(0, np.uint64)
        else:
            self._low, self._high = self._thresholds(low, high, total_low, total_high)

    def residual(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """Pieces drawn from the residual law."""
        digits = bits.words(np.uint64, size)
        piece = np.searchsorted(self._high, digits, side="left")  # how many thresholds are certainly ≤ U
        inside = np.minimum(piece, self.size - 2)
        open_ = (piece < self.size - 1) & (self._low[inside] <= digits)
        for at in np.flatnonzero(open_):
            piece[at] = self._settle(LazyUniform(bits, int(digits[at]), 64))
        return piece

    def resolve(self, bits: Bits, piece: NDArray[np.int32]) -> NDArray[np.int64]:
        """The pieces that cells name, with RESIDUAL replaced by draws from the residual law."""
        resolved = piece.astype(np.int64)
        open_ = np.flatnonzero(piece == self.RESIDUAL)
        resolved[open_] = self.residual(bits, open_.size)
        return resolved

    def _thresholds(
        self, low: list[int], high: list[int], total_low: int, total_high: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Integers low_i ≤ C_i 2⁶⁴ < high_i + 1 for all pieces but the last.

        C_i = (2¹⁶ Σ_{l≤i} p_l − Σ_{l≤i} n_l) / R.
        """
        residual = CELLS - sum(self._counts)
        floors, ceilings = [], []
        sum_low = sum_high = whole = 0
        for mass_low, mass_high, count in zip(low[:-1], high[:-1], self._counts[:-1], strict=True):
            sum_low, sum_high, whole = sum_low + mass_low, sum_high + mass_high, whole + count
            floors.append(max(0, ((sum_low << 80) // total_high - (whole << 64)) // residual))
            ceilings.append(min(_TOP - 1, ((sum_high << 80) // total_low + 1 - (whole << 64)) // residual))
        # a running maximum (minimum from the right) keeps both sorted and loses nothing: the C_i themselves increase
        return (
            np.maximum.accumulate(np.array(floors, np.uint64)),
            np.minimum.accumulate(np.array(ceilings, np.uint64)[::-1])[::-1],
        )

    def _settle(self, uniform: LazyUniform) -> int:
        """The first piece with U < C_i, by fresh digits of U and enclosures of C_i at growing precision."""
        residual = CELLS - sum(self._counts)

        def question() -> int | None:
            masses = self._masses()
            point, total, reached, whole = uniform.ball, sum(masses, arb(0)), arb(0), 0
            for piece, mass in enumerate(masses[:-1]):
                reached, whole = reached + mass, whole + self._counts[piece]
                line = (CELLS * reached / total - whole) / residual
                if point < line:
                    return piece
                if not point >= line:
                    return None
            return self.size - 1

        return settle([uniform], question)


def _whole_cells(low: list[int], total_high: int) -> list[int]:
    """n_i = ⌊2¹⁶ m_i / Σ m⌋ or a little less: 2¹⁶ p_i is never below it."""
    return [(mass << 16) // total_high for mass in low]


def _fixed_point(masses: Masses) -> tuple[list[int], list[int]]:
    """Integers low_i ≤ m_i 2^k ≤ high_i, with k such that the largest mass has some 256 digits."""
    with precision(_DIGITS + 64):
        balls = masses()
        if len(balls) < 2:
            raise InvalidParameter("a choice needs at least two pieces")
        largest = max(balls, key=lambda mass: mass.mid())
        scale = arb(2) ** (_DIGITS - _exponent(largest))
        ends = {id(mass): _ends(mass * scale) for mass in balls}  # the two signs share one ball
    pairs = [ends[id(mass)] for mass in balls]
    return [low for low, _ in pairs], [high for _, high in pairs]


def _ends(mass: arb) -> tuple[int, int]:
    """Integers around a mass ≥ 0; its middle's floor and the next two, while the ball is narrower than 1."""
    if not mass.rad() < 1:
        low, high = floor_of(mass)
        return max(0, low), high + 1
    floor, _ = floor_of(mass.mid())
    return max(0, floor - 1), floor + 2


def _exponent(mass: arb) -> int:
    mantissa, exponent = mass.mid().man_exp()
    return int(exponent) + int(mantissa).bit_length()
