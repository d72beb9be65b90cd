"""Second derivatives of losses as whole numbers: each a function of its own row alone, bit by bit (see `losses`)."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from dalenius.learning.data.rows import Matrix
from dalenius.learning.sums.losses import exponential_shares, sigmoids

BEND_DIGITS = 10


class Bends(Protocol):
    """The second derivative of a loss of one predictor."""

    @property
    def dispersion(self) -> float:
        """φ: the variance of a slope over the second derivative, by the model."""

    def most(self, weights: Matrix, radius: float, intercept: bool) -> int:
        """The largest in whole steps of 2⁻¹⁰, for public weights on rows of a box over `radius`."""

    def at(self, margins: Matrix, most: int) -> Matrix:
        """Whole steps, from 0 to `most`."""


@dataclass(frozen=True, slots=True)
class LogisticBends:
    """σ(m)σ(−m) ≤ ¼."""

    dispersion: ClassVar[float] = 1.0

    def most(self, weights: Matrix, radius: float, intercept: bool) -> int:
        """¼."""
        return 1 << (BEND_DIGITS - 2)

    def at(self, margins: Matrix, most: int) -> Matrix:
        """From the table of σ."""
        share = sigmoids(margins)
        return np.minimum(np.trunc(share * (1 - share) * 2.0**BEND_DIGITS), most)


@dataclass(frozen=True, slots=True)
class PoissonBends:
    """e^m/ceiling ≤ 1: at most what the weights give in the box's corner that they point to."""

    ceiling: float

    @property
    def dispersion(self) -> float:
        """A count's variance is its rate: in units of the ceiling one over it."""
        return 1 / self.ceiling

    def most(self, weights: Matrix, radius: float, intercept: bool) -> int:
        """The rate in the corner, rounded up."""
        features = weights[:-1] if intercept else weights
        corner = (np.abs(features).sum() + (weights[-1] if intercept else 0.0)) / radius
        rate = np.exp(np.minimum(corner, np.log(self.ceiling))) / self.ceiling
        return max(1, min(1 << BEND_DIGITS, int(np.ceil(rate * 2.0**BEND_DIGITS)) + 1))

    def at(self, margins: Matrix, most: int) -> Matrix:
        """From the table of e^−m."""
        return np.minimum(np.trunc(exponential_shares(margins, self.ceiling) * 2.0**BEND_DIGITS), most)
