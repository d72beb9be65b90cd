"""The hinge of a support vector machine, rounded off as Huber does, with what objective perturbation needs of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from dalenius.learning.data.rows import Matrix
from dalenius.numerics import ball

_STEADY_FROM = Fraction(1, 4)
"""From this width on a slope moves by less than 2⁻⁴⁹ with the rounding of a margin; see `StatedLoss.steady`."""


@dataclass(frozen=True, slots=True)
class HuberHinge:
    """max(0, 1 − m) for m = ±x·w, with a parabola in place of its corner: between m = 1 − h and 1 + h  [CMS11, Eq 7].

    With u = 1 + h − m it is 0 for u ≤ 0, u²/(4h) up to u = 2h, and u − h beyond: convex, with slopes within 1 and a
    second derivative of at most 1/(2h), which jumps at two places. The target is 0 or 1; NaN says nothing.
    """

    width: Fraction
    """h: half the width of the parabola."""

    name: ClassVar[str] = "huber hinge"
    outputs: ClassVar[int] = 1
    relative: ClassVar[bool] = False
    gradient: ClassVar[Fraction] = Fraction(1)
    rank: ClassVar[int] = 1
    convex: ClassVar[bool] = True

    @property
    def trace(self) -> Fraction:
        """1/(2h)."""
        return 1 / (2 * self.width)

    @property
    def steady(self) -> bool:
        """Whether the parabola is so wide that rounding a margin hardly moves a slope."""
        return self.width >= _STEADY_FROM

    def values(self, margins: Matrix, target: Matrix) -> Matrix:
        """0, the parabola, or the line."""
        u, h = self._short(margins, target), float(self.width)
        held = np.minimum(np.maximum(u, 0.0), 2 * h)
        values: Matrix = held * held / (4 * h) + np.maximum(u - 2 * h, 0.0)
        return np.where(np.isnan(target), 0.0, values)

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """∓ u/(2h), held in [0, 1]."""
        pull = np.minimum(np.maximum(self._short(margins, target) / (2 * float(self.width)), 0.0), 1.0)
        return np.where(np.isnan(target), 0.0, np.where(target > 0, -pull, pull))[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """1/(2h) on the parabola, 0 elsewhere."""
        u, h = self._short(margins, target), float(self.width)
        curved = (u > 0) & (u < 2 * h) & ~np.isnan(target)
        return np.where(curved, 1 / (2 * h), 0.0)[:, None] * along

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """∓ u/(2h), held in [0, 1]."""
        sign = 1 if target > 0 else -1
        pull = (1 + ball(self.width) - sign * margins[0]) / (2 * ball(self.width))
        return [-sign * pull.max(arb(0)).min(arb(1))]

    def _short(self, margins: Matrix, target: Matrix) -> Matrix:
        """U = 1 + h − m: what a row's margin lacks of where the loss is 0."""
        m = np.where(target > 0, margins[:, 0], -margins[:, 0])
        lacking: Matrix = 1 + float(self.width) - m
        return lacking
