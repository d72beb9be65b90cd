"""Public keys: the groups of an answer, declared and not read off the data."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.queries.view import EXACT

Key = str | int | float | bool


@dataclass(frozen=True, slots=True, init=False)
class Keys:
    """The values of a column that get a cell each, present in the data or not; rows with another value are dropped.

    Which keys exist in the data can be private (one person may be the only one with theirs), so they are declared.

    >>> Keys("sex", ["Female", "Male"])
    Keys(column='sex', values=('Female', 'Male'))
    """

    column: str
    values: tuple[Key, ...]

    def __init__(self, column: str, values: Iterable[Key]) -> None:
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidParameter(f"keys of {column!r} must be a list of values, got {values!r}")
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "values", tuple(_plain(column, value) for value in values))
        if not self.values:
            raise UnboundedQuery(f"keys of {column!r} must be declared: give at least one public value")
        if len(set(self.values)) != len(self.values):
            raise InvalidParameter(f"keys of {column!r} must differ from each other, got {list(self.values)!r}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the key columns."""
        return (self.column,)

    @property
    def rows(self) -> tuple[tuple[Key, ...], ...]:
        """The keys of each cell, one for each column."""
        return tuple((value,) for value in self.values)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Keys":
        """The inverse of `facts`."""
        return cls(facts["column"], facts["values"])

    def __len__(self) -> int:
        return len(self.values)

    def facts(self) -> dict[str, Any]:
        """Column and values, as JSON holds them."""
        return {"column": self.column, "values": list(self.values)}


def _plain(column: str, value: Any) -> Key:
    plain = value.item() if hasattr(value, "item") else value  # a numpy scalar
    if not isinstance(plain, str | int | float) or (isinstance(plain, float) and not math.isfinite(plain)):
        raise InvalidParameter(f"keys of {column!r} must be text, whole or finite numbers or booleans, got {value!r}")
    if isinstance(plain, str) and not plain.isascii() and any("\ud800" <= letter <= "\udfff" for letter in plain):
        raise InvalidParameter(f"keys of {column!r} must be text that UTF-8 can hold, got {value!r}")
    if not isinstance(plain, str) and abs(plain) >= EXACT:
        raise InvalidParameter(f"keys of {column!r} must lie between -2^53 and 2^53, got {value!r}")
    return plain
