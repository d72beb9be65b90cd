"""A universe of yes-no columns, and conjunctions over it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries import ONE, Contributions, Key, Table
from dalenius.queries.identity import identities
from dalenius.synthesis.data.attributes import Levels

MOST_COLUMNS = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class YesNo:
    """Columns of two declared values each, the second of which is "yes"; a row with another value is left out.

    >>> YesNo((("smokes", False, True), ("sex", "F", "M"))).size
    4
    """

    columns: tuple[tuple[str, Key, Key], ...]
    contributions: Contributions | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.columns) <= MOST_COLUMNS or len(set(self.names)) != len(self.columns):
            raise InvalidParameter(
                f"conjunctions are of 1 to {MOST_COLUMNS} yes-no columns, each named once, got {len(self.columns)}"
            )
        for name, no, yes in self.columns:
            Levels(name, (no, yes))

    @classmethod
    def of(cls, columns: Mapping[str, tuple[Key, Key]], contributions: Contributions | None = None) -> "YesNo":
        """From (no, yes) by column."""
        if any(len(pair) != 2 for pair in columns.values()):
            raise InvalidParameter("give (no, yes) for each column: two values")
        return cls(tuple((name, pair[0], pair[1]) for name, pair in columns.items()), contributions)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns; the first is the most significant bit of a cell's number."""
        return tuple(name for name, _, _ in self.columns)

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that is needed."""
        return self.names + (() if self.contributions is None else (self.contributions.column,))

    @property
    def size(self) -> int:
        """The number of cells, 2^d."""
        return 1 << len(self.columns)

    @property
    def one(self) -> int:
        """The steps of a count that make a row."""
        return 1 if self.contributions is None else ONE

    @property
    def full(self) -> int:
        """How many rows one unit counts for at most."""
        return 1 if self.contributions is None else self.contributions.most

    def histogram(self, view: Table) -> NDArray[np.int64]:
        """The weight of the rows in each cell; it must not leave the curator."""
        place, final = np.zeros(len(view), np.int64), np.ones(len(view), np.bool_)
        for name, no, yes in self.columns:
            code = Levels(name, (no, yes)).codes(view)
            final &= code >= 0
            place = 2 * place + np.maximum(code, 0)
        weights = None
        if self.contributions is not None:
            units = identities(view.column(self.contributions.column))
            final &= units >= 0
            weights = self.contributions.weights(units[final])
        return np.bincount(place[final], weights, minlength=self.size).astype(np.int64)

    def conjunction(self, wanted: Mapping[str, bool]) -> tuple[tuple[int, int], ...]:
        """(place of a column, 0 or 1) for each column that is named."""
        unknown = [name for name in wanted if name not in self.names]
        if unknown:
            raise UnknownName(f"there is no yes-no column {unknown[0]!r}; there are {', '.join(self.names)}")
        if any(not isinstance(value, bool) for value in wanted.values()):
            raise InvalidParameter("a conjunction says True (yes) or False (no) for each column that it names")
        return tuple(sorted((self.names.index(name), int(value)) for name, value in wanted.items()))

    def inside(self, wanted: tuple[tuple[int, int], ...]) -> Any:
        """The cells that a conjunction counts, as an index of the 2 × 2 × … table."""
        at: list[Any] = [slice(None)] * len(self.columns)
        for place, value in wanted:
            at[place] = value
        return tuple(at)

    def facts(self) -> dict[str, Any]:
        """Columns and contribution bound."""
        bound = None if self.contributions is None else self.contributions.facts()
        return {"columns": [list(column) for column in self.columns], "contributions": bound}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> "YesNo":
        """The inverse of `facts`."""
        bound = facts["contributions"]
        held = None if bound is None else Contributions(bound["column"], bound["most"])
        return cls(tuple((name, no, yes) for name, no, yes in facts["columns"]), held)
