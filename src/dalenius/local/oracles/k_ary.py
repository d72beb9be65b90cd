"""k-ary randomized response."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.codes import CodeOracle
from dalenius.local.oracles.oracle import Integers, Payloads, odds_of, scaled_floor
from dalenius.noise import Bits, UniformInteger


@dataclass(frozen=True, slots=True)
class KAryResponse(CodeOracle):
    """The truth with probability p ≈ e^ε/(e^ε + k − 1), else one of the other values  [A Thm 3.1, KOV15].

    With two values it is the randomized response of the notes.
    """

    name: ClassVar[str] = "k-ary response"

    @property
    def own(self) -> Fraction:
        """P[truth]."""
        return self.coin.chance

    @property
    def other(self) -> Fraction:
        """(1 − p)/(k − 1)."""
        return (1 - self.own) / (self.size - 1)

    @property
    def odds(self) -> Fraction:
        """p(k − 1)/(1 − p)."""
        return self.own / self.other

    @property
    def codes(self) -> int:
        """The values themselves."""
        return self.size

    @property
    def uniforms(self) -> tuple[int, ...]:
        """Which of the other values."""
        return (self.size - 1,)

    @property
    def most_supported(self) -> int:
        """Its own value alone."""
        return 1

    def respond(self, values: Integers, keep: NDArray[np.bool_], draws: Sequence[Integers]) -> Integers:
        """The value, or the value moved on by 1, …, k − 1 places."""
        moved = values + np.where(keep, 0, 1 + draws[0])
        moved -= self.size * (moved >= self.size)
        return moved

    def randomize_many(self, values: Integers, bits: Bits) -> Payloads:
        """The same in words of 16 or 32 bits, which hold twice the number of values."""
        word = np.uint16 if self.size <= 1 << 15 else np.uint32
        moved: NDArray[Any] = UniformInteger(self.size - 1).words(bits, values.size).astype(word)
        moved += word(1)
        moved *= ~self.coin.flags(bits, values.size)
        moved += values.astype(word)
        moved -= word(self.size) * (moved >= word(self.size))
        return self.to_payloads(moved)

    def supports(self, tally: Integers) -> Integers:
        return tally

    def likelihood(self, payload: bytes, value: int) -> Fraction:
        """Own at the value, other elsewhere."""
        return self.own if int.from_bytes(payload, "little") == value else self.other

    def _numerator(self) -> int:
        return scaled_floor(lambda: odds_of(self.epsilon) / (odds_of(self.epsilon) + self.size - 1))
