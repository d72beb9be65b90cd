"""Canonical noise: for any trade-off function, the additive noise that attains it everywhere."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Self

from flint import arb, ctx

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import ApproxDP, Guarantee, Polyline, PureDP, TradeOff
from dalenius.mechanisms.scalar import ScalarMechanism
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Lattice
from dalenius.noise.inverted import FAR, InvertedLaw, lattice_for
from dalenius.numerics import Number, ball, positive, stored_fraction

_HALF = Fraction(1, 2)
_CELLS = Fraction(32)


@dataclass(frozen=True, slots=True, init=False)
class CanonicalNoise(ScalarMechanism):
    """Release x + width·N, N the canonical noise of a symmetric trade-off function f of finitely many lines  [AV23].

    >>> from dalenius.neighbors import Metric
    >>> f = Polyline([(0, 1), ("1/4", "1/4"), (1, 0)])
    >>> CanonicalNoise(f, 1).guarantee(Sensitivity(1, Metric.L1)).floor == f
    True
    """

    f: Polyline
    width: Fraction
    lattice: Lattice

    name: ClassVar[str] = "canonical"

    def __init__(self, f: Polyline, width: Number, lattice: Lattice | None = None) -> None:
        if not isinstance(f, Polyline) or f.inverse() != f:
            raise InvalidParameter("canonical noise needs a symmetric trade-off function as a Polyline")
        if fixed_point(f) == _HALF:
            raise InvalidParameter("f is 1 − α: no finite noise hides everything")
        object.__setattr__(self, "f", f)
        object.__setattr__(self, "width", positive(width, "width"))
        reach = FAR * self.width / (1 - 2 * fixed_point(f))  # F falls by c/(1 − c) a width: see second_moment
        object.__setattr__(self, "lattice", lattice_for(self.width, reach, lattice))

    @property
    def noise(self) -> "CanonicalLaw":
        """The canonical law of f."""
        return CanonicalLaw(self.f, self.width, self.lattice)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> TradeOff | PureDP:
        """f-DP for a move of at most one width, its k-th chain for k widths  [AV23, A Thm 13.3]."""
        widths = math.ceil(sensitivity.l1 / self.width)
        return TradeOff(self.f, relation).group(widths) if widths else PureDP(0, relation)

    def facts(self) -> dict[str, str]:
        """Name, width, lattice and the vertices of f."""
        return {
            "name": self.name,
            "f": " ".join(f"{x},{y}" for x, y in self.f.vertices),
            "width": str(self.width),
            "lattice": str(self.lattice.exponent),
        }

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        vertices = [point.split(",") for point in facts["f"].split()]
        f = Polyline((stored_fraction(x), stored_fraction(y)) for x, y in vertices)
        return cls(f, stored_fraction(facts["width"]), Lattice(int(facts["lattice"])))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Width Δ, and a polyline on or above the target's, within 2⁻¹²⁸: less noise breaks it  [AV23]."""
        if isinstance(target, TradeOff) and target.floor == target.ceiling:
            return cls(target.floor, moved(sensitivity))
        if not isinstance(target, PureDP | ApproxDP):
            raise UnprovenClaim(f"canonical noise is for (ε, δ) and for trade-off functions of lines, got {target!r}")
        return cls(target.tradeoff().ceiling, moved(sensitivity))


@dataclass(frozen=True, slots=True)
class CanonicalLaw(InvertedLaw):
    """step · round(width · N / step), N with the cdf F of [AV23].

    F(x) = c(½ − x) + (1 − c)(x + ½) on [−½, ½], c = f(c); F(x) = f(1 − F(x + 1)) below; F(−x) = 1 − F(x). The
    threshold test of N against N + 1 at x has level 1 − F(x) and misses F(x − 1) = f(1 − F(x)): f itself.
    """

    f: Polyline
    width: Fraction
    lattice: Lattice

    def beyond(self, z: Fraction) -> arb:
        """2 F(−z / width)."""
        low, high = self._below(-z / self.width)
        return ball(2 * low).union(ball(2 * high))

    def _below(self, x: Fraction) -> tuple[Fraction, Fraction]:
        """Numbers around F(x) for x ≤ 0: v → f(1 − v) grows, so each end is followed by itself, rounded outward.

        Exactly, F would gain as many digits each width as f has, thousands of them far out.
        """
        times = max(0, math.ceil(-_HALF - x))
        c = fixed_point(self.f)
        low = high = c * (_HALF - x - times) + (1 - c) * (x + times + _HALF)
        for _ in range(times):
            if high == 0:
                break
            low, high = _outward(self.f(1 - low), self.f(1 - high), ctx.prec)
        return low, high

    def second_moment(self) -> arb:
        """4∫ x F(−x) dx, at most: F at the left end of each 1/32 of a width, and a geometric rest.

        f is convex with f(c) = c and f(1) = 0, so f(1 − α) ≤ α·c/(1 − c) for α ≤ c: from −½ on F falls by that a width.
        """
        c, total, x = fixed_point(self.f), Fraction(0), Fraction(0)
        fall = c / (1 - c)
        while x < _CELLS * 8:
            value = self._below(-x)[1].limit_denominator(2**64) + Fraction(1, 2**63)
            total += 4 * value * (2 * x + 1 / _CELLS) / (2 * _CELLS)
            x += 1 / _CELLS
        rest = 4 * value * (x + 1) * (x + 2) / (1 - fall) ** 3
        return ball(self.width) ** 2 * ball(total + rest)


def _outward(low: Fraction, high: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """The two ends with no more than about twice so many digits."""
    if high == 0 or max(low.denominator, high.denominator).bit_length() <= 2 * digits:
        return low, high
    shift = digits + max(0, high.denominator.bit_length() - high.numerator.bit_length())
    unit = 1 << shift
    return Fraction(math.floor(low * unit), unit), Fraction(math.ceil(high * unit), unit)


@lru_cache(maxsize=64)
def fixed_point(f: Polyline) -> Fraction:
    """The c with f(c) = c."""
    for (x0, y0), (x1, y1) in itertools.pairwise(f.vertices):
        if y1 <= x1:
            # x0 + s(x1 − x0) = y0 + s(y1 − y0)
            s = (y0 - x0) / ((y0 - x0) - (y1 - x1))
            return x0 + s * (x1 - x0)
    raise InvalidParameter("a trade-off function meets the diagonal")
