"""The exponent of a log-concave law: its density or mass at distance y from the center is ∝ exp(−h(y))."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.numerics import ball

Floats = NDArray[np.float64]


class Potential(ABC):
    """h: convex, increasing on y ≥ 0, h(0) = 0."""

    __slots__ = ()

    @abstractmethod
    def at(self, y: Fraction) -> Fraction:
        """h(y), exactly."""

    @abstractmethod
    def slope(self, y: Fraction) -> Fraction:
        """h'(y), exactly."""

    @abstractmethod
    def rise(self, start: Floats, way: Floats) -> Floats:
        """h(start + way) − h(start) for start, way ≥ 0, with a relative error below 2⁻⁴⁹.

        Sums and products of numbers ≥ 0 only.
        """

    @abstractmethod
    def rise_ball(self, start: Fraction, way: arb) -> arb:
        """An enclosure of h(start + way) − h(start)."""

    @abstractmethod
    def reach(self, height: float) -> float:
        """About the y with h(y) = height. Decides how long tables are, nothing else."""


@dataclass(frozen=True, slots=True)
class LinearPotential(Potential):
    """h(y) = rate · y: Laplace."""

    rate: Fraction

    def at(self, y: Fraction) -> Fraction:
        """Rate · y."""
        return self.rate * y

    def slope(self, y: Fraction) -> Fraction:
        return self.rate

    def rise(self, start: Floats, way: Floats) -> Floats:
        """Rate · way: one rounding of the rate, one of the product."""
        return float(self.rate) * way

    def rise_ball(self, start: Fraction, way: arb) -> arb:
        """Rate · way."""
        return ball(self.rate) * way

    def reach(self, height: float) -> float:
        """Height / rate."""
        return float(Fraction(height) / self.rate)


@dataclass(frozen=True, slots=True)
class Quadratic(Potential):
    """h(y) = rate · y²: Gauss."""

    rate: Fraction

    def at(self, y: Fraction) -> Fraction:
        """Rate · y²."""
        return self.rate * y * y

    def slope(self, y: Fraction) -> Fraction:
        """2 · rate · y."""
        return 2 * self.rate * y

    def rise(self, start: Floats, way: Floats) -> Floats:
        """Rate · way · (2 start + way): four roundings, nothing cancels."""
        return float(self.rate) * way * (2 * start + way)

    def rise_ball(self, start: Fraction, way: arb) -> arb:
        """Rate · way · (2 start + way)."""
        return ball(self.rate) * way * (2 * ball(start) + way)

    def reach(self, height: float) -> float:
        """√(height / rate)."""
        return math.sqrt(Fraction(height) / self.rate)
