"""How many rows of a unit count in a table, where the owner has told tables apart.

The contribution bound T is a choice: whatever it is, weights over the final rows hold each unit to T of them
[G complaints count]. So that one table holds one row of a person and another many is the owner's word, on which the
noise and what is cut off rest, and no privacy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.sql.policy.policy import Policy
from dalenius.sql.policy.rows_by_table import MANY, ONE
from dalenius.sql.tables.table import QueryTable


def with_rows_per_unit(tables: Sequence[QueryTable], said: Mapping[str, str]) -> list[QueryTable]:
    """The private tables beside the first, each with what was said of its rows."""
    by_name = {name.lower(): rows for name, rows in said.items()}
    known = {table.name.lower(): table for table in tables}
    for name in said:
        if name.lower() not in known:
            raise InvalidParameter(f"rows_per_unit names {name!r}, which is none of the private tables")
        if known[name.lower()].unit is None:
            raise InvalidParameter(
                f"{name!r} has no column of people: how many of its rows are a person's follows from what they refer "
                "to; leave it out of rows_per_unit"
            )
    return [replace(table, rows_per_unit=by_name.get(table.name.lower())) for table in tables]


def rows_counted(tables: Sequence[QueryTable], policy: Policy, *, multiplied: bool) -> dict[str, Any]:
    """Of joined tables: "one" where all of them are so, and else the one table whose rows tell how many count.

    Where nobody told tables apart, or several have many rows, both are None: then the first table's rows decide. So
    they do where the owner declared a number that holds for all tables, and where rows are `multiplied` by public ones.
    """
    private = [table for table in tables if table.private]
    several = [table for table in private if table.rows_per_unit != ONE]
    beside = any(_is_beside(table, policy) and table.rows_per_unit is not None for table in private)
    if not beside or multiplied or any(table.unit is None for table in private):
        return {"rows_per_unit": None, "counted_by": None}
    if not several:
        return {"rows_per_unit": ONE, "counted_by": None}
    if len(several) > 1 or not _is_beside(several[0], policy) or several[0].rows_per_unit is None:
        return {"rows_per_unit": None, "counted_by": None}
    declared = policy.contributions is not None and policy.rows_per_unit != ONE
    counted = several[0].counted_by or (several[0].name if several[0].rows is None else None)
    return {"rows_per_unit": MANY, "counted_by": None if declared else counted}


def _is_beside(table: QueryTable, policy: Policy) -> bool:
    return table.name.lower() != policy.table.lower() or table.rows is not None
