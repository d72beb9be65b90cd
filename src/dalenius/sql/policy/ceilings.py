"""Ceilings that the owner declares: how many rows a person owns at most, and how far values reach.

They cost nothing and change no noise: they say what an answer without bounds could be at most, so that an interval of
it exists (docs/theory/whole-error.md). The view enforces them person by person: in the *whole* answer the rows of a
unit weigh least(1, most_rows / n), and a value outside of its limits counts as the nearest of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.numerics import rational
from dalenius.sql.policy.by_table import DeclaredBounds
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind

MOST_ROWS = 10**6
"""The largest `most_rows`: up to here the rounding of a unit's weights takes less than one row from it."""


@dataclass(frozen=True, slots=True)
class Ceilings:
    """`most_rows` of a unit, and for columns the least and the largest value that counts in the whole answer."""

    most_rows: int | None = None
    limits: Mapping[str, DeclaredBounds] = field(default_factory=dict)

    def check(
        self,
        columns: Mapping[str, str],
        bounds: Mapping[str, DeclaredBounds],
        unit: str | None,
        contributions: int | None,
        rows_per_unit: str | None,
    ) -> None:
        """Refuse ceilings that are none, or that lie inside of what counts already."""
        most: Any = self.most_rows
        if most is not None:
            if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST_ROWS:
                raise InvalidParameter(f"most_rows must be a whole number from 1 to {MOST_ROWS:,}, got {most!r}")
            if (unit is None or rows_per_unit == "one") and most != 1:
                raise InvalidParameter(f"each unit owns one row here: leave most_rows out, got {most}")
            if contributions is not None and contributions > most:
                raise InvalidParameter(
                    f"contributions = {contributions} is more than most_rows = {most}: no unit owns so many rows"
                )
        for name, ends in self.limits.items():
            _check_limits(name, ends, columns, bounds)

    def limits_of(self, name: str) -> tuple[Fraction, Fraction] | None:
        """The ends of a column's values, if they are declared."""
        ends = self.limits.get(name)
        return None if ends is None else (rational(ends[0], "limits"), rational(ends[1], "limits"))


def _check_limits(
    name: str, ends: DeclaredBounds, columns: Mapping[str, str], bounds: Mapping[str, DeclaredBounds]
) -> None:
    if kind_of(columns[name]) is not Kind.NUMBER:
        raise InvalidParameter(f"limits of {name!r} mean nothing: it holds no numbers")
    if name not in bounds:
        raise InvalidParameter(f"limits of {name!r} are for values beyond its bounds: declare bounds for it as well")
    low, high = (rational(end, "limits") for end in ends)
    inner_low, inner_high = (rational(end, "bounds") for end in bounds[name])
    if not low <= inner_low <= inner_high <= high or max(abs(low), abs(high)) > Fraction(10) ** 100:
        raise InvalidParameter(
            f"limits of {name!r} must hold its bounds {inner_low} to {inner_high} and lie within ±1e100, got {ends!r}"
        )
