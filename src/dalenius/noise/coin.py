"""A coin whose chance is a whole number of 2⁻⁶⁴.

A uniform word of 64 bits is below `numerator` with probability numerator / 2⁶⁴, exactly. In arrays only the first byte
of each word is drawn; it decides unless it equals the first byte of the numerator, and then the other 56 bits are
drawn too: 257/256 bytes a coin on average, and the same law.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.noise.finite import FiniteLaw
from dalenius.noise.law import checked_size
from dalenius.numerics import ball

ONE = 1 << 64
_REST = (1 << 56) - 1


@dataclass(frozen=True, slots=True)
class Coin(FiniteLaw):
    """1 with probability numerator / 2⁶⁴, else 0, for a whole numerator from 0 to 2⁶⁴.

    >>> Coin(3 << 62).chance
    Fraction(3, 4)
    """

    numerator: int

    def __post_init__(self) -> None:
        if isinstance(self.numerator, bool) or not isinstance(self.numerator, int) or not 0 <= self.numerator <= ONE:
            raise InvalidParameter(f"numerator must be a whole number from 0 to 2^64, got {self.numerator!r}")

    @property
    def chance(self) -> Fraction:
        """P[1], exactly."""
        return Fraction(self.numerator, ONE)

    def sample(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws of 0 or 1."""
        return self.flags(bits, size).astype(np.int64)

    def flags(self, bits: Bits, size: int) -> NDArray[np.bool_]:
        """`size` independent draws as an array of booleans."""
        count = checked_size(size)
        if self.numerator == ONE:
            return np.ones(count, np.bool_)
        first, rest = np.uint8(self.numerator >> 56), np.uint64(self.numerator & _REST)
        words = bits.words(np.uint8, count)
        heads: NDArray[np.bool_] = words < first
        open_ = np.flatnonzero(words == first)
        heads[open_] = (bits.words(np.uint64, open_.size) & np.uint64(_REST)) < rest
        return heads

    def toss(self, bits: Bits) -> bool:
        """One draw from eight bytes, however it falls."""
        return bits.integer(8) < self.numerator

    def masses(self) -> list[arb]:
        """1 − chance and chance."""
        return [ball(1 - self.chance), ball(self.chance)]
