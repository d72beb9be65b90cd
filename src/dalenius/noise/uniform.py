"""Uniform integers."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.noise.law import Law, checked_size, inner_probability
from dalenius.numerics import Number, ball, float_above, precision, rational

_WORDS = (np.uint8, np.uint16, np.uint32, np.uint64)


@dataclass(frozen=True, slots=True)
class UniformInteger(Law):
    """0, 1, …, count − 1, each with probability 1 / count."""

    count: int

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or not 1 <= self.count <= 2**63:
            raise InvalidParameter(f"count must be a whole number from 1 to 2^63, got {self.count!r}")

    def sample(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws."""
        return self.words(bits, size).astype(np.int64)

    def words(self, bits: Bits, size: int) -> NDArray[np.unsignedinteger]:
        """The same in the smallest words: as many bits as count − 1 has, drawn again while they are too large."""
        need = (self.count - 1).bit_length()
        word = next(word for word in _WORDS if 8 * np.dtype(word).itemsize >= need)
        mask, most = word((1 << need) - 1), word(self.count - 1)
        out = bits.words(word, checked_size(size)) & mask
        while (again := np.flatnonzero(out > most)).size:
            out[again] = bits.words(word, again.size) & mask
        return out

    def log_mass(self, value: Number) -> float:
        """−log count on the values, −inf elsewhere."""
        at = rational(value, "value")
        if at.denominator != 1 or not 0 <= at < self.count:
            return -math.inf
        with precision(128):
            return float((-arb(self.count).log()).mid())

    def tail(self, radius: Number) -> float:
        """P[Z > radius], rounded up."""
        above = self.count - 1 - math.floor(rational(radius, "radius"))
        return float_above(Fraction(min(self.count, max(0, above)), self.count))

    def quantile(self, p: Number) -> Fraction:
        """⌈p · count⌉ − 1, exactly."""
        return Fraction(math.ceil(inner_probability(p) * self.count) - 1)

    @property
    def mean(self) -> float:
        """(count − 1) / 2."""
        with precision(128):
            return float((ball(self.count - 1) / 2).mid())

    @property
    def variance(self) -> float:
        """(count² − 1) / 12, rounded up."""
        return float_above(Fraction(self.count**2 - 1, 12))
