"""A number with two-sided geometric noise: the Laplace mechanism on a grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.means.mean_oracle import MeanOracle
from dalenius.local.oracles import Integers, Payloads
from dalenius.noise import Bits, DiscreteLaplace

_MOST = (1 << 31) - 1
_LOW = (1 << 24) - 1


@dataclass(frozen=True, slots=True)
class LocalLaplace(MeanOracle):
    """j + Z with P[Z = z] ∝ e^(−|z| ε/grid): Laplace noise of scale (b − a)/ε on the grid  [A Ex 4.2].

    A report is cut to 32 bits, the same for all numbers, so that costs nothing; noise so far out has probability below
    e^(−10⁶) at ε = 1 and is not seen in the mean.
    """

    name: ClassVar[str] = "laplace"

    @property
    def width(self) -> int:
        """Four bytes."""
        return 4

    @property
    def cells(self) -> int:
        """Σk, and Σk² in two parts so that it never overflows."""
        return 3

    @property
    def reach(self) -> float:
        """Noise has no bound."""
        return float("inf")

    @property
    def offset(self) -> float:
        """Steps are counted from the lower end."""
        return -1.0

    @property
    def noise(self) -> DiscreteLaplace:
        """The law of Z, in steps of the grid."""
        return DiscreteLaplace(Fraction(self.grid) / self.epsilon)

    def randomize(self, step: int, bits: Bits) -> bytes:
        """One noisy step."""
        return bytes(self.randomize_many(np.array([step], np.int64), bits)[0])

    def randomize_many(self, steps: Integers, bits: Bits) -> Payloads:
        """Noisy steps of many."""
        noisy = np.clip(steps + self.noise.sample(bits, steps.size), -_MOST, _MOST)
        payloads: Payloads = noisy.astype("<i4").view(np.uint8).reshape(steps.size, 4)
        return payloads

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Any but the lowest number, which no client sends."""
        return self._steps(payloads) >= -_MOST

    def tally(self, payloads: Payloads) -> Integers:
        """Sums of steps and of their squares."""
        k = self._steps(payloads)
        squares = k * k
        return np.array([k.sum(), (squares >> 24).sum(), (squares & _LOW).sum()], np.int64)

    def moments(self, tally: Integers) -> tuple[float, float]:
        """Sums of 2k/grid = t + 1 and of their squares."""
        first, second = int(tally[0]), (int(tally[1]) << 24) + int(tally[2])
        return 2 * first / self.grid, 4 * second / self.grid**2

    def variance(self, t: float) -> float:
        """That of the noise, whatever t: about 8/ε²  [A Ex 4.2]."""
        return 4 * self.noise.variance / self.grid**2

    @staticmethod
    def _steps(payloads: Payloads) -> Integers:
        return np.ascontiguousarray(payloads).view("<i4").reshape(-1).astype(np.int64)
