"""A law on the integers with a small scale: every likely integer is a piece of its own."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.noise.bits import Bits
from dalenius.noise.lazy import LazyUniform, below, settle
from dalenius.noise.pieces import Pieces
from dalenius.noise.potential import Potential
from dalenius.numerics import ball, floor_of

CHUNK = 1 << 15
_TAIL = 23.0  # nats: the tail piece has a mass near e⁻²³ ≈ 2⁻³³, so that it may be slow
_OPEN = -(2**15)


class AtomTable(ABC):
    """Integers |x| ≤ last as pieces of their own, and one tail piece for all that are larger."""

    __slots__ = ("_last", "_pieces", "_table", "_values")

    def __init__(self, last: float) -> None:
        """`last` decides how long the table is, nothing else."""
        self._last = max(1, min(math.ceil(last), -_OPEN - 2))
        self._pieces = Pieces(self._masses)
        magnitudes = np.arange(1, self._last + 1)
        self._values = np.concatenate([[0], np.stack([magnitudes, -magnitudes], axis=1).ravel(), [_OPEN]]).astype(
            np.int64
        )
        self._table = self._values[self._pieces.cells].astype(np.int16)  # RESIDUAL is −1: the last value, OPEN

    @abstractmethod
    def _masses(self) -> list[arb]:
        """The masses of 0, 1, −1, …, last, −last and of the tail piece, at the working precision."""

    @abstractmethod
    def _tail(self, bits: Bits) -> int:
        """One draw, begun in the tail piece."""

    def draw(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws."""
        if size == 1:
            return np.array([self.one(bits)], np.int64)
        out, places, cells = np.empty(size, np.int64), [], []
        for start in range(0, size, CHUNK):
            part = out[start : start + CHUNK]
            words = bits.words(np.uint16, len(part))
            value = self._table.take(words)
            part[:] = value
            open_ = np.flatnonzero(value == _OPEN)
            places.append(open_ + start)
            cells.append(self._pieces.cells[words[open_]])
        if size:
            out[np.concatenate(places)] = self._open(bits, np.concatenate(cells))
        return out

    def one(self, bits: Bits) -> int:
        """One draw."""
        word = bits.integer(2)
        value = self._table.item(word)
        return int(self._open(bits, self._pieces.cells[word : word + 1])[0]) if value == _OPEN else value

    def _open(self, bits: Bits, cells: NDArray[np.int32]) -> NDArray[np.int64]:
        """Draws whose 16-bit word did not name an integer."""
        value = self._values[self._pieces.resolve(bits, cells)]
        for at in np.flatnonzero(value == _OPEN):
            value[at] = self._tail(bits)
        return value


class Atoms(AtomTable):
    """x with probability ∝ exp(−h(|x|)), for every integer x, exactly.

    Pieces are the integers |x| ≤ K and one tail piece for the rest. h is convex, so beyond K its increments are at
    least γ = h(K+2) − h(K+1), and exp(−h(K+1) − γk) bounds the mass at K+1+k. The tail piece has the mass of that
    envelope, twice for the two signs: 2 exp(−h(K+1)) / (1 − exp(−γ)). It proposes k = ⌊−ln U / γ⌋, which has P[k ≥ j]
    = P[U ≤ exp(−γj)] = exp(−γj), and accepts it with probability exp(−(h(K+1+k) − h(K+1) − γk)); after a refusal the
    whole draw begins again. What is accepted has the mass claimed, everywhere.
    """

    __slots__ = ("_potential",)

    def __init__(self, potential: Potential) -> None:
        self._potential = potential
        super().__init__(potential.reach(_TAIL))

    def _tail(self, bits: Bits) -> int:
        """One draw, begun in the tail piece."""
        h, edge = self._potential, self._last + 1
        gamma = h.at(Fraction(edge + 1)) - h.at(Fraction(edge))
        way = geometric(bits, gamma)
        excess = h.at(Fraction(edge + way)) - h.at(Fraction(edge)) - gamma * way
        if below(LazyUniform(bits), lambda: (-ball(excess)).exp()):
            return -(edge + way) if bits.integer(1) & 1 else edge + way
        return self.one(bits)

    def _masses(self) -> list[arb]:
        h, edge = self._potential, self._last + 1
        weights = [(-ball(h.at(Fraction(x)))).exp() for x in range(edge + 1)]
        gamma = ball(h.at(Fraction(edge + 1)) - h.at(Fraction(edge)))
        both = [weight for weight in weights[1:edge] for _ in range(2)]
        return [weights[0], *both, 2 * weights[edge] / -(-gamma).expm1()]


class RoundedAtoms(AtomTable):
    """round(Z) for a continuous symmetric Z that is known by `outside(k)` = P[|Z| > k + ½], for every integer, exactly.

    ±k has the mass (P[|Z| > k − ½] − P[|Z| > k + ½]) / 2, and 0 what is left; the tail piece has P[|Z| > K + ½], no
    envelope. Begun there, |round(Z)| = min {k > K: P[|Z| > k + ½] ≤ U · P[|Z| > K + ½]}, since U is below the ratio
    of the two with that very probability, which is P[|Z| > k + ½] given that |Z| > K + ½. A fair sign is put on it.
    """

    __slots__ = ("_outside",)

    def __init__(self, outside: Callable[[int], arb], last: float) -> None:
        self._outside = outside
        super().__init__(last)

    def _tail(self, bits: Bits) -> int:
        uniform = LazyUniform(bits)
        low, high = self._last, self._last + 1  # more than `low`, at most `high`
        while self._exceeds(uniform, high):
            low, high = high, 3 * high - 2 * low
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._exceeds(uniform, middle) else (low, middle)
        return -high if bits.integer(1) & 1 else high

    def _exceeds(self, uniform: LazyUniform, k: int) -> bool:
        return below(uniform, lambda: self._outside(k) / self._outside(self._last))

    def _masses(self) -> list[arb]:
        tails = [self._outside(k) for k in range(self._last + 1)]
        masses = [(near - far) / 2 for near, far in pairwise(tails)]
        return [1 - tails[0], *(mass for mass in masses for _ in range(2)), tails[-1]]


def geometric(bits: Bits, gamma: Fraction) -> int:
    """K ≥ 0 with P[K ≥ k] = exp(−γk): the floor of −ln U / γ."""
    uniform = LazyUniform(bits)

    def question() -> int | None:
        if uniform.digits == 0:  # −ln U is not bounded yet
            return None
        low, high = floor_of(-uniform.ball.log() / ball(gamma))
        return low if low == high else None

    return settle([uniform], question)
