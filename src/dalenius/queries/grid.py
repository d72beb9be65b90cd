"""Put the numbers of a column on a public grid."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Unit
from dalenius.queries.bounds import Bounds, Ends, Missing
from dalenius.queries.identity import identities
from dalenius.queries.numbers import doubles, readable
from dalenius.queries.reach import scalar
from dalenius.queries.view import Table
from dalenius.queries.weights import ONE, Contributions

MOST_CELLS = 1 << 30
_CHUNK = 1 << 15


@dataclass(frozen=True, slots=True, init=False)
class Grid:
    """The cell of each final row, of `cells` equal ones in [lower, upper], and its weight.

    A number outside counts in the nearest end cell, infinities too; what is no number (NULL, NaN, text) follows the
    rule `missing`. The cell depends on the row's own number alone. It is found in doubles, so a number within a few
    ulps of an edge may be put on either side of it: the same for every row that holds it.
    """

    column: str
    bounds: Bounds
    cells: int
    contributions: Contributions | None

    def __init__(
        self,
        column: str,
        bounds: Ends | None,
        cells: int,
        contributions: Contributions | None = None,
        missing: Missing = "drop",
    ) -> None:
        held = Bounds(column, bounds, missing)
        if not float(held.lower) < float(held.upper):
            raise InvalidParameter(f"bounds of {column!r} must differ from each other, got {held}")
        if isinstance(cells, bool) or not isinstance(cells, int) or not 1 <= cells <= MOST_CELLS:
            raise InvalidParameter(f"cells must be a whole number from 1 to 2^30, got {cells!r}")
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bounds", held)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "contributions", contributions)

    @property
    def row(self) -> int:
        """The weight of a row that counts in full."""
        return 1 if self.contributions is None else ONE

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that it needs."""
        return (self.column,) if self.contributions is None else (self.column, self.contributions.column)

    def places(self, view: Table) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
        """The cells of the final rows, and their weights: None where each row weighs 1."""
        numbers = readable(view.column(self.column))
        if self.contributions is None:
            return self._cells_of(numbers)[0], None
        places, present = self._cells_of(numbers, keep=True)
        units = identities(view.column(self.contributions.column))
        final = present & (units >= 0)
        return places[final], self.contributions.weights(units[final]).astype(np.int32)

    def weight(self, unit: Unit) -> int:
        """What all rows of one unit weigh at most  [G complaints count]; refused for a unit that nothing bounds."""
        one_row = scalar(1, 1, Metric.L1, cells=self.cells, dropped=True)
        return int(one_row.sensitivity(Unit(unit.column), self.contributions).l1)

    def facts(self) -> dict[str, Any]:
        """Column, bounds, number of cells, and what bounds a unit."""
        facts = {"column": self.column, "cells": self.cells} | self.bounds.facts()
        return facts if self.contributions is None else facts | {"contributions": self.contributions.facts()}

    @escaped
    def __str__(self) -> str:
        rows = "" if self.contributions is None else f", {self.contributions.most} rows of each"
        return f"{self.column}{rows}, in {self.cells} cells of {self.bounds}"

    def _cells_of(self, numbers: NDArray[Any], keep: bool = False) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The cells of rows that hold a number, or have one filled in, and which they are; `keep`: a cell for all."""
        low, per_cell = float(self.bounds.lower), self.cells / float(self.bounds.width)
        fill = None if self.bounds.fill is None else float(self.bounds.fill)
        places, present, size = np.empty(len(numbers), np.int32), np.ones(len(numbers) if keep else 0, np.bool_), 0
        with np.errstate(all="ignore"):  # a warning is an output too
            for start in range(0, len(numbers), _CHUNK):
                part = doubles(numbers[start : start + _CHUNK])
                # a sum is NaN if a number is: one fast look at the rows, which nearly always suffices
                if np.isnan(np.add.reduce(part)):
                    absent = np.isnan(part)
                    if keep:
                        present[start : start + _CHUNK] = ~absent | (fill is not None)
                    part = part[~absent] if fill is None and not keep else np.where(absent, fill or 0.0, part)
                at = part - low
                at *= per_cell
                np.clip(at, 0.0, self.cells - 1.0, out=at)
                places[size : size + len(at)] = at
                size += len(at)
        return places[:size], present
