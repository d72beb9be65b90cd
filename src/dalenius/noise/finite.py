"""Laws on 0, 1, …, n − 1."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.noise.law import Law, inner_probability
from dalenius.numerics import Number, ball, precision, rational, upper


class FiniteLaw(Law):
    """P[Z = i] for i = 0, …, n − 1; a law states its masses, the rest follows."""

    __slots__ = ()

    @abstractmethod
    def masses(self) -> Sequence[arb]:
        """Enclosures of all masses, at the working precision."""

    def log_mass(self, value: Number) -> float:
        """The logarithm of P[Z = value] to the nearest float; −inf where there is no mass."""
        at = rational(value, "value")
        with precision(256):
            masses = self.masses()
            if at.denominator != 1 or not 0 <= at < len(masses) or masses[int(at)].is_zero():
                return -math.inf
            return float(masses[int(at)].log().mid())

    def tail(self, radius: Number) -> float:
        """P[Z > radius], rounded up."""
        first = math.floor(rational(radius, "radius")) + 1
        with precision(128):
            return min(1.0, upper(sum(self.masses()[max(0, first) :], arb(0))))

    def quantile(self, p: Number) -> Fraction:
        """The smallest value z for which P[Z ≤ z] ≥ p is proved, for p in (0, 1)."""
        level = inner_probability(p)
        with precision(128):
            masses, reached = self.masses(), arb(0)
            for value, mass in enumerate(masses):
                reached += mass
                if reached >= ball(level):
                    return Fraction(value)
            return Fraction(len(masses) - 1)

    @property
    def mean(self) -> float:
        """Σ i P[i]."""
        with precision(128):
            return float(self._moment(1).mid())

    @property
    def variance(self) -> float:
        """Σ i² P[i] − (Σ i P[i])², rounded up."""
        with precision(256):
            mean = self._moment(1)
            return max(0.0, upper(self._moment(2) - mean * mean))

    def _moment(self, order: int) -> arb:
        return sum((value**order * mass for value, mass in enumerate(self.masses())), arb(0))


def refuse_empty(count: int, what: str) -> None:
    """Refuse a law without values."""
    if count < 1:
        raise InvalidParameter(f"{what} must have at least one entry")
