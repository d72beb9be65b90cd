"""Whose row it is."""

from dataclasses import replace

from sqlglot import exp

from dalenius.sql.draft import SOURCE, Draft
from dalenius.sql.policy import Policy

UNIT = "unit"


def bind_unit(draft: Draft, policy: Policy) -> Draft:
    """Carry the unit beside every row, and drop a row that belongs to nobody (NULL); where rows are units, nothing."""
    if policy.unit.column is None:
        return draft
    column = exp.column(policy.unit.column, table=SOURCE, quoted=True)
    rows = draft.tree.select(exp.alias_(column, UNIT, quoted=True))  # type: ignore[attr-defined]
    return replace(draft, tree=rows.where(column.is_(exp.null()).not_()))
