"""Continuous noise rounded to a lattice.

For an answer x on the lattice, x + round(Z) = round(x + Z): what is released is a function of the real mechanism's
output alone, so the guarantee of the continuous mechanism holds exactly, with nothing added for the rounding.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bins import RoundedBins
from dalenius.noise.bits import Bits
from dalenius.noise.lattice import FINENESS, Lattice
from dalenius.noise.law import checked_size
from dalenius.noise.potential import LinearPotential, Potential, Quadratic
from dalenius.noise.symmetric import SymmetricLaw
from dalenius.numerics import Number, ball, erfc, positive, precision, rational, upper

_FINEST = 40


@dataclass(frozen=True, slots=True, init=False)
class Rounded(SymmetricLaw):
    """step · round(Z / step), Z continuous with a given scale, step = 2^k between scale / 2⁴⁰ and scale / 2²⁰."""

    scale: Fraction
    lattice: Lattice

    def __init__(self, scale: Number, lattice: Lattice | None = None) -> None:
        exact = positive(scale, "scale")
        coarsest = Lattice.under(exact)
        chosen = coarsest if lattice is None else lattice
        if not isinstance(chosen, Lattice):
            raise InvalidParameter(f"lattice must be a Lattice, got {lattice!r}")
        if not coarsest.exponent - (_FINEST - FINENESS) <= chosen.exponent <= coarsest.exponent:
            raise InvalidParameter(
                f"noise of scale {scale} needs a lattice between 2^{coarsest.exponent - (_FINEST - FINENESS)} and "
                f"2^{coarsest.exponent}, got 2^{chosen.exponent}"
            )
        object.__setattr__(self, "scale", exact)
        object.__setattr__(self, "lattice", chosen)

    @property
    def units(self) -> Fraction:
        """The scale in steps of the lattice."""
        return self.scale / self.lattice.step

    def sample(self, bits: Bits, size: int) -> NDArray[np.float64]:
        """`size` independent draws; floats hold them exactly. To add them to an answer, add `steps` to its steps."""
        return self.lattice.values(self.steps(bits, size))

    def steps(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws, in steps of the lattice."""
        n, d = self.scale.as_integer_ratio()
        return _sampler(type(self), n, d, self.lattice.exponent).draw(bits, checked_size(size))

    def log_density(self, z: Number) -> float:
        """Log of the density, at z, of the continuous law that is rounded."""
        with precision(128):
            return float(self.density(ball(abs(rational(z, "z")))).log().mid())

    @abstractmethod
    def density(self, z: arb) -> arb:
        """Density at z ≥ 0 of the continuous law."""

    @abstractmethod
    def beyond(self, z: Fraction) -> arb:
        """P[|Z| > z] of the continuous law, for z ≥ 0."""

    @staticmethod
    @abstractmethod
    def potential(units: Fraction) -> Potential:
        """The exponent of the density over half steps of the lattice."""

    def log_mass_ball(self, step: int) -> arb:
        """The cell of half a step on either side: half the difference of two tails, by symmetry."""
        half, k = self.lattice.step / 2, abs(step)
        if k == 0:
            return (1 - self.beyond(half)).log()
        return ((self.beyond((2 * k - 1) * half) - self.beyond((2 * k + 1) * half)) / 2).log()

    def outside(self, steps: int) -> arb:
        """P[|Z| > (steps + ½) · lattice.step]."""
        return self.beyond((2 * steps + 1) * self.lattice.step / 2)


class RoundedLaplace(Rounded):
    """Laplace noise of density exp(−|z| / scale) / (2 scale), rounded to a lattice  [A Def 3.5, D Def 2.3]."""

    __slots__ = ()

    def density(self, z: arb) -> arb:
        """exp(−z / scale) / (2 scale)."""
        return (-z / ball(self.scale)).exp() / (2 * ball(self.scale))

    def beyond(self, z: Fraction) -> arb:
        """exp(−z / scale)  [D Thm 2.4]."""
        return (-ball(z / self.scale)).exp()

    def log_mass_ball(self, step: int) -> arb:
        """exp(−(|step| − ½) t) (1 − exp(−t)) / 2 with t = 1 / units, but 1 − exp(−t/2) at zero."""
        k, t = abs(step), 1 / self.units
        if k == 0:
            return (-(-ball(t / 2)).expm1()).log()
        return ball((1 - 2 * k) * t / 2) + ((-(-ball(t)).expm1()) / 2).log()

    @staticmethod
    def potential(units: Fraction) -> Potential:
        """One half step is 1 / (2 units) scales."""
        return LinearPotential(1 / (2 * units))

    @property
    def variance(self) -> float:
        """step² √q (1 + q) / (1 − q)² with q = exp(−step / scale).

        2 scale² of the notes, and some step² / 12  [D Thm 2.4].
        """
        with precision(128):
            t = 1 / ball(self.units)
            return upper(ball(self.lattice.step) ** 2 * (t / 2).cosh() / (2 * (t / 2).sinh() ** 2))


class RoundedGaussian(Rounded):
    """Gaussian noise of standard deviation `scale`, rounded to a lattice."""

    __slots__ = ()

    def density(self, z: arb) -> arb:
        """exp(−z² / 2 scale²) / (scale √(2π))."""
        ratio = z / ball(self.scale)
        return (-(ratio**2) / 2).exp() / (ball(self.scale) * (2 * arb.pi()).sqrt())

    def beyond(self, z: Fraction) -> arb:
        """erfc(z / (scale √2))."""
        return erfc(ball(z / self.scale) / arb(2).sqrt())

    @staticmethod
    def potential(units: Fraction) -> Potential:
        """One half step is 1 / (2 units) scales; half the square of that."""
        return Quadratic(1 / (8 * units**2))

    @property
    def variance(self) -> float:
        """At most scale² + step² / 12.

        By Poisson summation the error is an alternating series that starts below zero.
        """
        with precision(128):
            return upper(ball(self.scale**2 + self.lattice.step**2 / 12))


@lru_cache(maxsize=64)
def _sampler(law: type[Rounded], n: int, d: int, exponent: int) -> RoundedBins:
    units = Fraction(n, d) / Fraction(2) ** exponent
    half_steps = 2 * units
    return RoundedBins(law.potential(units), 1 << int(half_steps / 64).bit_length() - 1)
