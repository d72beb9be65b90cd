"""The two-point randomizer of a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.means.coded import CodedMean
from dalenius.local.oracles import Integers
from dalenius.local.oracles.oracle import odds_of, scaled_floor

_ONE = 1 << 64


@dataclass(frozen=True, slots=True)
class Duchi(CodedMean):
    """±(E + 1)/(E − 1), + with probability ½ + t(E − 1)/(2(E + 1)), E ≈ e^ε: variance ((E+1)/(E−1))² − t²  [DJW18].

    The chance at t = 1 is a fraction h/2⁶⁴ for which every step of the grid has a chance that is a fraction too.
    """

    name: ClassVar[str] = "duchi"

    @property
    def top(self) -> int:
        """The numerator h of P[+ | t = 1]: rounded down to where 2h − 2⁶⁴ is a multiple of the grid."""
        h = scaled_floor(lambda: odds_of(self.epsilon) / (odds_of(self.epsilon) + 1))
        spread = (2 * h - _ONE) // (2 * self.grid) * (2 * self.grid)
        return (_ONE + spread) // 2

    @property
    def codes(self) -> int:
        """Minus and plus."""
        return 2

    @property
    def words(self) -> int:
        """One."""
        return 1

    @property
    def uniforms(self) -> tuple[int, ...]:
        """None."""
        return ()

    def respond(self, steps: Integers, words: Sequence[NDArray[np.uint64]], draws: Sequence[Integers]) -> Integers:
        """1 where the word is below the step's numerator."""
        spread = np.uint64((2 * self.top - _ONE) // self.grid)
        numerators = np.uint64(_ONE - self.top) + steps.astype(np.uint64) * spread
        return (words[0] < numerators).astype(np.int64)

    def likelihood(self, code: int, step: int) -> Fraction:
        """(2⁶⁴ − h + j(2h − 2⁶⁴)/grid)/2⁶⁴ for plus."""
        plus = Fraction(_ONE - self.top + step * ((2 * self.top - _ONE) // self.grid), _ONE)
        return plus if code else 1 - plus

    def decoded(self) -> NDArray[np.float64]:
        """±1/(2h/2⁶⁴ − 1)."""
        size = float(1 / (2 * Fraction(self.top, _ONE) - 1))
        return np.array([-size, size])

    def variance(self, t: float) -> float:
        """The square of a report less t²  [DJW18]."""
        return float(self.decoded()[1]) ** 2 - t * t

    def facts(self) -> dict[str, str | int]:
        """The numerator too."""
        return super(Duchi, self).facts() | {"top": str(self.top)}
