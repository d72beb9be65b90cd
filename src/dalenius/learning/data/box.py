"""Declared bounds, and rows scaled by them into the unit ball as whole numbers.

Every step works on one row alone and in arithmetic that does not depend on where the row stands: IEEE's basic
operations element by element, and sums of whole numbers below 2⁵³, which are exact in any order. So adding, removing
or changing a row changes nothing about the others, and the bound on a row holds exactly, not up to rounding.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning.data.rows import Matrix

_FINE = 18
"""A coordinate of the box [−1, 1] is cut to multiples of 2⁻¹⁸ before norms are taken."""
_SLACK = 1 - 2.0**-48
"""The row's factor is computed by four roundings of relative 2⁻⁵³ each; this covers them."""
_MOST_FEATURES = 1 << 13


@dataclass(frozen=True, slots=True)
class Box:
    """Public bounds of every feature.

    A value is moved into its bounds and the bounds are mapped to [−1, 1]; what is no number counts as the middle.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    @classmethod
    def declare(cls, bounds: Any, features: int) -> "Box":
        """From (lower, upper), each a number or one number for each feature."""
        if bounds is None:
            raise UnboundedQuery(
                "bounds=(lower, upper) is missing: state from public knowledge between which values each feature lies"
            )
        if features > _MOST_FEATURES:
            raise InvalidParameter(f"at most {_MOST_FEATURES} features are supported, got {features}")
        if not isinstance(bounds, tuple | list | np.ndarray) or len(bounds) != 2:
            raise InvalidParameter("bounds must be (lower, upper), each a number or one number for each feature")
        ends = [_end(name, end, features) for name, end in zip(("lower", "upper"), bounds, strict=True)]
        if any(low > high for low, high in zip(*ends, strict=True)):
            raise InvalidParameter("bounds must not be reversed: each lower bound must be ≤ its upper bound")
        return cls(*ends)

    @property
    def features(self) -> int:
        """How many columns."""
        return len(self.lower)

    @property
    def middle(self) -> Matrix:
        """The centre of each feature."""
        return np.array([low / 2 + high / 2 for low, high in zip(self.lower, self.upper, strict=True)])

    @property
    def half(self) -> Matrix:
        """Half the width of each feature; 1 where the bounds are one number, whose column is then 0."""
        widths = [high / 2 - low / 2 for low, high in zip(self.lower, self.upper, strict=True)]
        return np.array([width if width > 0 else 1.0 for width in widths])

    def scaled(self, features: Matrix) -> Matrix:
        """The features in [−1, 1], NaN as 0."""
        with np.errstate(all="ignore"):
            held = np.minimum(np.maximum(features, np.array(self.lower)), np.array(self.upper))
            place = (held - self.middle) / self.half
            place[np.isnan(place)] = 0.0
            inside: Matrix = np.minimum(np.maximum(place, -1.0), 1.0)
        return inside

    def facts(self) -> dict[str, Any]:
        """The bounds, as JSON holds them."""
        return {"lower": list(self.lower), "upper": list(self.upper)}


@dataclass(frozen=True, slots=True)
class UnitRows:
    """Rows of a box, with a constant beside them if there is an intercept, held in a ball and scaled into the unit one.

    A row longer than `radius` is shrunk to it, constant included, which keeps the sign of every linear function;
    `shares` says by how much, so that predictions do as training did. `held` is the radius; left out, it is `full`,
    and no row of the box is shrunk. Then all are divided by it. Whole numbers of steps 2⁻ᵇ, b = `digits`, cut toward
    zero: every row has length at most 2ᵇ exactly.
    """

    box: Box
    digits: int
    intercept: bool = True
    centre: tuple[float, ...] | None = None
    held: float | None = None

    @property
    def width(self) -> int:
        """How many coordinates a row has."""
        return self.box.features + self.intercept

    @property
    def narrow(self) -> float:
        """√(d/3 + 1), d/3 the mean square length of a row that is uniform in the box; about a centre half of that."""
        return math.sqrt(self.box.features / 3 + 1) * (1.0 if self.centre is None else 0.5)

    @property
    def full(self) -> float:
        """The length of a corner of the box with its constant: √(d + 1), or what it is about a public `centre`."""
        if self.centre is None:
            return math.sqrt(self.box.features + self.intercept)
        farthest = math.sqrt(sum((1 + min(1.0, abs(value))) ** 2 for value in self.centre))
        return farthest * (2 / math.sqrt(3) if self.intercept else 1.0) * (1 + 2.0**-40)

    @property
    def radius(self) -> float:
        """The length that no row exceeds."""
        return self.full if self.held is None else self.held

    @property
    def constant(self) -> float:
        """What stands beside the features for the intercept."""
        return 1.0 if self.centre is None else self.radius / 2

    def steps(self, features: Matrix) -> Matrix:
        """Whole numbers in floats, each row of ℓ2 length at most 2^digits."""
        fine = self._fine(features)
        whole: Matrix = np.trunc(fine * ((2.0 ** (self.digits - _FINE) * _SLACK) / self._lengths(fine))[:, None])
        return whole

    def steps_with(self, features: Matrix, target: Matrix, weight: Matrix | None = None) -> tuple[Matrix, Matrix]:
        """Also a target of [−1, 1], shrunk as its row is so that a linear relation stays; without target no row.

        With a weight of [0, 1] both are also multiplied by its root, so that products of the two carry the weight.
        """
        fine = self._fine(features)
        lengths = self._lengths(fine)
        share = np.full(len(fine), _SLACK) if weight is None else _SLACK * np.sqrt(weight)
        rows = np.trunc(fine * (2.0 ** (self.digits - _FINE) * share / lengths)[:, None])
        beside = np.trunc(target * (2.0**self.digits * share * self.radius / lengths))
        absent = np.isnan(target)
        rows[absent], beside[absent] = 0.0, 0.0
        return rows, beside

    def shares(self, features: Matrix) -> Matrix:
        """What training shrinks each row by, at most 1: scores are linear in the row that is left."""
        shares: Matrix = self.radius / self._lengths(self._fine(features))
        return shares

    def _fine(self, features: Matrix) -> Matrix:
        fine: Matrix = np.trunc(self.box.scaled(features) * 2.0**_FINE)
        if self.centre is not None:
            fine -= np.trunc(np.clip(np.array(self.centre), -1.0, 1.0) * 2.0**_FINE)
        if self.intercept:
            fine = np.column_stack([fine, np.full(len(fine), np.trunc(self.constant * 2.0**_FINE))])
        return fine

    def _lengths(self, fine: Matrix) -> Matrix:
        """Each row's length, or the radius if it is shorter."""
        squares = (fine * fine).sum(axis=1)  # at most 2³⁸ · 2¹³ and the constant's: exact in any order
        lengths: Matrix = np.maximum(np.sqrt(squares) * 2.0**-_FINE, self.radius)
        return lengths

    def unscaled(self, weights: Matrix) -> tuple[Matrix, Matrix]:
        """(coefficients, intercepts) in the units of the data, of weights on rows of the unit ball; one set a row.

        w · (z − centre, constant)/radius with z = (x − middle)/half, for rows that are not shrunk.
        """
        spread = weights / self.radius
        features = spread[:, : self.box.features]
        coefficients = features / self.box.half
        constant = spread[:, self.box.features] * self.constant if self.intercept else np.zeros(len(spread))
        if self.centre is not None:
            constant = constant - features @ np.clip(np.array(self.centre), -1.0, 1.0)
        return coefficients, constant - coefficients @ self.box.middle


def _end(name: str, end: Any, features: int) -> tuple[float, ...]:
    try:
        values = np.asarray(end, np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if values.ndim > 1 or (values.ndim == 1 and len(values) != features):
        raise InvalidParameter(f"the {name} bounds must be a number, or one for each of the {features} features")
    if not np.all(np.isfinite(values)) or np.any(np.abs(values) > 1e150):
        raise InvalidParameter(f"the {name} bounds must be finite numbers within ±1e150")
    filled: NDArray[np.float64] = np.broadcast_to(values, features)
    return tuple(float(value) for value in filled)
