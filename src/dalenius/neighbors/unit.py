"""Privacy units: who is protected."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors.relation import Relation

ROW = "row"
_NODES = "nodes: "
"""How a stored unit of two columns begins: no column may be called so."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The person (or thing) that neighboring data sets differ in: all rows that share a value of `column`, or one row.

    >>> print(Unit("user_id"))
    each user_id (add-remove)
    >>> print(Unit.row())
    each row (add-remove)
    """

    column: str | None
    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self) -> None:
        if self.column is not None and (not isinstance(self.column, str) or not self.column):
            raise InvalidParameter(f"unit must be a column's name, or Unit.row(), got {self.column!r}")
        if self.column == ROW:
            raise InvalidParameter(
                'a column called "row" cannot be the unit: "row" means one row each; rename it, or use Unit.row()'
            )
        if self.column is not None and self.column.startswith(_NODES) != isinstance(self, Nodes):
            raise InvalidParameter(f"a column whose name begins with {_NODES!r} cannot be the unit: rename it")
        if not isinstance(self.relation, Relation):
            raise InvalidParameter(f"relation must be a Relation, got {self.relation!r}")

    @classmethod
    def row(cls, relation: Relation = Relation.ADD_REMOVE) -> "Unit":
        """One row is one person."""
        return cls(None, relation)

    @classmethod
    def of(cls, value: "Unit | str | tuple[str, str]", relation: Relation | None = None) -> "Unit":
        """A unit as people write it: "row", a column's name, two columns whose values are people, or a `Unit`."""
        if isinstance(value, Unit):
            return value if relation is None else cls.stored(value.column, relation)
        if isinstance(value, tuple | list):
            first, second = _two(value)
            return Nodes(first, second, relation or Relation.ADD_REMOVE)
        if not isinstance(value, str):  # None must not come to mean the weaker promise, one row each
            raise InvalidParameter(f'unit must be "row", a column\'s name or a Unit, got {value!r}')
        return cls(None if value == ROW else value, relation or Relation.ADD_REMOVE)

    @classmethod
    def stored(cls, column: str | None, relation: Relation) -> "Unit":
        """A unit as a ledger keeps it: its column, or that of both columns of `Nodes`."""
        if column is not None and column.startswith(_NODES):
            try:
                first, second = json.loads(column.removeprefix(_NODES))
            except ValueError:
                raise InvalidParameter(f"a stored unit must name two columns, got {column!r}") from None
            return Nodes(first, second, relation)
        return cls(column, relation)

    @property
    def name(self) -> str:
        """The column, or "row"."""
        return ROW if self.column is None else self.column

    @escaped
    def __str__(self) -> str:
        return f"each {self.name} ({self.relation.value})"


@dataclass(frozen=True, slots=True, init=False)
class Nodes(Unit):
    """A person is a node of a graph: all rows that name them in either of two columns  [A Ex 4.1].

    A row belongs to two people, so no rule for rows of one person holds: what has none for nodes is refused. Edge
    privacy, which protects one row, is `Unit.row()`.

    >>> print(Nodes("caller", "callee"))
    each node, by caller or callee (add-remove)
    """

    ends: tuple[str, str] = ("", "")

    def __init__(self, first: str, second: str, relation: Relation = Relation.ADD_REMOVE) -> None:
        ends = _two((first, second))
        object.__setattr__(self, "ends", ends)
        object.__setattr__(self, "column", _NODES + json.dumps(ends, ensure_ascii=False))
        object.__setattr__(self, "relation", relation)
        self.__post_init__()

    @property
    def name(self) -> str:
        """Both columns."""
        return f"node, by {self.ends[0]} or {self.ends[1]}"


def _two(columns: Iterable[str]) -> tuple[str, str]:
    """Two names of columns that differ, or a refusal."""
    named = tuple(columns)
    if len(named) != 2 or named[0] == named[1] or not all(isinstance(name, str) and name for name in named):
        raise InvalidParameter(
            f"unit must be a column, or two different ones such as ('caller', 'callee'), got {columns!r}"
        )
    return named[0], named[1]
