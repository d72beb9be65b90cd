"""Tables that a statement writes out above the release, `(VALUES ('a', 1)) AS v(k, x)`: all of it is public."""

from typing import Any

from sqlglot import exp

from dalenius.sql.after.regions.expressions import Expressions
from dalenius.sql.after.regions.rows import HERE, MOST_ROWS, Context, Row, RowRelation
from dalenius.sql.after.regions.values import Exact, NoRule, is_number


def written_rows(node: exp.Values, of: Expressions) -> RowRelation:
    """The rows as they are written; refused where a column mixes kinds, of which the engine makes one."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
    width = len(rows[0])
    if len(rows) > MOST_ROWS or any(len(row) != width for row in rows):
        raise NoRule(f"a table of more than {MOST_ROWS} rows, or of rows that differ, has no rule for regions")
    values = [tuple(of.value(term, Context((), (), HERE)) for term in row) for row in rows]
    if not all(isinstance(value, Exact) for row in values for value in row):
        raise NoRule("a written table whose values are no constants has no rule for regions")
    for column in zip(*values, strict=True):
        if len({_kind(value.point) for value in column if value.point is not None}) > 1:
            raise NoRule("a written table with texts beside numbers has no rule for regions")
    alias = node.args.get("alias")
    named = [] if alias is None else [one.name for one in alias.args.get("columns") or ()]
    names = [*named, *(f"col{place}" for place in range(len(named), width))]
    return RowRelation(tuple((node.alias, name) for name in names), tuple(map(Row, values)))


def _kind(point: Any) -> object:
    return "number" if is_number(point) else type(point)
