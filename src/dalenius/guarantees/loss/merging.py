"""A law on grid points that a binned pair dominates, second order in the step.

The masses (p_j, q_j) of bin j merged into one outcome, and parts of several outcomes merged into one more, are
processings of the pair, so the result is dominated. A merger lies exactly at loss g when the torques about g balance:
Σ (p − e^g·q) = 0 over the parts. With the split (a, b) of bin j between its ends (see `bins`), its torque about its
left end is b_j(1 − e^(−w_j)) and about its right end −a_j(e^(w_j) − 1).

1. At every point, parts of the bins on its two sides are merged: first each bin offers half to either side, then all
   that is left, at every other point in turn. Neighboring bins differ by O(h), so what is left shrinks by that factor
   each time.
2. What is left of a bin is merged at its nearer end with some of what stands one point beyond that end: the part
   needed is the distance to the end over the distance between points, so this too is second order. It serves where
   the law changes within a step (a spike).
3. What is still left is moved down to the bin's left end, which lowers δ.

All masses here are tilted: a mass at a point is multiplied by e^(s·g), a bin's by that of its left end.
"""

from dataclasses import dataclass

import numpy as np

from dalenius.guarantees.loss.rounding import Vector

_ROUNDS = ((0, 1, 0.5), (0, 1, 0.5), (0, 2, 1.0), (1, 2, 1.0))


@dataclass(slots=True, eq=False)
class Merging:
    """Bins that are `free` in part, and what has been merged at the points so far."""

    s: float
    width: Vector
    left: Vector
    right: Vector
    bins: Vector
    free: Vector
    masses: Vector

    def merged(self) -> Vector:
        """Masses at the points."""
        grown = np.exp(np.minimum(self.s * self.width, 700.0))  # wider bins are empty
        pull = self.left * grown * np.expm1(self.width)  # about the right end, tilted there
        push = self.right * -np.expm1(-self.width)  # about the left end, tilted there
        for start, stride, offer in _ROUNDS:
            self._at_points(
                pull, push, grown, slice(start, len(self.free) - 1, stride), slice(start + 1, None, stride), offer
            )
        nearer_right = pull < push
        for bins in (nearer_right, ~nearer_right):
            self._at_right_ends(np.where(bins, pull, 0.0), grown)
            self._at_left_ends(np.where(bins, 0.0, push) if bins is nearer_right else push, grown)
        self.masses[:-1] += self.free * self.bins
        return self.masses

    def _at_points(self, pull: Vector, push: Vector, grown: Vector, before: slice, after: slice, offer: float) -> None:
        """Merge parts of the bins before and after a point."""
        torque = offer * np.minimum(self.free[before] * pull[before], self.free[after] * push[after])
        alpha = _share(torque, pull[before], self.free[before])
        beta = _share(torque, push[after], self.free[after])
        self.masses[1:-1][before] += alpha * self.bins[before] * grown[before] + beta * self.bins[after]
        self.free[before] -= alpha
        self.free[after] -= beta

    def _at_right_ends(self, pull: Vector, grown: Vector) -> None:
        """Merge what is left of bin j at its right end with masses one point further right."""
        beyond = self.masses[2:] / grown[1:]
        balance = beyond * -np.expm1(-self.width[1:])
        torque = np.minimum(self.free[:-1] * pull[:-1], balance)
        used = _share(torque, pull[:-1], self.free[:-1])
        taken = np.minimum(_share(torque, balance, np.ones_like(balance)), 1.0)
        self.masses[2:] *= 1 - taken
        self.masses[1:-1] += used * self.bins[:-1] * grown[:-1] + taken * beyond
        self.free[:-1] -= used

    def _at_left_ends(self, push: Vector, grown: Vector) -> None:
        """Merge what is left of bin j at its left end with masses one point further left."""
        beyond = self.masses[:-2] * grown[:-1]
        balance = beyond * np.expm1(self.width[:-1])
        torque = np.minimum(self.free[1:] * push[1:], balance)
        used = _share(torque, push[1:], self.free[1:])
        taken = np.minimum(_share(torque, balance, np.ones_like(balance)), 1.0)
        self.masses[:-2] *= 1 - taken
        self.masses[1:-1] += used * self.bins[1:] + taken * beyond
        self.free[1:] -= used


def _share(torque: Vector, full: Vector, most: Vector) -> Vector:
    """torque/full, which is at most what is there; 0 where there is none."""
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        return np.where(torque > 0, np.minimum(torque / full, most), 0.0)
