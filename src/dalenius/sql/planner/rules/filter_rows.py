"""WHERE."""

from dataclasses import replace

from sqlglot import exp

from dalenius.sql.planner.draft import Draft
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import row_expression
from dalenius.sql.rows.typed import expect
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind


def filter_rows(draft: Draft, policy: Policy) -> Draft:
    """Keep the rows of which the condition is true; each row decides for itself, so no bound on a unit grows.

    All that follows is made from these rows: so a join or a subquery stands in every statement of the query.
    """
    rows = exp.select().from_(_source(draft))
    where = draft.tree.args.get("where")
    if where is not None:
        condition = expect(row_expression(where.this, policy), Kind.BOOLEAN, "WHERE")
        rows = rows.where(condition.tree)
    return replace(draft, rows=rows)


def _source(draft: Draft) -> exp.Expr:
    if draft.source is None:
        return exp.table_(SOURCE, quoted=True)
    return exp.alias_(draft.source.subquery(), SOURCE, table=True, quoted=True)
