"""Convex terms beside a sum of losses that are free of the data: penalties with corners, and regions of weights."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dalenius.errors import InvalidParameter
from dalenius.learning.data.rows import Matrix

NEAREST_ERROR = 2.0**-46
"""How far `nearest` may be off in floats, as a part of 1 + ‖point‖₂."""
_EXACT_DIGITS = 400


@runtime_checkable
class ConvexTerm(Protocol):
    """A closed convex r(w), public, infinite outside of a closed convex region Θ; w has a column for each predictor."""

    def value(self, weights: Matrix) -> float:
        """r(w), for weights of Θ."""

    def nearest(self, point: Any, pace: Any) -> Any:
        """Argmin r(u) + ‖u − point‖²/(2·pace): within `NEAREST_ERROR` for floats, 2⁻²⁰⁰ for fractions in an array."""

    def facts(self) -> dict[str, Any]:
        """All that the law of a minimum depends on, as JSON holds it."""


@dataclass(frozen=True, slots=True)
class Separable:
    """Σ pullⱼ|wⱼ| over the weights of each row of w, which lie in [lowerⱼ, upperⱼ]; ±inf where there is no bound.

    On a line the least of a convex function in an interval is its least, moved into the interval: so `nearest` shortens
    by pace·pull, then clips.
    """

    pull: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.pull) == len(self.lower) == len(self.upper):
            raise InvalidParameter("pull, lower and upper must be of one length")
        if not all(0 <= value < math.inf for value in self.pull):
            raise InvalidParameter("a penalty must be a number ≥ 0")
        if not all(low <= high for low, high in zip(self.lower, self.upper, strict=True)):
            raise InvalidParameter("bounds of weights must not be reversed")

    def value(self, weights: Matrix) -> float:
        """Σ pull·|w|."""
        return float((np.array(self.pull)[:, None] * np.abs(weights)).sum())

    def nearest(self, point: Any, pace: Any) -> Any:
        """Shortened by pace·pull, then moved into the bounds."""
        if point.dtype == object:
            return np.array(
                [[self._exactly(v, pace, at) for v in row] for at, row in enumerate(point.tolist())], object
            )
        shorter = np.maximum(np.abs(point) - pace * np.array(self.pull)[:, None], 0.0)
        return np.clip(np.copysign(shorter, point), np.array(self.lower)[:, None], np.array(self.upper)[:, None])

    def _exactly(self, value: Fraction, pace: Fraction, at: int) -> Fraction:
        shorter = max(abs(value) - pace * Fraction(self.pull[at]), Fraction(0)) * (1 if value > 0 else -1)
        low, high = self.lower[at], self.upper[at]
        held = shorter if low == -math.inf else max(shorter, Fraction(low))
        return held if high == math.inf else min(held, Fraction(high))

    def facts(self) -> dict[str, Any]:
        """Penalties and bounds."""
        ends = {"lower": [repr(v) for v in self.lower], "upper": [repr(v) for v in self.upper]}
        return {"pull": list(self.pull)} | ends


@dataclass(frozen=True, slots=True)
class BallDomain:
    """0 where ‖w‖₂ ≤ radius: Θ is a ball about 0."""

    radius: float

    def __post_init__(self) -> None:
        if not 0 < self.radius < math.inf:
            raise InvalidParameter(f"the radius of a ball must be a number > 0, got {self.radius!r}")

    def value(self, weights: Matrix) -> float:
        """0 inside."""
        return 0.0

    def nearest(self, point: Any, pace: Any) -> Any:
        """The point, or where the line to it leaves the ball."""
        if point.dtype == object:
            square = sum((v * v for v in point.ravel()), Fraction(0))
            if square <= Fraction(self.radius) ** 2:
                return point
            unit = 1 << _EXACT_DIGITS
            above = Fraction(math.isqrt(math.ceil(square * unit * unit)) + 1, unit)
            return point * (Fraction(self.radius) / above)
        length = float(np.linalg.norm(point))
        return point if length <= self.radius else point * (self.radius / length)

    def facts(self) -> dict[str, Any]:
        """The radius."""
        return {"ball": self.radius}
