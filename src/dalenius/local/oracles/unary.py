"""Unary encoding: a bit for every value, each randomized by itself."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.bitmaps import (
    all_rows,
    coin_rows,
    column_counts,
    has_bit,
    packed,
    padding_is_clear,
    put_bits,
    width_of,
)
from dalenius.local.oracles.oracle import Integers, Oracle, Payloads, odds_of, scaled_floor
from dalenius.noise import Bits, Coin
from dalenius.numerics import ball

_BLOCK = 1 << 21


@dataclass(frozen=True, slots=True)
class UnaryOracle(Oracle):
    """Bit v of the report is 1 with probability p if v is the value, else with probability q  [EPK14, WBLJ17, §4.2].

    Two values differ in two bits, so the odds are p(1 − q)/((1 − p) q).
    """

    @property
    @abstractmethod
    def own_coin(self) -> Coin:
        """The bit of the value."""

    @property
    @abstractmethod
    def other_coin(self) -> Coin:
        """Every other bit."""

    @property
    def own(self) -> Fraction:
        """P[1] of the bit of the value."""
        return self.own_coin.chance

    @property
    def other(self) -> Fraction:
        """P[1] of every other bit."""
        return self.other_coin.chance

    @property
    def odds(self) -> Fraction:
        """p(1 − q)/((1 − p) q)."""
        return self.own * (1 - self.other) / ((1 - self.own) * self.other)

    @property
    def width(self) -> int:
        """A bit for every value."""
        return width_of(self.size)

    @property
    def cells(self) -> int:
        """One for every value."""
        return self.size

    def randomize(self, value: int, bits: Bits) -> bytes:
        """All bits, eight random bytes each; every word meets both coins, so no step depends on the value."""
        words = bits.words(np.uint64, self.size)
        is_own = np.arange(self.size) == value
        row = np.where(is_own, _below(words, self.own_coin), _below(words, self.other_coin))
        return bytes(packed(row[None, :])[0])

    def randomize_many(self, values: Integers, bits: Bits) -> Payloads:
        """Bits of many people, in blocks that fit the cache."""
        out = np.empty((values.size, self.width), np.uint8)
        step = max(1, _BLOCK // self.size)
        for first in range(0, values.size, step):
            some = values[first : first + step]
            rows = coin_rows(self.other_coin, some.size, self.size, bits)
            put_bits(rows, some, self.own_coin.flags(bits, some.size))
            out[first : first + step] = rows
        return out

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """No bit beyond the last value."""
        return padding_is_clear(payloads, self.size)

    def tally(self, payloads: Payloads) -> Integers:
        """How many reports have each bit."""
        return column_counts(payloads, self.size)

    def supports(self, tally: Integers) -> Integers:
        return tally

    def likelihood(self, payload: bytes, value: int) -> Fraction:
        """The product over the bits."""
        result = Fraction(1)
        for v in range(self.size):
            chance = self.own if v == value else self.other
            result *= chance if has_bit(payload, v) else 1 - chance
        return result

    def outcomes(self) -> Iterator[bytes]:
        """All rows of bits."""
        return all_rows(self.size)


@dataclass(frozen=True, slots=True)
class SymmetricUnaryEncoding(UnaryOracle):
    """Every bit is flipped with the same probability: p ≈ e^(ε/2)/(e^(ε/2) + 1), q = 1 − p; basic RAPPOR  [EPK14]."""

    name: ClassVar[str] = "symmetric unary encoding"

    @property
    def own_coin(self) -> Coin:
        """1 stays 1."""
        return self.coin

    @property
    def other_coin(self) -> Coin:
        """0 becomes 1."""
        return Coin((1 << 64) - self.coin.numerator)

    def _numerator(self) -> int:
        return scaled_floor(lambda: 1 / (1 + (-ball(self.epsilon / 2)).exp()))


@dataclass(frozen=True, slots=True)
class OptimizedUnaryEncoding(UnaryOracle):
    """p = ½ and q ≈ 1/(e^ε + 1), the choice with the least variance for rare values  [WBLJ17, §4.2]."""

    name: ClassVar[str] = "optimized unary encoding"

    @property
    def own_coin(self) -> Coin:
        """A fair one."""
        return Coin(1 << 63)

    @property
    def other_coin(self) -> Coin:
        """0 becomes 1."""
        return Coin((1 << 64) - self.coin.numerator)

    def _numerator(self) -> int:
        """Of 1 − q = e^ε/(e^ε + 1), rounded down, so that q is rounded up."""
        return scaled_floor(lambda: odds_of(self.epsilon) / (odds_of(self.epsilon) + 1))


def _below(words: NDArray[np.uint64], coin: Coin) -> NDArray[np.bool_]:
    heads: NDArray[np.bool_] = words < np.uint64(coin.numerator)  # never 2⁶⁴: ε is bounded
    return heads
