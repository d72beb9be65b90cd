"""Hadamard response."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.codes import CodeOracle
from dalenius.local.oracles.oracle import Integers, Payloads, odds_of, scaled_floor
from dalenius.noise import Bits


@dataclass(frozen=True, slots=True)
class HadamardResponse(CodeOracle):
    """A uniform column y of a Hadamard matrix, from those with +1 in the row of the value with probability p.

    Row v + 1 has +1 where ⟨v + 1, y⟩, the number of common binary ones, is even: on half of the K columns, and two
    rows share a quarter, so other values are supported with ½ exactly. p ≈ e^ε/(e^ε + 1)  [ASZ19, §2].
    """

    name: ClassVar[str] = "hadamard response"

    @property
    def own(self) -> Fraction:
        """P[the column has +1 in the row of the value]."""
        return self.coin.chance

    @property
    def other(self) -> Fraction:
        """One half."""
        return Fraction(1, 2)

    @property
    def odds(self) -> Fraction:
        """p/(1 − p): both halves of the columns are equally many."""
        return self.own / (1 - self.own)

    @property
    def codes(self) -> int:
        """K, the least power of two above the number of values: row 0 is all +1 and serves no value."""
        return 1 << self.size.bit_length()

    @property
    def uniforms(self) -> tuple[int, ...]:
        """A column."""
        return (self.codes,)

    def respond(self, values: Integers, keep: NDArray[np.bool_], draws: Sequence[Integers]) -> Integers:
        """The column, with the lowest one of the row flipped in it where its sign is not the wanted one.

        Flipping pairs the columns of either sign, so a uniform column gives a uniform one of the wanted sign.
        """
        row, column = (values + 1).astype(np.uint32), draws[0].astype(np.uint32)
        return _signed(row, column, keep).astype(np.int64)

    def randomize_many(self, values: Integers, bits: Bits) -> Payloads:
        """The same in words of 16 bits where columns fit them: K is a power of two, so bits are columns."""
        if self.codes > 1 << 16:
            return super(HadamardResponse, self).randomize_many(values, bits)
        column = bits.words(np.uint16, values.size) & np.uint16(self.codes - 1)
        keep = self.coin.flags(bits, values.size)
        row = values.astype(np.uint16)
        row += np.uint16(1)
        code = _signed(row, column, keep)
        return code.astype(f"<u{self.width}", copy=False).view(np.uint8).reshape(values.size, self.width)

    def supports(self, tally: Integers) -> Integers:
        """(n + Σ_y H(v + 1, y) N(y))/2 by the fast Walsh–Hadamard transform."""
        signed = walsh_hadamard(tally)
        supports: Integers = (signed[0] + signed[1 : self.size + 1]) // 2
        return supports

    def likelihood(self, payload: bytes, value: int) -> Fraction:
        """2p/K on the half with +1, 2(1 − p)/K on the other."""
        even = ((value + 1) & int.from_bytes(payload, "little")).bit_count() % 2 == 0
        return (self.own if even else 1 - self.own) / (self.codes // 2)

    def _numerator(self) -> int:
        return scaled_floor(lambda: odds_of(self.epsilon) / (odds_of(self.epsilon) + 1))


def walsh_hadamard(vector: Integers) -> Integers:
    """Σ_y (−1)^⟨x, y⟩ v(y) for every x, in integers; the length is a power of two."""
    out = vector.astype(np.int64)
    half = 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        total, difference = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        pairs[:, 0], pairs[:, 1] = total, difference
        half *= 2
    return out


def _signed(
    row: NDArray[np.unsignedinteger], column: NDArray[np.unsignedinteger], keep: NDArray[np.bool_]
) -> NDArray[np.unsignedinteger]:
    odd = np.bitwise_count(row & column) & 1
    lowest = row & (~row + row.dtype.type(1))
    # even with keep, odd without: flip where the parity equals keep
    flipped: NDArray[np.unsignedinteger] = column ^ (lowest * (odd == keep))
    return flipped
