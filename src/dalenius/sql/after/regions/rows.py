"""Rows that are there, or that may be: tables over which a statement is evaluated."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from sqlglot import exp

from dalenius.sql.after.regions.logic import truths
from dalenius.sql.after.regions.values import MISSING, Exact, NoRule, Value

MOST_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a row is there: `exact` if public facts decide it; otherwise whether it surely or possibly is.

    `point` is whether it is there in what was released.
    """

    exact: bool = True
    sure: bool = True
    possible: bool = True
    point: bool = True

    def under(self, condition: Value) -> "Presence | None":
        """Where a condition holds; None if public facts say that it does not."""
        if isinstance(condition, Exact):
            return self if condition.point is True else None
        if condition.point is MISSING:
            raise NoRule("a condition that the engine alone has decided picks rows")
        listed = truths(condition)
        return Presence(
            False,
            self.sure and listed == frozenset({True}),
            self.possible and True in listed,
            self.point and condition.point is True,
        )

    def both(self, other: "Presence") -> "Presence":
        """Where both are there."""
        return Presence(
            self.exact and other.exact,
            self.sure and other.sure,
            self.possible and other.possible,
            self.point and other.point,
        )


HERE = Presence()


@dataclass(frozen=True, slots=True)
class Row:
    """A row that may be there; a row is never dropped by noise, so that what is asked of it stays public."""

    values: tuple[Value, ...]
    presence: Presence = HERE


@dataclass(frozen=True, slots=True)
class RowRelation:
    """Named columns, each with what its SELECT calls the table, and rows."""

    names: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    ordered_by_noise: bool = False
    """Whether numbers with noise had a part in the order of the rows: then so they have in which rows come first."""

    def called(self, table: str) -> "RowRelation":
        """Under another name."""
        return replace(self, names=tuple((table, name) for _, name in self.names))

    @property
    def exact(self) -> bool:
        """Whether public facts decide which rows there are."""
        return all(row.presence.exact for row in self.rows)


@dataclass(slots=True)
class Context:
    """One row as expressions read it: its columns, what was computed of it before, and names of the SELECT's own."""

    names: tuple[tuple[str, str], ...]
    values: tuple[Value, ...]
    presence: Presence
    computed: dict[int, Value] = field(default_factory=dict)
    keys: list[tuple[exp.Expr, Value]] = field(default_factory=list)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)

    def column(self, node: exp.Column) -> Value | None:
        """What a column's name means in this row; None if there is none."""
        place = _place(self.names, node.table, node.name)
        return None if place is None else self.values[place]


@lru_cache(maxsize=4096)
def _place(names: tuple[tuple[str, str], ...], table: str, name: str) -> int | None:
    """Where a column stands among those of a row: the first of its name."""
    for place, (of, called) in enumerate(names):
        if called.lower() == name.lower() and (not table or of.lower() == table.lower()):
            return place
    return None


def plain_key(value: Value, what: str) -> Any:
    """A public value that rows are told apart by."""
    if not isinstance(value, Exact):
        raise NoRule(f"{what} a number with noise has no rule for regions")
    return value.point
