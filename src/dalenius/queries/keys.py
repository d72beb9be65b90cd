"""Public keys: the groups of an answer, declared and not read off the data."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.escape import escaped
from dalenius.queries.view import EXACT

Key = str | int | float | bool | None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Keys:
    """The values of a column, or of several together, that get a cell each; rows with another value are dropped.

    Which keys exist in the data can be private (one person may be the only one with theirs), so they are declared.
    None is a key as any other: the cell of the rows without a value, which are NULL or NaN.

    >>> Keys("sex", ["Female", "Male"])
    Keys(column='sex', values=('Female', 'Male'))
    >>> len(Keys("sex", ["Female", "Male", None]))
    3
    >>> len(Keys.product(Keys("sex", ["Female", "Male"]), Keys("year", range(2020, 2025))))
    10
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Key, ...], ...]

    def __init__(self, column: str, values: Iterable[Key]) -> None:
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidParameter(f"keys of {column!r} must be a list of values, got {values!r}")
        self._set((column,), tuple((_plain(column, value),) for value in values))

    @classmethod
    def product(cls, *keys: "Keys") -> "Keys":
        """A cell for every combination, the first keys changing slowest."""
        rows = itertools.product(*(part.rows for part in keys))
        return cls.among([name for part in keys for name in part.columns], [sum(row, ()) for row in rows])

    @classmethod
    def among(cls, columns: Sequence[str], rows: Iterable[Sequence[Key]]) -> "Keys":
        """A cell for each combination given: `rows` hold one value for each of `columns`."""
        names, given = tuple(columns), [tuple(row) for row in rows]
        if isinstance(columns, str) or not names or len(set(names)) != len(names):
            raise InvalidParameter(f"keys must be of columns that differ from each other, got {columns!r}")
        if any(len(row) != len(names) for row in given):
            raise InvalidParameter(f"keys of {', '.join(map(repr, names))} must hold {len(names)} values each")
        keys = cls.__new__(cls)
        keys._set(names, tuple(tuple(map(_plain, names, row)) for row in given))
        return keys

    @classmethod
    def none(cls, *columns: str) -> "Keys":
        """No cell at all: what a search for unknown keys may find. Declared keys are never none."""
        keys = cls.__new__(cls)
        object.__setattr__(keys, "columns", columns)
        object.__setattr__(keys, "rows", ())
        return keys

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> "Keys":
        """The inverse of `facts`."""
        if facts.get("values") == []:
            return cls.none(facts["column"])
        if facts.get("rows") == []:
            return cls.none(*facts["columns"])
        return (
            cls(facts["column"], facts["values"]) if "column" in facts else cls.among(facts["columns"], facts["rows"])
        )

    @property
    def column(self) -> str:
        """The one column; refused where there are several."""
        if len(self.columns) != 1:
            raise InvalidParameter(f"these keys are of {len(self.columns)} columns: use .columns and .rows")
        return self.columns[0]

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the one column; of several, a tuple for each cell."""
        return tuple(row[0] for row in self.rows) if len(self.columns) == 1 else self.rows

    def __len__(self) -> int:
        return len(self.rows)

    @escaped
    def __str__(self) -> str:
        return f"{len(self)} values of {', '.join(self.columns)}"

    @escaped
    def __repr__(self) -> str:
        if len(self.columns) == 1:
            return f"Keys(column={self.column!r}, values={self.values!r})"
        return f"Keys.among({list(self.columns)!r}, {list(self.rows)!r})"

    def facts(self) -> dict[str, Any]:
        """Columns and values, as JSON holds them."""
        if len(self.columns) == 1:
            return {"column": self.column, "values": list(self.values)}
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def _set(self, columns: tuple[str, ...], rows: tuple[tuple[Key, ...], ...]) -> None:
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "rows", rows)
        names = ", ".join(map(repr, columns))
        if not rows:
            raise UnboundedQuery(f"keys of {names} must be declared: give at least one public value")
        if len(set(rows)) != len(rows):
            raise InvalidParameter(f"keys of {names} must differ from each other: name each public value once")


def _plain(column: str, value: Any) -> Key:
    if value is None:
        return None
    plain = value.item() if hasattr(value, "item") else value  # a numpy scalar
    if not isinstance(plain, str | int | float) or (isinstance(plain, float) and not math.isfinite(plain)):
        raise InvalidParameter(
            f"keys of {column!r} must be text, whole or finite numbers, booleans or None, got {value!r}"
        )
    if isinstance(plain, str) and not plain.isascii() and any("\ud800" <= letter <= "\udfff" for letter in plain):
        raise InvalidParameter(f"keys of {column!r} must be text that UTF-8 can hold, got {value!r}")
    if not isinstance(plain, str) and abs(plain) >= EXACT:
        raise InvalidParameter(f"keys of {column!r} must lie between -2^53 and 2^53, got {value!r}")
    return plain
