"""What is made of the released parts: the columns of the answer, its rows and their order."""

from dataclasses import dataclass
from typing import Any

from dalenius.curator.formula import Formula
from dalenius.queries import Key


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """The public values of one grouping expression; the first of several varies slowest from cell to cell.

    An `attribute` is the same in all rows of a unit.
    """

    name: str
    values: tuple[Key, ...]
    attribute: bool = False


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
