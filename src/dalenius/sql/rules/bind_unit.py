"""Whose row it is."""

from dataclasses import replace

from sqlglot import exp

from dalenius.sql.draft import Draft
from dalenius.sql.names import SOURCE, UNIT
from dalenius.sql.policy import Policy


def bind_unit(draft: Draft, policy: Policy) -> Draft:
    """Carry the unit beside every row, and drop a row that belongs to nobody (NULL); where rows are units, nothing."""
    assert draft.rows is not None
    if policy.unit.column is None:
        return draft
    column = exp.column(policy.unit.column, table=SOURCE, quoted=True)
    rows = draft.rows.select(exp.alias_(column, UNIT, quoted=True))
    return replace(draft, rows=rows.where(column.is_(exp.null()).not_()))
