"""Whose row it is."""

from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery
from dalenius.sql.planner.stages import FinalRows
from dalenius.sql.policy.policy import Policy
from dalenius.sql.types.engine_names import SOURCE, UNIT


def bind_unit(final: FinalRows, policy: Policy) -> FinalRows:
    """Carry the unit beside every row, and drop a row that belongs to nobody (NULL); where rows are units, nothing.

    Later rules count `contributions` rows of a unit in full: until that number is known, nothing bounds a unit.
    """
    if policy.unit.column is None:
        return final
    if policy.contributions is None:
        raise UnboundedQuery(
            f"one {policy.unit.column} may own any number of rows: declare contributions=, how many count in full, or "
            "let a session find it"
        )
    column = exp.column(policy.unit.column, table=SOURCE, quoted=True)
    rows = final.rows.select(exp.alias_(column, UNIT, quoted=True))
    return replace(final, rows=rows.where(column.is_(exp.null()).not_()))
