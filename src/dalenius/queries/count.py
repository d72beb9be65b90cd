"""How many rows there are, in all or for each public key."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries.bounded import one_row
from dalenius.queries.keys import Key, Keys
from dalenius.queries.view import Table, row_values


@dataclass(frozen=True, slots=True)
class Count:
    """COUNT(*), or a histogram over disjoint public keys."""

    keys: Keys | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """One part."""
        return ("value",)

    @property
    def lattice(self) -> Lattice:
        """Whole rows."""
        return INTEGERS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """One count, or one for each key in the order declared."""
        if self.keys is None:
            return np.array([len(view)], np.int64)
        return _matches(view.column(self.keys.column), self.keys.values)

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """One row added moves one cell by 1; one row changed leaves a cell and enters another  [A Ex 3.3, A Ex 3.4].

        With a single declared cell there is no other to enter, and the number of all rows is public under CHANGE_ONE.
        """
        one_row(unit, "COUNT(*)")
        if unit.relation is Relation.ADD_REMOVE:
            return Sensitivity(1, Metric.L1)
        return Sensitivity(0 if self.keys is None else min(2, len(self.keys)), Metric.L1)

    def facts(self) -> dict[str, Any]:
        """The keys."""
        return {"query": "count", "keys": None if self.keys is None else self.keys.facts()}

    def __str__(self) -> str:
        return (
            "COUNT(*)" if self.keys is None else f"COUNT(*) for each of {len(self.keys)} values of {self.keys.column}"
        )


def _matches(column: NDArray[Any], values: tuple[Key, ...]) -> NDArray[np.int64]:
    """How often each value occurs, whatever else the column holds."""
    if column.dtype.kind in "biuf":
        with np.errstate(all="ignore"):  # a warning is an output too
            # compared in single precision, one row could equal two keys
            numbers = column.astype(np.float64) if column.dtype.kind == "f" else column
            return np.array([0 if isinstance(v, str) else np.count_nonzero(numbers == v) for v in values], np.int64)
    counts: dict[Any, int] = dict.fromkeys(values, 0)
    for value in row_values(column):
        # lists and other unhashable things in a column of objects are rows with an undeclared key
        if isinstance(value, str | int | float) and value in counts:
            counts[value] += 1
    return np.array(list(counts.values()), np.int64)
