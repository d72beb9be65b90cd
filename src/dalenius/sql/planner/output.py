"""What is made of the released parts: the columns of the answer, its rows and their order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalenius.curator.formula import Formula
from dalenius.queries import Key
from dalenius.sql.types.kinds import Kind


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """The public values of one grouping expression; the first of several varies slowest from cell to cell.

    An `attribute` is the same in all rows of a unit. Dates and times are values in the form of ISO 8601, as texts.
    """

    name: str
    values: tuple[Key, ...]
    attribute: bool = False
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class KeyAxis:
    """Keys that hang together: which of the keys they are, and each combination of their values that can occur.

    Two parts of one date are such keys: of a year that ends in March there are three months. A key that hangs together
    with no other has an axis of its own.
    """

    places: tuple[int, ...]
    rows: tuple[tuple[Key, ...], ...]

    def reach(self, keys: Sequence[KeyColumn]) -> int:
        """The most combinations that rows of one unit can be in: its attributes are the same in all."""
        same = [at for at, place in enumerate(self.places) if keys[place].attribute]
        return max(Counter(tuple(row[at] for at in same) for row in self.rows).values())


def axes_of(keys: Sequence[KeyColumn]) -> tuple[KeyAxis, ...]:
    """An axis for each key."""
    return tuple(KeyAxis((place,), tuple((value,) for value in key.values)) for place, key in enumerate(keys))


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One column of the answer: the number of a key, or a formula over parts."""

    name: str
    of: int | Formula


@dataclass(frozen=True, slots=True)
class SortTerm:
    """One term of ORDER BY."""

    by: int | Formula
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """Post-processing: the columns, which rows are kept (`having` is 1), their order, and how many."""

    columns: tuple[OutputColumn, ...]
    having: Formula | None = None
    order: tuple[SortTerm, ...] = ()
    limit: int | None = None
    offset: int = 0

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "columns": [[column.name, _plain(column.of)] for column in self.columns],
            "having": None if self.having is None else self.having.to_dict(),
            "order": [[_plain(term.by), term.descending, term.nulls_first] for term in self.order],
            "limit": self.limit,
            "offset": self.offset,
        }


def _plain(of: int | Formula) -> Any:
    return of if isinstance(of, int) else of.to_dict()
