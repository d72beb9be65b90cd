"""A multiset of pairs: what is composed, seen as one."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from dalenius.guarantees.loss.pair import Pair
from dalenius.numerics import ball, float_above, lower, precision, upper


@dataclass(frozen=True)
class LossComposition:
    """Independent pairs, each `count` times: P = ∏ P_i against Q = ∏ Q_i, so losses add  [A Thm 14.2, A Prop 14.2].

    Gaussian pairs are one Gaussian pair, whose μ² is the sum  [A §13.8 GDP composition].
    """

    parts: tuple[tuple[Pair, int], ...]

    @classmethod
    def of(cls, parts: Iterable[tuple[Pair, int]]) -> "LossComposition":
        """Equal pairs are counted together, whatever the order."""
        counts: dict[Pair, int] = {}
        for pair, count in parts:
            counts[pair] = counts.get(pair, 0) + count
        return cls(tuple((pair, count) for pair, count in counts.items() if count))

    @cached_property
    def gaussian_square(self) -> Fraction:
        """μ² of all Gaussian pairs together."""
        return sum((count * pair.gaussian for pair, count in self.parts if pair.gaussian is not None), Fraction(0))

    @cached_property
    def gaussian(self) -> float:
        """The nearest float to that."""
        return float(self.gaussian_square)

    @cached_property
    def others(self) -> tuple[tuple[Pair, int], ...]:
        """What is not Gaussian."""
        return tuple((pair, count) for pair, count in self.parts if pair.gaussian is None)

    @cached_property
    def infinite(self) -> tuple[float, float]:
        """Bounds on the mass at an infinite loss, 1 − ∏(1 − δ_i)^count."""
        lost = math.fsum(count * pair.lost for pair, count in self.parts) * (1 + 1e-8)
        if not any(pair.infinite for pair, _ in self.parts):
            return 0.0, lost
        if any(pair.infinite == 1 for pair, _ in self.parts):
            return 1.0, 1.0
        with precision(1400):  # 1e-330 against 1
            kept = ball(1)
            for pair, count in self.parts:
                kept *= (count * ball(1 - pair.infinite).log()).exp()
            return max(0.0, lower(1 - kept)), upper(1 - kept + ball(lost))

    def cut(self, mass: float) -> "LossComposition":
        """Without rare losses that are far too large: about `mass` is lost in all, and δ falls by no more."""
        steps = sum(count for _, count in self.others)
        return LossComposition(
            tuple((pair if pair.gaussian else pair.cut(mass / steps), count) for pair, count in self.parts)
        )

    @cached_property
    def bound(self) -> Fraction | None:
        """No finite loss is larger than this, exactly; None where some pair has no such bound."""
        bounds = [(pair.bound, count) for pair, count in self.parts]
        known = [count * bound for bound, count in bounds if bound is not None]
        return sum(known, Fraction(0)) if len(known) == len(bounds) else None

    @cached_property
    def laplace(self) -> tuple[Fraction, int] | None:
        """ε and how many, if all pairs are one and the same Laplace pair."""
        if len(self.parts) != 1 or self.parts[0][0].laplace is None:
            return None
        return self.parts[0][0].laplace, self.parts[0][1]

    @cached_property
    def largest(self) -> float:
        """An upper bound on the finite losses; +inf if there is none."""
        if any(pair.infinite == 1 for pair, _ in self.parts):
            return 0.0
        total = math.inf if self.gaussian else 0.0
        for pair, count in self.others:
            total += count * largest_loss(pair)
        rounded_up = total * (1 + 1e-12) if total > 0 else total
        return rounded_up if self.bound is None else min(rounded_up, float_above(self.bound))


def largest_loss(pair: Pair) -> float:
    """The largest finite loss of a pair, about; +inf if there is none."""
    ends = [each.loss for each in pair.atoms]
    for piece in pair.pieces:
        end = piece.hi if piece.mixed_first else piece.lo
        if not piece.mixed_first and end == -math.inf and piece.rest > 0:
            ends.append(-math.log(piece.rest))
        elif math.isinf(end):
            return math.inf
        else:
            ends.append(float(piece.loss(np.array([end]))[0]))
    return max(ends)
