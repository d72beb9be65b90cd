"""Foreign keys that carry the unit.

A row of a table that refers to another belongs to each unit that owns a row it refers to; one that refers to nobody's
is nobody's. Such a table has no column of the unit: a row that named one person and referred to another's would be of
both. Neighbors differ in a unit's rows of the tables that name it and in rows that refer to no other unit's.
The rows of unit u joined along the key are the pairs of a row of u and one that refers to it. If another unit v leaves,
neither kind goes: u's rows are not v's, and what refers to one of them does not refer to v's alone, even where both own
a row with the same key. So the joined rows of the others stay, and v's go with its own. Along a chain of references
the same holds step by step, with the joined rows of one step as the rows of the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dalenius.errors import InvalidParameter
from dalenius.sql.tables.table import QueryTable, Reference
from dalenius.sql.types.column_types import UNIT_TYPES, is_whole

FORM = "references= must be like {'items.order_id': 'orders.id'}"


def with_references(tables: Sequence[QueryTable], first: QueryTable, references: Mapping[str, str]) -> list[QueryTable]:
    """The tables, each with the reference that was declared for it, checked against the columns of both."""
    every = {table.name.lower(): table for table in (first, *tables)}
    references_by_table: dict[str, Reference] = {}
    for here, there in references.items():
        (table, column), (target, to) = (_reached(text, every) for text in (here, there))
        if table is first:
            raise InvalidParameter(f"{first.name!r} has the unit's column, so it refers to nobody else's rows")
        if table.name in references_by_table:
            raise InvalidParameter(f"{table.name!r} refers twice: whose its rows are must follow from one column")
        kinds = table.columns[column], target.columns[to]
        if not set(kinds) <= UNIT_TYPES or (kinds[0] != kinds[1] and not all(map(is_whole, kinds))):
            raise InvalidParameter(f"{here!r} and {there!r} must be of one type that names rows exactly, got {kinds}")
        references_by_table[table.name] = Reference(column, target.name, to)
    for name in references_by_table:
        _check_reaches(name, references_by_table, every)
    tables = [replace(table, reference=references_by_table.get(table.name)) for table in tables]
    return [_with_names(table, {one.name.lower(): one for one in (first, *tables)}) for table in tables]


def _with_names(table: QueryTable, tables: Mapping[str, QueryTable]) -> QueryTable:
    """With the column that refers to somebody's rows among those that name people, where each of its values does.

    It does where what it refers to is the unit, or names people itself, or where that table holds one row of a person.
    """
    if table.reference is None:
        return table
    there = _with_names(tables[table.reference.table.lower()], tables)
    if table.reference.to not in there.people and not there.one_row:
        return table
    return replace(table, names_people=table.names_people | {table.reference.column})


def _reached(text: str, tables: Mapping[str, QueryTable]) -> tuple[QueryTable, str]:
    name, _, column = text.partition(".") if isinstance(text, str) else ("", "", "")
    table = tables.get(name.lower())
    if table is None or not column:
        raise InvalidParameter(f"{FORM}, of private tables that there are; got {text!r}")
    match = next((one for one in table.columns if one.lower() == column.lower()), None)
    if match is None:
        raise InvalidParameter(f"{table.name} has no column {column!r}; it has {', '.join(table.columns)}")
    return table, match


def _check_reaches(name: str, references: Mapping[str, Reference], tables: Mapping[str, QueryTable]) -> None:
    """A chain of references ends at a table that has the unit."""
    seen = {name}
    while name in references:
        name = references[name].table
        if name in seen:
            raise InvalidParameter("references go round in a circle: one must lead to a table that has the unit")
        seen.add(name)
    if tables[name.lower()].unit is None:
        raise InvalidParameter(f"{name!r} has no column of people, and no reference that leads to one")
