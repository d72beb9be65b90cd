"""From private rows to a histogram over a finite universe, and from its items back to values."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from dalenius.neighbors import Unit
from dalenius.queries import ONE, Contributions, Count, Key, Keys, Table
from dalenius.queries.grid import Grid


class Universe(Protocol):
    """The items that a row can be."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that make an item."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that is needed."""

    @property
    def one(self) -> int:
        """The steps of a count that make a row."""

    def histogram(self, view: Table) -> tuple[int, ...]:
        """How many rows are each item; it must not leave the curator."""

    def full(self, unit: Unit) -> int:
        """How many rows one unit counts for at most."""

    def values(self, items: list[int]) -> list[tuple[Key, ...]]:
        """What the items are, a value for each column."""

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""


@dataclass(frozen=True, slots=True)
class GridItems:
    """Equal cells of a numeric column; a number outside its bounds counts in the nearest cell."""

    grid: Grid

    @property
    def names(self) -> tuple[str, ...]:
        """The one column."""
        return (self.grid.column,)

    @property
    def reads(self) -> tuple[str, ...]:
        """The column, and that of the unit."""
        return self.grid.reads

    @property
    def one(self) -> int:
        """The weight of a row that counts in full."""
        return self.grid.row

    def histogram(self, view: Table) -> tuple[int, ...]:
        """The weight of the rows in each cell."""
        places, weights = self.grid.places(view)
        return tuple(np.bincount(places, weights, minlength=self.grid.cells).astype(np.int64).tolist())

    def full(self, unit: Unit) -> int:
        """One row, or the contribution bound."""
        return self.grid.weight(unit) // self.grid.row

    def values(self, items: list[int]) -> list[tuple[Key, ...]]:
        """The middle of each cell."""
        bounds = self.grid.bounds
        width = bounds.width / self.grid.cells
        return [(float(bounds.lower + (item + Fraction(1, 2)) * width),) for item in items]

    def facts(self) -> dict[str, Any]:
        """The grid."""
        return {"grid": self.grid.facts()}


@dataclass(frozen=True, slots=True)
class KeyItems:
    """Declared keys of a column, or of several together; a row with another value is not counted."""

    keys: Keys
    contributions: Contributions | None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the keys."""
        return self.keys.columns

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns, and that of the unit."""
        return self._count.reads

    @property
    def one(self) -> int:
        """The weight of a row that counts in full."""
        return 1 if self.contributions is None else ONE

    def histogram(self, view: Table) -> tuple[int, ...]:
        """The weight of the rows with each key."""
        return tuple(self._count.evaluate(view).tolist())

    def full(self, unit: Unit) -> int:
        """One row, or the contribution bound; refused for a unit that nothing bounds."""
        self._count.sensitivity(unit)
        return 1 if self.contributions is None else self.contributions.most

    def values(self, items: list[int]) -> list[tuple[Key, ...]]:
        """The keys."""
        return [self.keys.rows[item] for item in items]

    def facts(self) -> dict[str, Any]:
        """Keys and contribution bound."""
        return self._count.facts()

    @property
    def _count(self) -> Count:
        return Count(self.keys, self.contributions)
