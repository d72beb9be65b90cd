"""Sums by group over private rows, in whole numbers, with noise for them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.learning.data.rows import Matrix
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.whole_noise import whole_gaussian
from dalenius.mechanisms import Gaussian, Geometric, calibrate
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits

Integers = NDArray[np.int64]
DIGITS = 20
"""A number of [−1, 1] is cut to steps of 2⁻²⁰: sums over 2⁴² rows stay within int64."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one unit moves a vector of sums: in ℓ1, and in ℓ2 squared, where a part of 1 is a whole."""

    l1: Fraction
    square: Fraction

    def noise(self, budget: FitBudget, parts: int = 1) -> Geometric | Gaussian:
        """In steps, at one of `parts` equal shares of the budget: geometric for δ = 0, else Gaussian.

        [D Thm 2.8, A Thm 13.1].
        """
        share = budget.rest / parts
        if budget.pure:
            return calibrate(Geometric, Sensitivity(self.l1 * (1 << DIGITS), Metric.L1), epsilon=share)
        return whole_gaussian(Sensitivity.root(self.square * (1 << 2 * DIGITS), Metric.L2), share)


def deviation(mechanism: Geometric | Gaussian) -> float:
    """About the standard deviation of the noise, where a part of 1 is a whole."""
    factor = math.sqrt(2) if isinstance(mechanism, Geometric) else 1.0
    return factor * float(mechanism.scale) / (1 << DIGITS)


def tallied(parts: Iterable[tuple[Integers, Matrix]], groups: int, width: int) -> Integers:
    """Σ of whole numbers over the rows of each group, shape (groups, width); a group below 0 is none.

    Each part is added exactly: 2¹⁶ rows of at most 2²⁰ steps.
    """
    total = np.zeros((groups, width), np.int64)
    for group, steps in parts:
        kept = group >= 0
        for column in range(width):
            total[:, column] += np.bincount(group[kept], steps[kept, column], groups).astype(np.int64)
    return total


def released(mechanism: Geometric | Gaussian, sums: Integers, bits: Bits) -> Matrix:
    """The sums with noise, as floats where a part of 1 is a whole."""
    noisy = mechanism.release(sums.ravel(), bits).reshape(sums.shape)
    return np.asarray(noisy, np.float64) / (1 << DIGITS)
