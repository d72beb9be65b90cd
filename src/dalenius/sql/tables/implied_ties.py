"""Equalities of the unit that a foreign key implies, between the rows of a query inside and the row outside.

Where `lineitem.l_orderkey` refers to `orders.o_orderkey`, a row of lineitem belongs to whoever owns the order that it
names. So in `EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey)` over orders both rows are one person's, and
the equality of the unit need not be written. It is *added* nevertheless: the query inside then reads rows of that one
person alone, whatever the keys hold, so that nobody decides over another's rows even if two people's orders bear one
number  [G sensitivity]. That the key refers to the table only says that adding it changes no answer.
"""

from collections.abc import Sequence

from sqlglot import exp

from dalenius.sql.tables.join_side import JoinSide, resolve_column
from dalenius.sql.tables.table import QueryTable

InnerTables = Sequence[tuple[QueryTable, str]]
"""The tables of a query inside, each with what it is called there."""


def implies_unit(one: exp.Expr, other: exp.Expr, inside: InnerTables, sides: Sequence[JoinSide]) -> bool:
    """Whether an inner and an outer column are equal along a reference: from one to the other, or from both to one."""
    inner, outer = one.unnest(), other.unnest()
    if not isinstance(inner, exp.Column) or not isinstance(outer, exp.Column):
        return False
    within = [(table, name) for table, called in inside if (name := _name(inner, table, called))]
    if len(within) != 1 or any(_name(outer, table, called) for table, called in inside):
        return False
    (table, column), (side, name) = within[0], resolve_column(outer, sides)
    return (
        _refers((table, column), (side.table, name))
        or _refers((side.table, name), (table, column))
        or _same_target((table, column), (side.table, name))
    )


def _name(column: exp.Column, table: QueryTable, called: str) -> str | None:
    if column.table and column.table.lower() != called:
        return None
    return next((name for name in table.columns if name.lower() == column.name.lower()), None)


def _refers(one: tuple[QueryTable, str], other: tuple[QueryTable, str]) -> bool:
    reference = one[0].reference
    return reference is not None and (reference.column, reference.table.lower(), reference.to) == (
        *(one[1], other[0].name.lower()),
        other[1],
    )


def _same_target(one: tuple[QueryTable, str], other: tuple[QueryTable, str]) -> bool:
    first, second = one[0].reference, other[0].reference
    if first is None or second is None or (first.column, second.column) != (one[1], other[1]):
        return False
    return (first.table.lower(), first.to) == (second.table.lower(), second.to)
