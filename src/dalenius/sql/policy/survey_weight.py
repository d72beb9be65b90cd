"""A survey weight: how many of a population each row of a sample stands for, `weight = {column = "w", most = 50}`."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.calls import check_mapping
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.numerics import Number, rational
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind

EXAMPLE = "{'column': 'w', 'most': 50}"
_FARTHEST = 10**100


@dataclass(frozen=True, slots=True)
class SurveyWeight:
    """The column that holds the weight of a row, and the largest that counts: each is held in [0, `most`].

    A weight that is NULL, NaN or negative is 0, so its row counts for nothing. `most` is as the owner wrote it: noise
    grows with it.
    """

    column: str
    most: Number

    @classmethod
    def declared(cls, given: Any) -> "SurveyWeight | None":
        """What the owner wrote, checked for its form; None where nothing was written."""
        check_mapping(given, "weight", EXAMPLE)
        if given is None:
            return None
        if set(given) != {"column", "most"} or not isinstance(given["column"], str):
            raise InvalidParameter(f"weight must be like {EXAMPLE}: the column, and the largest weight that counts")
        return cls(given["column"], given["most"])

    @escaped
    def __str__(self) -> str:
        return f"the weight {self.column}, held from 0 to {self.most}"

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """What every weight is held in."""
        return Fraction(0), rational(self.most, "the largest weight")

    def check(self, columns: Mapping[str, str], unit: str | None, *, bounds_more: bool) -> None:
        """Refuse a weight that is no number, and terms that speak of what rows add without one."""
        if kind_of(columns[self.column]) is not Kind.NUMBER or self.column == unit:
            raise InvalidParameter(f"{self.column!r} is a column of {columns[self.column]}: a weight is a number")
        if not 0 < self.bounds[1] <= _FARTHEST:
            raise InvalidParameter(f"the largest weight must lie above 0 and up to 1e100, got {self.most!r}")
        if bounds_more:
            raise InvalidParameter(
                "most_rows, limits and bounds of SUM(…) speak of rows that count as one: leave them out beside weight"
            )

    def to_terms(self) -> dict[str, Any]:
        """As a policy file keeps it."""
        return {"column": self.column, "most": self.most}
