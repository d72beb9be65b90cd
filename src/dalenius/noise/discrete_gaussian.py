"""The Gaussian law restricted to the integers."""

import math
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
from dalenius.noise.potential import Quadratic
from dalenius.noise.symmetric import SymmetricLaw, width_of_bins
from dalenius.numerics import Number, ball, erfc, positive, precision, upper

_TERMS = 2000


@dataclass(frozen=True, slots=True, init=False)
class DiscreteGaussian(SymmetricLaw):
    """P[Z = z] ∝ exp(−z² / 2 scale²) on the integers  [CKS20, Def 1]. Its variance is a little below scale²."""

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", positive(scale, "scale"))
        width_of_bins(self.scale)

    @property
    def lattice(self) -> Lattice:
        return INTEGERS

    @property
    def rate(self) -> Fraction:
        """1 / 2 scale²."""
        return 1 / (2 * self.scale**2)

    def sample(self, bits: Bits, size: int) -> NDArray[np.int64]:
        return self.steps(bits, size)

    def steps(self, bits: Bits, size: int) -> NDArray[np.int64]:
        return _sampler(*self.scale.as_integer_ratio()).draw(bits, checked_size(size))

    def log_mass_ball(self, step: int) -> arb:
        """−step² / 2 scale², less the log of the sum over all integers."""
        return -ball(self.rate * step * step) - self._total().log()

    def outside(self, steps: int) -> arb:
        """2 Σ_{k > steps} exp(−k² / 2 scale²) / Σ: summed while that takes few terms, else between integrals."""
        start = steps + 1
        terms = math.ceil(min(13 * self.scale, 90 * self.scale**2 / start)) + 2
        tail = self._sum(start, terms) if terms <= _TERMS else self._between_integrals(start)
        return 2 * tail / self._total()

    @property
    def variance(self) -> float:
        """Σ z² exp(−z²/2σ²) / Σ exp(−z²/2σ²), rounded up; at most σ²  [CKS20, Cor 9]."""
        with precision(128):
            square = upper(ball(self.scale) ** 2)
            if self.scale > 16:  # the deficit is below σ⁴ exp(−2π²σ²)·50, far less than one ulp
                return square
            terms = math.ceil(14 * float(self.scale)) + 4
            moment = sum((k * k * self._weight(k) for k in range(1, terms)), arb(0))
            rest = terms * terms * self._weight(terms) * 4  # from here each term is less than half the one before
            return min(square, upper(2 * moment.union(moment + rest) / self._total()))

    def _weight(self, k: int) -> arb:
        return (-ball(self.rate * k * k)).exp()

    def _total(self) -> arb:
        """Σ exp(−z²/2σ²) over all integers; for large σ by Poisson summation, σ√(2π) Σ exp(−2π²σ²z²)."""
        if self.scale <= 1:
            return 1 + 2 * self._sum(1, 30)
        rate, factor = 2 * arb.pi() ** 2 * ball(self.scale) ** 2, ball(self.scale) * (2 * arb.pi()).sqrt()
        series = 1 + 2 * sum(((-rate * k * k).exp() for k in range(1, 6)), arb(0))
        return factor * series.union(series + 4 * (-rate * 36).exp())

    def _sum(self, start: int, terms: int) -> arb:
        """Σ_{k ≥ start} exp(−k²/2σ²): so many terms, and a geometric series above the rest."""
        weight, ratio = self._weight(start), (-ball(self.rate * (2 * start + 1))).exp()
        step, total = (-2 * ball(self.rate)).exp(), arb(0)
        for _ in range(terms):
            total += weight
            weight, ratio = weight * ratio, ratio * step
        return total.union(total + weight / (1 - ratio))

    def _between_integrals(self, start: int) -> arb:
        """Σ_{k ≥ start} f(k) for f(x) = exp(−x²/2σ²), which is concave up to σ and convex from there on.

        Where f is convex, ∫_{k−½}^{k+½} f ≥ f(k) and ∫_k^{k+1} f ≤ (f(k) + f(k+1))/2; where it is concave both turn
        round.
        """
        σ = self.scale
        if start >= σ + Fraction(1, 2):
            return self._convex(start)
        last = math.floor(σ)  # start ≤ last + 1
        after = self._weight(last + 1) + self._convex(last + 2)
        if start > last:
            return after
        most = self._integral(Fraction(start), Fraction(last)) + (self._weight(start) + self._weight(last)) / 2
        half = Fraction(1, 2)
        least = self._integral(start - half, last - half) + self._weight(last) if start < last else self._weight(last)
        return least.union(most) + after

    def _convex(self, start: int) -> arb:
        least = self._integral(Fraction(start), None) + self._weight(start) / 2
        return least.union(self._integral(start - Fraction(1, 2), None))

    def _integral(self, low: Fraction, high: Fraction | None) -> arb:
        root, factor = ball(self.scale) * arb(2).sqrt(), ball(self.scale) * (arb.pi() / 2).sqrt()
        top = arb(0) if high is None else erfc(ball(high) / root)
        return factor * (erfc(ball(low) / root) - top)


@lru_cache(maxsize=64)
def _sampler(n: int, d: int) -> Atoms | IntegerBins:
    scale = Fraction(n, d)
    potential, width = Quadratic(1 / (2 * scale**2)), width_of_bins(scale)
    return Atoms(potential) if width == 1 else IntegerBins(potential, width)
