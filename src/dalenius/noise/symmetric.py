"""Noise laws that are symmetric about zero and live on a lattice."""

import math
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.noise.lattice import Lattice
from dalenius.noise.law import Law, inner_probability
from dalenius.numerics import Number, ball, precision, probability, rational, upper

LARGE = 128
"""The scale from which integer noise is drawn in bins."""
LARGEST_SCALE = 2**50


class SymmetricLaw(Law):
    """P[Z = z] = P[Z = −z] on the multiples of a power of two.

    A law states its mass and its two-sided tail, the rest follows.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def lattice(self) -> Lattice:
        """Where its values live."""

    @abstractmethod
    def steps(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws, in steps of the lattice: what is added to an answer, as integers."""

    @abstractmethod
    def log_mass_ball(self, step: int) -> arb:
        """An enclosure of log P[Z = step · lattice.step], at the working precision."""

    @abstractmethod
    def outside(self, steps: int) -> arb:
        """An enclosure of P[|Z| > steps · lattice.step] for steps ≥ 0, at the working precision."""

    def mass(self, step: int) -> arb:
        """An enclosure of P[Z = step · lattice.step], at the working precision."""
        return self.log_mass_ball(step).exp()

    @property
    def mean(self) -> float:
        """0, by symmetry."""
        return 0.0

    def log_mass(self, value: Number) -> float:
        """The logarithm of P[Z = value] to the nearest float; −inf off the lattice."""
        exact = Fraction(value) if isinstance(value, float) and math.isfinite(value) else rational(value, "value")
        steps = exact / self.lattice.step  # a float is a value that was drawn, not a decimal that somebody wrote
        if steps.denominator != 1:
            return -math.inf
        with precision(256):
            return float(self.log_mass_ball(int(steps)).mid())

    def tail(self, radius: Number) -> float:
        """P[|Z| > radius], rounded up."""
        reach = rational(radius, "radius")
        if reach < 0:
            return 1.0
        with precision(128):
            return min(1.0, upper(self.outside(math.floor(reach / self.lattice.step))))

    def radius(self, beta: Number) -> Fraction:
        """The smallest r on the lattice for which P[|Z| > r] ≤ beta is proved."""
        level = probability(beta, "beta")
        if level == 0:
            raise InvalidParameter("beta must be > 0: no finite radius holds always")
        return _radius(self, level)

    def quantile(self, p: Number) -> Fraction:
        """The smallest z on the lattice for which P[Z ≤ z] ≥ p is proved, for p in (0, 1).

        P[Z ≤ s] = 1 − P[|Z| > s] / 2 for s ≥ 0, and P[Z ≤ −s] = P[|Z| > s − 1] / 2 for s ≥ 1.
        """
        level = inner_probability(p)
        # the first s at which P[Z ≤ −s − 1] ≥ p is no longer proved: then −s is the smallest that may do
        below = _first(lambda steps: not self.outside(steps) >= ball(2 * level))
        if below > 0:
            return -below * self.lattice.step
        return _first(lambda steps: self.outside(steps) <= ball(2 * (1 - level))) * self.lattice.step


@lru_cache(maxsize=4096)
def _radius(law: SymmetricLaw, level: Fraction) -> Fraction:
    """The radius of a law, found once: a law is a value, and every answer at one price asks for the same one."""
    return _first(lambda steps: law.outside(steps) <= ball(level)) * law.lattice.step


def _first(holds: Callable[[int], bool]) -> int:
    """Smallest s ≥ 0 with a monotone statement, by doubling and bisection."""
    with precision(128):
        if holds(0):
            return 0
        low, high = 0, 1
        while not holds(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high


def width_of_bins(scale: Fraction) -> int:
    """Cells of a bin for integer noise: 1 below LARGE, else the largest power of two ≤ scale / 64.

    Above 2⁵⁰ noise is refused: up to there |Z| < 2⁶³ but for a chance of exp(−2¹³), so 64-bit integers hold every draw.
    """
    if scale > LARGEST_SCALE:
        raise InvalidParameter(
            f"scale must be at most 2^50 for integer noise, got {scale}: divide the answer by a public number first"
        )
    return 1 if scale < LARGE else 1 << math.floor(scale / 64).bit_length() - 1
