"""The sum of a column, each row's part held between declared bounds."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries.bounded import one_row
from dalenius.queries.keys import Keys
from dalenius.queries.view import EXACT, Table, row_values

_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, init=False)
class Sum:
    """SUM(column) of whole numbers: each row is cut to a whole number toward zero, then held in [lower, upper].

    What is no number (NULL, NaN, text) counts as the number within the bounds that is nearest to zero.
    """

    column: str
    lower: int
    upper: int

    def __init__(self, column: str, bounds: tuple[int, int] | None) -> None:
        if bounds is None:
            raise UnboundedQuery(f"SUM({column}) needs bounds: declare (lowest, highest) for a row")
        low, high = (_whole(column, end) for end in bounds)
        if low > high:
            raise InvalidParameter(f"bounds of {column!r} must not be reversed, got ({low}, {high})")
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)

    @property
    def keys(self) -> Keys | None:
        """One number."""
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """One part."""
        return ("value",)

    @property
    def lattice(self) -> Lattice:
        """Whole numbers."""
        return INTEGERS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The sum of the held rows, exact, then held inside int64 (which brings no two answers further apart)."""
        parts = self._held(view.column(self.column))
        # two halves, so that neither can wrap for fewer than 2³¹ rows
        total = (int((parts >> 32).sum()) << 32) + int((parts & 0xFFFFFFFF).sum())
        return np.array([min(max(total, _LEAST), _LARGEST)], np.int64)

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """ADD_REMOVE: max(|lower|, |upper|); CHANGE_ONE: upper − lower, as the notes print for both  [A Rem 3.9]."""
        one_row(unit, f"SUM({self.column})")
        if unit.relation is Relation.ADD_REMOVE:
            return Sensitivity(max(abs(self.lower), abs(self.upper)), Metric.L1)
        return Sensitivity(self.upper - self.lower, Metric.L1)

    def facts(self) -> dict[str, Any]:
        """Column and bounds."""
        return {"query": "sum", "column": self.column, "lower": self.lower, "upper": self.upper}

    def __str__(self) -> str:
        return f"SUM({self.column}) with each row held in [{self.lower}, {self.upper}]"

    def _held(self, column: NDArray[Any]) -> NDArray[np.int64]:
        if column.dtype.kind in "bu":
            return np.clip(np.minimum(column.astype(np.uint64), EXACT).astype(np.int64), self.lower, self.upper)
        if column.dtype.kind == "i":
            return np.clip(column.astype(np.int64), self.lower, self.upper)
        numbers = (
            column if column.dtype.kind == "f" else np.array([_number(value) for value in row_values(column)], float)
        )
        with np.errstate(all="ignore"):  # a warning is an output too
            cut = np.trunc(np.clip(numbers.astype(np.float64), -EXACT, EXACT))
        nearest_zero = min(max(0, self.lower), self.upper)
        return np.clip(np.where(np.isnan(cut), nearest_zero, cut).astype(np.int64), self.lower, self.upper)


def _number(value: Any) -> float:
    """The number that an object is, held where floats are exact, or NaN; never an error."""
    if isinstance(value, int):
        return float(min(max(value, -EXACT), EXACT))
    try:
        return float(value) if isinstance(value, float | Decimal) else math.nan
    except (ValueError, OverflowError):  # a signalling Decimal
        return math.nan


def _whole(column: str, end: Any) -> int:
    if isinstance(end, bool) or not isinstance(end, int | np.integer) or abs(int(end)) > EXACT:
        raise InvalidParameter(f"bounds of {column!r} must be whole numbers within ±2^53, got {end!r}")
    return int(end)
