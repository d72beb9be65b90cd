"""The region of released numbers: how far off each sum of them is, all at once."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.curator import Measured
from dalenius.curator.answer.spread import Spread
from dalenius.curator.formula import Formula
from dalenius.sql.after.regions.values import Between, Exact, MadeValue, OneOf, Value, is_number

_ANYWHERE = (-math.inf, math.inf)


@dataclass(slots=True)
class JointRegion:
    """Statements about the noise, each of which fails with probability at most `each`.

    Which statements are asked is a function of public facts: never of a released number. So their number is known in
    advance, and by a union bound all of them hold at once with probability 1 − each · their number. If none may fail
    (`each` is 0) nothing is known of any number: so statements are counted, without one being made.
    """

    columns: Mapping[str, Measured]
    each: Fraction
    asked: set[Any] = field(default_factory=set)
    _known: dict[Formula, tuple[float, float]] = field(default_factory=dict)
    _spread: Spread = field(init=False)
    counted: frozenset[str] = field(init=False)
    """Columns that count rows or people: none of the true numbers is below 0."""

    def __post_init__(self) -> None:
        self._spread = Spread(self.columns, self.each)
        self.counted = frozenset(name for name, column in self.columns.items() if column.counts)

    def formula(self, formula: Formula) -> tuple[float, float]:
        """Ends that hold a formula of the true numbers."""
        if formula not in self._known:
            self.asked |= formula.statements
            if not self.each and formula.statements:
                return self._known.setdefault(formula, _ANYWHERE)
            low, high = formula.ends(self._spread)
            ends = float(np.ravel(low)[0]), float(np.ravel(high)[0])
            self._known[formula] = _ANYWHERE if math.isnan(ends[0]) or math.isnan(ends[1]) else ends
        return self._known[formula]

    def ends(self, value: Value) -> tuple[float, float] | None:
        """Ends of a number, unless it is NULL; None of what is no number, or of which nothing is known."""
        if isinstance(value, MadeValue):
            return self.formula(value.formula)
        if isinstance(value, Between):
            return value.low, value.high
        listed = {value.point} if isinstance(value, Exact) else value.values if isinstance(value, OneOf) else {None}
        numbers = [one for one in listed if one is not None]
        if isinstance(value, OneOf) and not numbers:
            return 0.0, 0.0  # it is NULL, so any ends hold: which rule goes on must not depend on what was released
        if not numbers or not all(map(is_number, numbers)):
            return None
        return below(min(numbers)), above(max(numbers))


def below(value: Any) -> float:
    """A float that is no larger; a number that floats hold stays as it is."""
    return float(value) if Fraction(float(value)) <= Fraction(value) else math.nextafter(float(value), -math.inf)


def above(value: Any) -> float:
    """A float that is no smaller."""
    return -below(-value)


def nullable(value: Value) -> bool:
    """Whether a value may be NULL."""
    if isinstance(value, MadeValue | Between):
        return value.nullable
    if isinstance(value, Exact):
        return value.point is None
    return not isinstance(value, OneOf) or None in value.values


def never_null(value: Value) -> bool:
    """Whether public facts say that a value is not NULL."""
    return (isinstance(value, Exact) and value.point is not None) or (
        isinstance(value, MadeValue) and not value.nullable
    )


def outward(low: float, high: float) -> tuple[float, float]:
    """Ends that still hold what was computed with one rounding."""
    return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
