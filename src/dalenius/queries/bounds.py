"""Declared bounds of a column, and the declared rule for rows without a number."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from dalenius.calls import shown
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.numerics import Number, rational

Missing = Literal["drop", "nearest"] | Number
"""For a row that holds no number (NULL, NaN, text): "drop" it, count it as the number in the bounds that is "nearest"
to zero, or as a number given."""

Ends = tuple[Number, Number]
_LARGEST, _LEAST = Fraction(2) ** 900, Fraction(1, 2**900)


@dataclass(frozen=True, slots=True, init=False)
class Bounds:
    """The interval that each row's number is held in, and what stands in for a missing one (None: the row is dropped).

    Infinities are held to the bounds like every other number. The rule is the same for every row.

    >>> Bounds.of("age", (0, 100)).width
    Fraction(100, 1)
    """

    lower: Fraction
    upper: Fraction
    fill: Fraction | None

    def __init__(self, column: str, ends: Any, missing: Missing = "drop") -> None:
        if ends is None:
            raise UnboundedQuery(f"{column!r} needs bounds: declare (lowest, highest) for a row")
        try:
            low, high = ends
        except (TypeError, ValueError):
            raise InvalidParameter(f"bounds of {column!r} must be (lowest, highest), got {shown(ends)}") from None
        lower, upper = rational(low, f"bounds of {column!r}"), rational(high, f"bounds of {column!r}")
        if lower > upper:
            raise InvalidParameter(f"bounds of {column!r} must not be reversed, got ({low}, {high})")
        most = max(abs(lower), abs(upper))
        if most > _LARGEST or 0 < most < _LEAST or 0 < upper - lower < _LEAST:
            raise InvalidParameter(f"bounds of {column!r} must have sizes from 2^-900 to 2^900: rescale the data")
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "fill", self._rule(column, missing))

    @classmethod
    def of(cls, column: str, ends: Any, missing: Missing = "drop") -> "Bounds":
        """The bounds as people write them."""
        return cls(column, ends, missing)

    @property
    def width(self) -> Fraction:
        """How far apart the ends are."""
        return self.upper - self.lower

    def facts(self) -> dict[str, Any]:
        """Both ends and the rule, exactly."""
        return {"lower": str(self.lower), "upper": str(self.upper), "missing": missing_fact(self.fill)}

    def __str__(self) -> str:
        return f"[{self.lower}, {self.upper}]"

    def _rule(self, column: str, missing: Missing) -> Fraction | None:
        if isinstance(missing, str) and missing == "drop":
            return None
        if isinstance(missing, str) and missing == "nearest":
            return min(max(Fraction(0), self.lower), self.upper)
        number = rational(missing, f"missing of {column!r}")
        if not self.lower <= number <= self.upper:
            raise InvalidParameter(f"missing of {column!r} must be 'drop' or a number within {self}, got {missing}")
        return number


def missing_fact(fill: Fraction | None) -> str:
    """The rule as JSON holds it."""
    return "drop" if fill is None else str(fill)
