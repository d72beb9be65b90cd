"""Parameters that several protocols and estimates take, checked in one place."""

from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.numerics import Number, probability

LEVEL = Fraction(95, 100)
"""The level of intervals if none is asked for."""


def inner_level(level: Number) -> float:
    """A level strictly between 0 and 1."""
    inside = float(probability(level, "level"))
    if not 0 < inside < 1:
        raise InvalidParameter(f"level must lie in (0, 1), got {level}")
    return inside


def normal_radius(level: Number, together: int = 1) -> float:
    """Standard errors to either side that hold `together` normal estimates at once, by Bonferroni."""
    return -NormalDist().inv_cdf((1 - inner_level(level)) / (2 * together))


def whole_number(value: int, name: str, least: int = 0, most: int | None = None) -> int:
    """A whole number within its limits."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        limits = f"≥ {least}" if most is None else f"from {least} to {most}"
        raise InvalidParameter(f"{name} must be a whole number {limits}, got {value!r}")
    return value


def floats(value: Any) -> NDArray[np.float64]:
    """Numbers as an array; anything else is refused without being repeated."""
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise UnknownName("the value is not a number, or not numbers alone") from None
