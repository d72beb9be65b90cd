"""Bounds of what one person's rows add up to: `bounds={"SUM(amount)": (0, 10_000)}`, or "private" to have it found."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.calls import shown
from dalenius.errors import InvalidParameter
from dalenius.numerics import rational

PRIVATE = "private"
_SUM = re.compile(r"\s*SUM\s*\(\s*(.*?)\s*\)\s*", re.IGNORECASE | re.DOTALL)
_FARTHEST = 10**100
MOST_TIMES = 10**6
"""How many times the bound of a row that of a person's sum may be, or be below it."""


@dataclass(frozen=True, slots=True)
class SumBound:
    """The most that one person's rows of a column of the first table add up to, in absolute value.

    `ends` are as the owner wrote them. `most` is None where the bound is to be found from a released histogram.
    """

    column: str
    ends: Any
    most: Fraction | None

    def __str__(self) -> str:
        return "a bound found privately" if self.is_found else f"up to {float(self.most or 0):g}"

    @property
    def is_found(self) -> bool:
        """Whether a released histogram tells it, and not the owner."""
        return bool(self.ends == PRIVATE)

    @classmethod
    def declared(cls, column: str, ends: Any) -> "SumBound":
        """What the owner wrote for SUM(column), checked."""
        if ends == PRIVATE:
            return cls(column, PRIVATE, None)
        if isinstance(ends, str) or not isinstance(ends, list | tuple) or len(ends) != 2:
            raise InvalidParameter(
                f"bounds of 'SUM({column})' must be (lowest, highest) or 'private', got {shown(ends)}"
            )
        low, high = rational(ends[0], "bounds"), rational(ends[1], "bounds")
        most = max(abs(low), abs(high))
        if not low <= high or not 0 < most <= _FARTHEST:
            raise InvalidParameter(
                f"bounds of 'SUM({column})' must be (lowest, highest) within ±1e100 and not both 0, got {ends!r}"
            )
        return cls(column, tuple(ends), most)

    def check(self, low: Fraction, high: Fraction) -> None:
        """Refuse a bound that is too far from those of one row to be counted in whole steps of both."""
        row = max(abs(low), abs(high))
        if self.most is not None and row and not 1 <= self.most / row * MOST_TIMES <= MOST_TIMES**2:
            raise InvalidParameter(
                f"bounds of 'SUM({self.column})' must lie within a million times those of one row, got {self.ends!r}"
            )


def summed_column(name: str) -> str | None:
    """The column of a name like SUM(amount), its quotes taken off; None of the name of a column."""
    match = _SUM.fullmatch(name)
    if match is None:
        return None
    column = match[1]
    return column[1:-1].replace('""', '"') if column.startswith('"') and column.endswith('"') else column


def split_bounds(bounds: Mapping[str, Any] | None, columns: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The bounds of columns, and those of sums by the column that is summed; a column may be called like a sum."""
    own, sums = {}, {}
    known = {column.lower() for column in columns}
    for name, ends in (bounds or {}).items():
        column = None if name.lower() in known else summed_column(name)
        if column is None:
            own[name] = ends
        else:
            sums[column] = ends
    return own, sums
