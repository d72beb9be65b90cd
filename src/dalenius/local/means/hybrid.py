"""Piecewise or two-point by a coin: a variance that does not depend on the number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.means.coded import CodedMean
from dalenius.local.means.duchi import Duchi
from dalenius.local.means.piecewise import Piecewise
from dalenius.local.oracles import Integers
from dalenius.local.oracles.oracle import scaled_floor
from dalenius.numerics import ball

_ONE = 1 << 64
CHANGE = Fraction("0.6093524930")
"""The ε up to which the two-point randomizer alone is best  [WXY19, §3.3]."""


@dataclass(frozen=True, slots=True)
class Hybrid(CodedMean):
    """Piecewise with probability 1 − e^(−ε/2), else two-point, for ε above 0.609; two-point below  [WXY19, §3.3].

    The coin is tossed whatever the number is, and the code tells how it fell, so the mixture is ε-DP as its parts are.
    """

    name: ClassVar[str] = "hybrid"

    @property
    def mix(self) -> int:
        """The numerator of the chance of the piecewise part."""
        if self.epsilon <= CHANGE:
            return 0
        return scaled_floor(lambda: -(-ball(self.epsilon) / 2).expm1())

    @property
    def codes(self) -> int:
        """Two codes of the two-point part, then the places of the piecewise one."""
        return 2 + self._piecewise.codes

    @property
    def words(self) -> int:
        """Which part, and a word for each."""
        return 3

    @property
    def uniforms(self) -> tuple[int, ...]:
        """Those of the piecewise part."""
        return self._piecewise.uniforms

    def respond(self, steps: Integers, words: Sequence[NDArray[np.uint64]], draws: Sequence[Integers]) -> Integers:
        """The code of the part that the first word chooses; both parts are made."""
        one = self._duchi.respond(steps, words[1:2], ())
        other = 2 + self._piecewise.respond(steps, words[2:3], draws)
        return np.where(words[0] < np.uint64(self.mix), other, one)

    def likelihood(self, code: int, step: int) -> Fraction:
        """That of the part, times the chance of the part."""
        chance = Fraction(self.mix, _ONE)
        if code < 2:
            return (1 - chance) * self._duchi.likelihood(code, step)
        return chance * self._piecewise.likelihood(code - 2, step)

    def decoded(self) -> NDArray[np.float64]:
        """Those of the parts, each unbiased."""
        return np.concatenate([self._duchi.decoded(), self._piecewise.decoded()])

    def variance(self, t: float) -> float:
        """The mixture's: the terms in t² cancel above 0.609  [WXY19, Lem 3]."""
        chance = self.mix / _ONE
        return chance * self._piecewise.variance(t) + (1 - chance) * self._duchi.variance(t)

    def facts(self) -> dict[str, str | int]:
        """Those of the parts too."""
        return self._duchi.facts() | self._piecewise.facts() | {"oracle": self.name, "mix": str(self.mix)}

    @property
    def _duchi(self) -> Duchi:
        return Duchi(self.epsilon, self.grid)

    @property
    def _piecewise(self) -> Piecewise:
        return Piecewise(self.epsilon, self.grid)
