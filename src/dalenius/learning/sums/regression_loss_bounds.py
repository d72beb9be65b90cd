"""Losses of regression that state what objective perturbation needs of them: see `loss_bounds`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from dalenius.learning.data.rows import Matrix
from dalenius.numerics import ball


@dataclass(frozen=True, slots=True)
class Huber:
    """Half the squared residual, continued by lines where it exceeds `knee`."""

    knee: Fraction

    name: ClassVar[str] = "huber"
    outputs: ClassVar[int] = 1
    steady: ClassVar[bool] = True
    relative: ClassVar[bool] = False
    trace: ClassVar[Fraction] = Fraction(1)
    rank: ClassVar[int] = 1
    convex: ClassVar[bool] = True

    @property
    def gradient(self) -> Fraction:
        """The knee."""
        return self.knee

    def values(self, margins: Matrix, target: Matrix) -> Matrix:
        """r²/2 inside the knee, knee·|r| − knee²/2 outside."""
        r, knee = np.nan_to_num(np.abs(margins[:, 0] - target)), float(self.knee)
        losses: Matrix = np.where(r <= knee, r * r / 2, knee * r - knee * knee / 2)
        return losses

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """The residual, held in [−knee, knee]."""
        knee = float(self.knee)
        return np.nan_to_num(np.clip(margins[:, 0] - target, -knee, knee))[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """1 inside the knee, 0 outside."""
        with np.errstate(invalid="ignore"):
            return (np.abs(margins[:, 0] - target) < float(self.knee)).astype(np.float64)[:, None] * along

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """The residual, held in [−knee, knee]."""
        knee = ball(self.knee)
        return [(margins[0] - arb(target)).min(knee).max(-knee)]


@dataclass(frozen=True, slots=True)
class Poisson:
    """Counts up to `ceiling`, in its units: the slope (min(e^m, ceiling) − y)/ceiling is held in ±`bound`.

    1 holds nothing: this is the loss of Poisson regression while rates stay below the ceiling. The slope rises with m,
    so it is that of a convex function, and never faster than e^m/ceiling ≤ 1.
    """

    ceiling: float
    bound: Fraction = Fraction(1)

    name: ClassVar[str] = "poisson"
    outputs: ClassVar[int] = 1
    relative: ClassVar[bool] = False
    trace: ClassVar[Fraction] = Fraction(1)
    rank: ClassVar[int] = 1
    convex: ClassVar[bool] = True

    @property
    def gradient(self) -> Fraction:
        """The bound."""
        return self.bound

    @property
    def steady(self) -> bool:
        """The slope turns fastest at the ceiling, and a margin there is its logarithm."""
        return self.ceiling <= 1e6

    def values(self, margins: Matrix, target: Matrix) -> Matrix:
        """The integral of the slope from m = 0, piece by piece."""
        c, y, held = self.ceiling, np.nan_to_num(target), float(self.bound)
        # between these two the slope is (e^m − y)/c; outside it is constant
        low = np.log(np.maximum(y - c * held, 1e-300))
        high = np.log(np.minimum(y + c * held, c))
        middle = np.clip(margins[:, 0], low, high)
        inside = (np.exp(middle) - y * middle) / c
        past = np.where(margins[:, 0] > middle, (np.exp(high) - y) / c, (np.exp(low) - y) / c)
        outside = np.where(margins[:, 0] == middle, 0.0, past * (margins[:, 0] - middle))
        losses: Matrix = np.where(np.isnan(target), 0.0, inside + outside)
        return losses

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """(min(e^m, ceiling) − y)/ceiling, held in ±bound."""
        rate, held = np.exp(np.minimum(margins[:, 0], np.log(self.ceiling))) / self.ceiling, float(self.bound)
        return np.nan_to_num(np.clip(rate - target / self.ceiling, -held, held))[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """e^m/ceiling where the slope is not held."""
        m = margins[:, 0]
        rate = np.exp(np.minimum(m, np.log(self.ceiling))) / self.ceiling
        free = (np.abs(rate - target / self.ceiling) < float(self.bound)) & (m < np.log(self.ceiling))
        return np.where(free, rate, 0.0)[:, None] * along

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """(min(e^m, ceiling) − y)/ceiling, held in ±bound."""
        ceiling, held = arb(self.ceiling), ball(self.bound)
        return [((margins[0].min(ceiling.log()).exp() - arb(target)) / ceiling).min(held).max(-held)]
