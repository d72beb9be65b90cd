"""Continuous noise rounded to a lattice.

For an answer x on the lattice, x + round(Z) = round(x + Z): what is released is a function of the real mechanism's
output alone, so the guarantee of the continuous mechanism holds exactly, with nothing added for the rounding. That is
so for every step, however coarse: of a coarse one only the noise is larger, by about step² / 12 in its variance.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.atoms import RoundedAtoms
from dalenius.noise.bins import RoundedBins
from dalenius.noise.bits import Bits
from dalenius.noise.lattice import Lattice
from dalenius.noise.law import checked_size
from dalenius.noise.potential import LinearPotential, Potential, Quadratic
from dalenius.noise.symmetric import LARGE, LARGEST_SCALE, SymmetricLaw
from dalenius.numerics import Number, ball, erfc, positive, precision, rational, upper

_TAIL = 23.0
_SERIES = 2
"""In how many steps the scale is small: then the variance of rounded Gaussian noise is summed."""


@dataclass(frozen=True, slots=True, init=False)
class Rounded(SymmetricLaw):
    """step · round(Z / step), Z continuous with a given scale, step = 2^k ≥ scale / 2⁵⁰; scale / 2²⁰ unless given."""

    scale: Fraction
    lattice: Lattice

    def __init__(self, scale: Number, lattice: Lattice | None = None) -> None:
        exact = positive(scale, "scale")
        coarsest = Lattice.under(exact)
        chosen = coarsest if lattice is None else lattice
        if not isinstance(chosen, Lattice):
            raise InvalidParameter(f"lattice must be a Lattice, got {lattice!r}")
        if exact > LARGEST_SCALE * chosen.step:
            raise InvalidParameter(
                f"scale must be at most 2^50 steps, got {scale} on a lattice of 2^{chosen.exponent}: give a coarser "
                "one, or divide the answer by a public number first"
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
        """Scale² + step² / 12 + Σ (−1)^m exp(−2π²m²u²) (4u² + 1/π²m²) step², over m ≥ 1, with u = scale / step.

        With Z = round(Z) + R, R = Σ (−1)^(m+1) sin(2πmZ) / πm and R² = 1/12 + Σ (−1)^m cos(2πmZ) / π²m² in steps, where
        E Z sin(2πmZ) = 2πmu² exp(−2π²m²u²) and E cos(2πmZ) = exp(−2π²m²u²). The terms alternate and fall, and the first
        is below zero: without them it is an upper bound, off by less than an ulp for u > 2. Below, E K² = Σ (2k + 1)
        P[|K| > k] is summed; from k = 14u + 4 on each term is less than half the one before.
        """
        with precision(128):
            above = ball(self.scale**2 + self.lattice.step**2 / 12)
            if self.units > _SERIES:
                return upper(above)
            terms = math.ceil(14 * self.units) + 4
            total = sum(((2 * k + 1) * self.outside(k) for k in range(terms)), arb(0))
            rest = 2 * (2 * terms + 1) * self.outside(terms)
            return min(upper(above), upper(ball(self.lattice.step**2) * total.union(total + rest)))


@lru_cache(maxsize=64)
def _sampler(law: type[Rounded], n: int, d: int, exponent: int) -> RoundedAtoms | RoundedBins:
    """Every likely integer as a piece of its own, or, from 128 steps on, bins of half steps."""
    noise = law(Fraction(n, d), Lattice(exponent))
    potential = law.potential(noise.units)
    if noise.units < LARGE:
        return RoundedAtoms(noise.outside, potential.reach(_TAIL) / 2)
    return RoundedBins(potential, 1 << int(2 * noise.units / 64).bit_length() - 1)
