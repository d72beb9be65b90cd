"""RAPPOR over a declared domain: a permanent answer, and an instantaneous one of it in every round."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dalenius.local.oracles.bitmaps import packed, unpacked
from dalenius.local.oracles.oracle import scaled_floor
from dalenius.local.oracles.unary import UnaryOracle
from dalenius.noise import Bits, Coin
from dalenius.numerics import ball, fraction_above, precision

_ONE = 1 << 64


@dataclass(frozen=True, slots=True)
class Rappor(UnaryOracle):
    """Bits of the value, each replaced by a fair one with probability f, kept for ever; each round reports those.

    A round reports 1 with probability ¾ where the permanent bit is 1 and ½ where it is 0. All rounds together cost ε,
    with f ≈ 2/(1 + e^(ε/2)); one round alone costs `round_epsilon`, much less  [EPK14, Thm 1, Thm 2].
    """

    name: ClassVar[str] = "rappor"

    @property
    def own_coin(self) -> Coin:
        """1 in a round, given the value's bit: ½ f(½ + ¾) + (1 − f) ¾."""
        return Coin(_ONE // 2 + self.coin.numerator // 4)

    @property
    def other_coin(self) -> Coin:
        """1 in a round, given another's bit."""
        return Coin(_ONE // 2 + (_ONE - self.coin.numerator) // 4)

    @property
    def odds(self) -> Fraction:
        """Of the permanent answer, which all rounds together may give away: (p/(1 − p))², p = 1 − f/2."""
        return (self.coin.chance / (1 - self.coin.chance)) ** 2

    @property
    def round_odds(self) -> Fraction:
        """Of one round: p*(1 − q*)/((1 − p*) q*)."""
        return self.own * (1 - self.other) / ((1 - self.own) * self.other)

    @property
    def round_epsilon(self) -> Fraction:
        """The ε of one round seen alone, rounded up."""
        with precision(192):
            return fraction_above(ball(self.round_odds).log())

    def permanent(self, value: int, bits: Bits) -> bytes:
        """The answer that a client draws once and keeps: every bit true with probability 1 − f/2."""
        words = bits.words(np.uint64, self.size)
        truthful = words < np.uint64(self.coin.numerator)
        return bytes(packed(((np.arange(self.size) == value) == truthful)[None, :])[0])

    def report(self, permanent: bytes, bits: Bits) -> bytes:
        """One round's report of a permanent answer."""
        words = bits.words(np.uint8, self.size)
        kept = unpacked(np.frombuffer(permanent, np.uint8)[None, :], self.size)[0]
        return bytes(packed((words < 128 + 64 * kept.astype(np.int64))[None, :])[0])

    def _numerator(self) -> int:
        """Of 1 − f/2 = e^(ε/2)/(e^(ε/2) + 1), a multiple of 4 so that a round's chances are whole numbers of 2⁻⁶⁴."""
        return scaled_floor(lambda: 1 / (1 + (-ball(self.epsilon / 2)).exp())) // 4 * 4
