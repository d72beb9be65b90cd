"""The two-sided geometric law."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.noise.atoms import Atoms
from dalenius.noise.bins import IntegerBins
from dalenius.noise.bits import Bits
from dalenius.noise.lattice import INTEGERS, Lattice
from dalenius.noise.law import checked_size
from dalenius.noise.potential import LinearPotential
from dalenius.noise.symmetric import SymmetricLaw, width_of_bins
from dalenius.numerics import Number, ball, positive, precision, upper


@dataclass(frozen=True, slots=True, init=False)
class DiscreteLaplace(SymmetricLaw):
    """P[Z = z] = (α − 1)/(α + 1) · α^−|z| on the integers, α = exp(1/scale)  [D Def 2.6].

    >>> DiscreteLaplace(1).tail(0) < 0.5379
    True
    """

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", positive(scale, "scale"))
        width_of_bins(self.scale)

    @property
    def lattice(self) -> Lattice:
        return INTEGERS

    def sample(self, bits: Bits, size: int) -> NDArray[np.int64]:
        return self.steps(bits, size)

    def steps(self, bits: Bits, size: int) -> NDArray[np.int64]:
        return _sampler(*self.scale.as_integer_ratio()).draw(bits, checked_size(size))

    def log_mass_ball(self, step: int) -> arb:
        """Log tanh(1 / 2 scale) − |step| / scale: (α − 1)/(α + 1) is that hyperbolic tangent  [D Def 2.6]."""
        return (1 / (2 * ball(self.scale))).tanh().log() - ball(abs(step) / self.scale)

    def outside(self, steps: int) -> arb:
        """2 α^−steps / (α + 1), exactly; the notes bound it by α^−steps  [D Thm 2.7].

        Written with α⁻¹, which is a finite ball for every scale.
        """
        return 2 * (-ball((steps + 1) / self.scale)).exp() / (1 + (-ball(1 / self.scale)).exp())

    @property
    def variance(self) -> float:
        """2α / (α − 1)² = 2α⁻¹ / (1 − α⁻¹)², rounded up  [D Thm 2.7]."""
        with precision(128):
            exponent = -ball(1 / self.scale)
            return upper(2 * exponent.exp() / (exponent.expm1() * exponent.expm1()))


@lru_cache(maxsize=64)
def _sampler(n: int, d: int) -> Atoms | IntegerBins:
    scale = Fraction(n, d)
    width = width_of_bins(scale)
    return Atoms(LinearPotential(1 / scale)) if width == 1 else IntegerBins(LinearPotential(1 / scale), width)
