"""The variance of numbers in [0, 1], from noisy sums of their Bernstein polynomials."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dalenius.curator.formula.base import Column, Ends, Formula, Values

_SLACK = 2.0**-45
"""More than rounding can do to a variance, which is at most ¼ and computed in a dozen operations."""


@dataclass(frozen=True, slots=True)
class Spread(Formula):
    """v = (b₀b₂ − b₁²/4)/(b₀ + b₁ + b₂)² of sums that cannot truly be below 0; absent where none is above 0.

    With b₀ = Σ(1 − t)², b₁ = Σ2t(1 − t), b₂ = Σt² it is Σt²/n − (Σt/n)², and lies in [0, ¼].
    """

    zero: Formula
    one: Formula
    two: Formula

    op: ClassVar[str] = "spread"

    def value(self, cells: Values) -> Column:
        """The variance of the sums, each held above 0, itself held in [0, ¼]."""
        sums = (np.maximum(part.value(cells), 0.0) for part in (self.zero, self.one, self.two))
        return np.clip(_variance(*sums), 0.0, 0.25)

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The least and the largest variance in the box, exactly but for rounding.

        While v ≥ 0 it falls as b₁ rises. In b₀ its derivative has the sign of b₂(b₁ + b₂ − b₀) + b₁²/2: v rises up to
        b₀ = b₁ + b₂ + b₁²/2b₂ and falls beyond; likewise in b₂. So the least value is at a corner. Both derivatives
        vanish together only if b₁ = 0 and b₀ = b₂, where v = ¼ on a whole ray: the largest value is on an edge.
        """
        (a0, z0), (a1, z1), (a2, z2) = (
            (np.maximum(low, 0.0), np.maximum(high, 0.0))
            for low, high in (part.ends(cells) for part in (self.zero, self.one, self.two))
        )
        least = _extreme(np.fmin, [_variance(b0, z1, b2) for b0 in (a0, z0) for b2 in (a2, z2)])
        edges = [_variance(_best(a1, b2, a0, z0), a1, b2) for b2 in (a2, z2)]
        edges += [_variance(b0, a1, _best(a1, b0, a2, z2)) for b0 in (a0, z0)]
        most = _extreme(np.fmax, edges)
        unknown = ~(a0 + a1 + a2 > 0) | np.isnan(least) | np.isnan(most)
        return (
            np.where(unknown, 0.0, np.clip(least - _SLACK, 0.0, 0.25)),
            np.where(unknown, 0.25, np.clip(most + _SLACK, 0.0, 0.25)),
        )


def _variance(b0: Column, b1: Column, b2: Column) -> Column:
    """By shares of the whole, so that no product overflows."""
    with np.errstate(all="ignore"):
        whole = b0 + b1 + b2
        p0, p1, p2 = (np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan) for part in (b0, b1, b2))
        return p0 * p2 - p1 * p1 / 4


def _best(b1: Column, other: Column, low: Column, high: Column) -> Column:
    """Where in [low, high] the variance is largest, given b₁ and the other sum."""
    with np.errstate(all="ignore"):
        peak = b1 + other + np.where(b1 > 0, b1 * b1 / (2 * other), 0.0)
        return np.clip(np.where(np.isnan(peak), high, peak), low, high)


def _extreme(pick: np.ufunc, values: list[Column]) -> Column:
    return np.asarray(pick.reduce(np.stack(np.broadcast_arrays(*values))))
