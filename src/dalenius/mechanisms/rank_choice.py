"""An exact choice among the cells of a grid by how far their ranks lie from a target.

Cell j has ranks from b_j (the weight below it) to a_j (with its own); d_j is the distance of the target t from
[b_j, a_j]. The law wanted is P[j] = e^(−d_j/scale) / Σ. Runs of equal cells are one piece, drawn by inversion: with
C_i the sum of the first i pieces and C that of all, a uniform U picks the first i with U·C < C_i, then a cell of it
uniformly.

The pieces near the target come first. A block of cells whose ranks all lie more than 100 scales away holds no more than
e⁻¹⁰⁰ a cell, in all at most 2⁶² e⁻¹⁰⁰ < 2⁻⁸², while some cell holds the target and weighs 1: so what is far is only
*bounded*, C known up to 2⁻⁸² of itself, unless U·C falls so close to an end of a piece, or beyond the near ones, that
the bound leaves it open. Then, with probability below 2⁻⁶⁰, all cells are looked at.

Floats decide nearly always. A distance is a whole number minus the target's fraction: its float is off by 2⁻⁵¹ of
itself where the whole number is 2 or more, else by 2⁻⁵², which over a scale ≥ 2⁻¹⁰ is 2⁻⁴². Cut at 700, an exponent is
off by less than 2⁻⁴⁰; exp adds 2⁻⁴⁵ [assumption EXP]. With η = 2⁻³⁹ + n·2⁻⁵² every float sum of n pieces is right up
to η C; where U·C and the ends of the piece lie more than 4η C apart the floats are right. Else enclosures and fresh
digits of U decide, as in `Choice`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from dalenius.mechanisms.ranks import LARGEST, RankedCells, Runs
from dalenius.noise import Bits, UniformInteger
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.numerics import ball, precision

_FAR = 100
_CUT = 700.0
_PATIENCE = 192
_FINE_SCALE = Fraction(1, 1 << 10)


@dataclass(frozen=True, slots=True)
class RankChoice:
    """Cell j with probability ∝ exp(−distance of `target` from the ranks of j, over `scale`)  [A Alg 4, A Thm 7.1].

    The target is held between 0 and the total weight: beyond, all distances grow by the same amount, and the law stays.
    """

    ranks: RankedCells
    target: Fraction
    scale: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", min(max(self.target, Fraction(0)), Fraction(self.ranks.total)))

    def sample(self, bits: Bits) -> int:
        """One draw of a cell."""
        first, last = self._near()
        near = self.ranks.runs(first, last)
        whole = first == 0 and last == self.ranks.blocks
        uniform = LazyUniform(bits)
        piece = self._by_floats(near, uniform)
        if piece is None and not whole:
            piece = self._by_bounds(near, uniform)
        if piece is None:
            if not whole:
                near = near + self.ranks.runs(0, first) + self.ranks.runs(last, self.ranks.blocks)
            piece = settle([uniform], lambda: _inverted(self.weights(near), uniform, arb(0), open_end=False))
        return int(near.start[piece]) + int(UniformInteger(int(near.width[piece])).sample(bits, 1)[0])

    def masses(self) -> list[arb]:
        """All P[cell], at the working precision: for grids that are small enough to list."""
        runs = self.ranks.runs(0, self.ranks.blocks)
        weights = self.weights(runs)
        total = sum(weights, arb(0))
        return [
            weight / (total * int(width))
            for weight, width in zip(weights, runs.width, strict=True)
            for _ in range(int(width))
        ]

    def weights(self, runs: Runs) -> list[arb]:
        """Width · exp(−distance / scale) of each run, as enclosures at the working precision."""
        return [
            width * (-ball(max(Fraction(0), below - self.target, self.target - upto) / self.scale)).exp()
            if width
            else arb(0)
            for width, below, upto in zip(runs.width.tolist(), runs.below.tolist(), runs.upto.tolist(), strict=True)
        ]

    def _near(self) -> tuple[int, int]:
        """Blocks, from the first to before the last, that hold every rank within 100 scales of the target."""
        floor, reach = math.floor(self.target), math.ceil(_FAR * self.scale) + 1
        below = self.ranks.below
        first = int(np.searchsorted(below[1:], max(floor - reach, 0), side="left"))
        last = int(np.searchsorted(below[:-1], min(floor + reach, LARGEST), side="right"))
        return min(first, self.ranks.blocks - 1), max(last, 1)

    def _by_floats(self, runs: Runs, uniform: LazyUniform) -> int | None:
        if self.scale < _FINE_SCALE:
            return None
        floor = math.floor(self.target)
        part = float(self.target - floor)
        distance = np.maximum((runs.below - floor) - part, (floor - runs.upto) + part)
        sums = np.cumsum(runs.width * np.exp(-np.clip(distance * float(1 / self.scale), 0.0, _CUT)))
        slack = 4 * (2.0**-39 + runs.start.size * 2.0**-52) * sums[-1]
        point = math.ldexp(uniform.digits, -uniform.length) * sums[-1]
        piece = int(np.searchsorted(sums, point, side="right"))
        if piece == sums.size or sums[piece] - point <= slack or (piece and point - sums[piece - 1] <= slack):
            return None
        return piece

    def _by_bounds(self, near: Runs, uniform: LazyUniform) -> int | None:
        """By enclosures of what is near and a bound for the rest; None if the bound leaves it open."""
        while uniform.length <= _PATIENCE:
            with precision(64 + uniform.length):
                rest = arb(0).union((self.ranks.end - self.ranks.first) * (-arb(_FAR)).exp())
                piece = _inverted(self.weights(near), uniform, rest, open_end=True)
            if piece is not None:
                return piece
            uniform.refine()
        return None


def _inverted(weights: list[arb], uniform: LazyUniform, rest: arb, *, open_end: bool) -> int | None:
    """The first piece with U · total < sum so far; None while that is open."""
    total = sum(weights, rest)
    point, reached = uniform.ball * total, arb(0)
    last = max(at for at, weight in enumerate(weights) if not weight.is_zero())
    for piece, weight in enumerate(weights[: last + 1]):
        if piece == last and not open_end:
            return last
        reached += weight
        if point < reached:
            return piece
        if not point >= reached:
            return None
    return None
