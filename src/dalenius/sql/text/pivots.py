"""PIVOT as the SELECT that it is: `PIVOT t ON k IN ('a', 'b') USING SUM(x) GROUP BY y` has a column a value.

Each column is the aggregate of the rows with that value, `SUM(x) FILTER (WHERE k = 'a') AS "a"`, so nothing is left to
prove. The values are written out: those that rows have may tell of a person.
"""

from sqlglot import TokenType, exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import language

_FORM = "write PIVOT table ON column IN ('a', 'b') USING SUM(x) GROUP BY key"
_LAST = (TokenType.ORDER_BY, TokenType.LIMIT)


def trees_of(text: str) -> list[exp.Expr | None]:
    """The statements of a text; what stands after a PIVOT, which the parser does not read, is taken along."""
    tokens = language.tokens(text)
    if not tokens or tokens[0].text.upper() != "PIVOT":
        return language.trees(text)
    depth, end = 0, None
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.token_type in _LAST:
            end = token.start
            break
    if end is None:
        return language.trees(text)
    pivots = language.trees(text[:end])
    last = language.trees("SELECT 1".ljust(end) + text[end:])  # every word stays where it stands
    if len(pivots) != 1 or len(last) != 1 or not isinstance(pivots[0], exp.Pivot) or last[0] is None:
        return language.trees(text)
    select = _selected(pivots[0])
    for name in ("order", "limit", "offset"):
        select.set(name, last[0].args.get(name))
    return [select]


def without_pivots(tree: exp.Expr) -> exp.Expr:
    """A statement with every PIVOT as a SELECT."""
    if isinstance(tree, exp.Pivot):
        return _selected(tree)
    for select in list(tree.find_all(exp.Select)):
        source = select.args["from_"].this if select.args.get("from_") is not None else exp.Table()
        if pivots := source.args.get("pivots"):
            _replace(select, source, pivots)
    for pivot in list(tree.find_all(exp.Pivot)):
        if isinstance(pivot.parent, exp.Subquery | exp.CTE) and pivot.arg_key == "this":
            pivot.replace(_selected(pivot))
    return tree


def _replace(select: exp.Select, source: exp.Expr, pivots: list[exp.Expr]) -> None:
    """SELECT * FROM t PIVOT (…): the columns in the place of the star."""
    pivot = pivots[0]
    if (
        len(pivots) != 1
        or pivot.args.get("unpivot")
        or len(select.expressions) != 1
        or not select.expressions[0].is_star
    ):
        raise UnsupportedQuery(f"SELECT * stands alone before PIVOT; {_FORM}")
    source.set("pivots", None)
    made = _pivoted(source, pivot.args.get("fields") or [], pivot.expressions, pivot.args.get("group"))
    for name in ("expressions", "group"):
        select.set(name, made.args.get(name))


def _selected(pivot: exp.Expr) -> exp.Select:
    if pivot.args.get("unpivot"):
        raise UnsupportedQuery("UNPIVOT has no rule: ask for each column on its own")
    return _pivoted(pivot.this, pivot.expressions, pivot.args.get("using") or [], pivot.args.get("group"))


def _pivoted(
    source: exp.Expr, fields: list[exp.Expr], aggregates: list[exp.Expr], group: exp.Expr | None
) -> exp.Select:
    field = fields[0] if len(fields) == 1 else None
    if not isinstance(field, exp.In) or not field.expressions or not aggregates:
        raise UnsupportedQuery(
            "PIVOT takes one column with its values written out, since those that rows have may tell of a person; "
            f"{_FORM}"
        )
    keys = list(group.expressions) if group is not None else _others(source, [field.this, *aggregates])
    columns: list[exp.Expr] = [key.copy() for key in keys]
    for value in field.expressions:
        same = _same(field.this, value.unalias())
        for aggregate in aggregates:
            kept = exp.Filter(this=aggregate.unalias().copy(), expression=exp.Where(this=same.copy()))
            columns.append(exp.alias_(kept, _name(value, aggregate, aggregates), quoted=True))
    select = exp.Select(expressions=columns, from_=exp.From(this=source.copy()))
    if keys:
        select.set("group", exp.Group(expressions=[key.unalias().copy() for key in keys]))
    return select


def _same(column: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Whether a row has a value that is written in the list, which may be NULL."""
    kind = exp.Is if isinstance(value, exp.Null) else exp.EQ
    return kind(this=column.copy(), expression=value.copy())


def _others(source: exp.Expr, used: list[exp.Expr]) -> list[exp.Expr]:
    """Without GROUP BY: every column of the source that is neither spread nor aggregated."""
    inner = source.this if isinstance(source, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or any(term.is_star for term in inner.expressions):
        raise UnsupportedQuery(f"PIVOT needs GROUP BY: without it every other column of the table is a key; {_FORM}")
    taken = {column.name.lower() for one in used for column in one.find_all(exp.Column)}
    return [exp.column(term.alias_or_name) for term in inner.expressions if term.alias_or_name.lower() not in taken]


def _name(value: exp.Expr, aggregate: exp.Expr, aggregates: list[exp.Expr]) -> str:
    """As DuckDB names the columns: by the value, and by the aggregate where it has a name or there are several."""
    plain = value.alias or value.name or language.written(value)
    if aggregate.alias:
        return f"{plain}_{aggregate.alias}"
    return plain if len(aggregates) == 1 else f"{plain}_{language.shown(aggregate, 'lower')}"
