"""One pair on a grid of losses, tilted: a law above it and a law below it, both second order in the step.

Points g_j = origin + jh. A mass p at loss l in [g_j, g_{j+1}] is split into

    b = p(1 − e^(g_j − l))/(1 − e^(−h)) on the right end  and  a = p − b on the left one:

P's mass is kept, and Q's too, since a·e^(−g_j) + b·e^(−g_{j+1}) = p·e^(−l).

*Above.* The split pair dominates: sending both ends' new outcomes back to l (in proportion to a and b) is a
processing that returns the pair as it was  [A Thm 13.2]. Compositions of dominating pairs dominate  [A Thm 14.2].

*Below.* Parts of outcomes merged into one are a processing too, so what that gives is dominated: `merging` does it.

*Direction of errors.* δ(ε) = E_P(1 − e^(ε−ΣL))₊ rises in every loss and in every mass of P, whatever Q is. So a law
is on the upper side as soon as its masses are too large or too far right, on the lower side if too small or too far
left; only P's masses are ever stored.
"""

import math
from dataclasses import dataclass

import numpy as np

from dalenius.guarantees.loss.merging import Merging
from dalenius.guarantees.loss.rounding import UNIT, Indices, Vector

_LOOSE = 1e-8  # a bin known less well than this is left out of the lower law
EXPONENT = 700.0
"""Bins wider than this over s hold nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class GridLaw:
    """Tilted masses e^(s·g_j)·(mass at g_j)/e^log_total at the indices j, which sum to about 1."""

    origin: float
    index: Indices
    masses: Vector
    log_total: float
    shift: float
    """By how much each loss may still lie to the safe side of its grid point."""


@dataclass(frozen=True, slots=True, eq=False)
class LossBins:
    """The split (a, b) of every bin, tilted at its left end, each within `off`, and what lies on the points."""

    s: float
    step: float
    origin: float
    index: Indices
    left: Vector
    right: Vector
    off: Vector
    on_points: Vector
    log_scale: float
    missing: float
    """Tilted mass cut off, over all."""
    misplaced: float
    """How far what is on the points may be from them."""

    @property
    def width(self) -> Vector:
        """Of each bin; bins may span several steps where there is little mass."""
        return self.step * np.diff(self.index)

    def above(self) -> GridLaw:
        """A law whose pair dominates."""
        masses = self.on_points * (1 + 64 * UNIT)
        masses[:-1] += self.left + self.off
        moved = self.right + self.off
        masses[1:] += np.where(moved > 0, moved * np.exp(np.minimum(self.s * self.width, EXPONENT)), 0.0)
        return self._law(masses, 1 + 256 * UNIT, self.misplaced)

    def below(self) -> GridLaw:
        """A law that the pair dominates."""
        sure = np.maximum(self.left + self.right - 2 * self.off, 0.0)
        known = self.off <= _LOOSE * sure
        worst = float(np.max(np.where(known, self.off / np.where(sure > 0, sure, 1.0) * self.width, 0.0), initial=0.0))
        state = Merging(
            self.s, self.width, self.left, self.right, sure, np.where(known, 1.0, 0.0), self.on_points.copy()
        )
        return self._law(state.merged(), 1 - 256 * UNIT, 4 * worst + 2 * self.misplaced)

    def nudge(self) -> float:
        """By how much to move the origin so that what lies about it balances; proves nothing."""
        middle = int(np.searchsorted(self.index, 0))
        if not 0 < middle < len(self.left):
            return 0.0
        all_bins = self.left + self.right
        state = Merging(
            self.s, self.width, self.left, self.right, all_bins, np.ones_like(all_bins), self.on_points.copy()
        )
        state.merged()
        after = float(state.free[middle] * self.right[middle] * self.width[middle])
        before = float(state.free[middle - 1] * self.left[middle - 1] * self.width[middle - 1])
        mass = float(all_bins[middle] + all_bins[middle - 1] + self.on_points[middle])
        return (after - before) / mass if mass > 0 else 0.0

    def _law(self, masses: Vector, factor: float, shift: float) -> GridLaw:
        total = float(np.sum(masses))
        return GridLaw(self.origin, self.index, masses / total, self.log_scale + math.log(total * factor), shift)
