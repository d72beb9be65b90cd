"""WHERE."""

from sqlglot import exp

from dalenius.sql.planner.stages import FinalRows, Question
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import row_expression
from dalenius.sql.rows.typed import expect
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind


def filter_rows(question: Question, policy: Policy) -> FinalRows:
    """Keep the rows of which the condition is true; each row decides for itself, so no bound on a unit grows.

    All that follows is made from these rows: so a join or a subquery stands in every statement of the query.
    """
    rows = exp.select().from_(_source(question))
    where = question.tree.args.get("where")
    if where is not None:
        condition = expect(row_expression(where.this, policy), Kind.BOOLEAN, "WHERE")
        rows = rows.where(condition.tree, copy=False)  # made here, so nobody else holds it
    return FinalRows(question, rows)


def _source(question: Question) -> exp.Expr:
    if question.source is None:
        return exp.table_(SOURCE, quoted=True)
    return exp.alias_(question.source.subquery(), SOURCE, table=True, quoted=True)
