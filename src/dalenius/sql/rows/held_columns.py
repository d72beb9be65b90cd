"""Columns between their declared bounds, before numbers of a row are combined.

An aggregate holds its expression in the bounds that follow from those of its columns. Of one column that grows or
falls, that is the expression of the column held in its own. Of two it is not: cost · days of a row whose cost is far
beyond its bounds may still lie within those of the product, and SUM(w · x) / SUM(w) would divide what is not held by
what is. So each column is held on its own where arithmetic combines several; the bounds of the whole are as before.
"""

from collections.abc import Iterator

from sqlglot import exp

from dalenius.numerics import rational
from dalenius.sql.policy.by_table import BoundsByRows
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.literals import number
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind

_COMBINED = (exp.Add, exp.Sub, exp.Mul, exp.Div)


def held_columns(node: exp.Expr, policy: Policy) -> exp.Expr:
    """The expression with CLAMP(column, lo, hi) for each column with bounds that arithmetic combines with another."""
    if len(list(_combined(node, policy))) < 2:
        return node
    tree = exp.paren(node.copy(), copy=False)
    for column in list(_combined(tree, policy)):
        ends = [number(rational(end, "bounds")).tree for end in policy.bounds[column.name]]
        column.replace(exp.Anonymous(this="CLAMP", expressions=[column.copy(), *ends]))
    return tree.this  # type: ignore[no-any-return]


def _combined(node: exp.Expr, policy: Policy) -> Iterator[exp.Column]:
    """Columns of numbers with bounds of their own, under arithmetic alone."""
    if isinstance(node, exp.Paren | exp.Neg):
        yield from _combined(node.this, policy)
    elif isinstance(node, _COMBINED):
        yield from _combined(node.this, policy)
        yield from _combined(node.expression, policy)
    elif isinstance(node, exp.Column) and node.name in policy.bounds:
        by_rows = isinstance(policy.bounds[node.name], BoundsByRows)
        if kind_of(policy.columns[node.name]) is Kind.NUMBER and not by_rows:
            yield node
