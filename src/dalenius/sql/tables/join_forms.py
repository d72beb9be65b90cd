"""Other ways to write a join, each as the form that `join_tables` knows, so that nothing is left to prove.

`FROM a, b WHERE a.x = b.x` and `CROSS JOIN` with such a condition are inner joins ON it. What else ON says of an inner
join holds as well in WHERE. A LATERAL
subquery that is tied to an earlier table by equalities of columns is a subquery that is joined on these; its ORDER BY
and LIMIT n say which n rows of those that are equal in them, so they are a window; and an aggregate without GROUP BY
has one row even of none, so that it is a LEFT JOIN whose COUNT is 0 where nothing is met.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.tables.join_order import start_with_private
from dalenius.sql.tables.scope import Scope
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.quoted import keep_words
from dalenius.sql.types.column_types import UNIT_TYPES, is_whole

_TYPES = UNIT_TYPES | {"BOOLEAN"}
_Source = tuple[str, QueryTable]


def usual_joins(tree: exp.Expr, scope: Scope) -> None:
    """Rewrite the joins of a SELECT in place; what has no usual form is left, and refused by name later."""
    for join in list(tree.args.get("joins") or []):
        if isinstance(join.this, exp.Lateral):
            _join_lateral(tree, join)
    start_with_private(tree, scope)
    joins, source = list(tree.args.get("joins") or []), tree.args["from_"]
    if not _needs_form(joins):
        return
    tables = [_source(node, scope) for node in (source.this, *(join.this for join in joins))]
    _bind(tree, joins, tables)


def joined_types(one: str, two: str) -> bool:
    """Whether columns of two types can be compared by a join."""
    return {one, two} <= _TYPES and (one == two or (is_whole(one) and is_whole(two)))


def _needs_form(joins: Sequence[exp.Join]) -> bool:
    return any(
        not join.side
        and not join.args.get("using")
        and (join.args.get("on") is None or not all(map(is_column_equality, conjuncts(join.args["on"]))))
        for join in joins
    )


def _source(node: exp.Expr, scope: Scope) -> _Source:
    table, called = scope.named(node)
    return called, table


def _bind(tree: exp.Expr, joins: list[exp.Join], tables: list[_Source]) -> None:
    """Give each inner join the equalities that tie its table to earlier ones, from ON or WHERE, and WHERE the rest."""
    where = tree.args.get("where")
    asked = list(conjuncts(None if where is None else where.this))
    placed, ordered, left = [tables[0]], [], list(zip(joins, tables[1:], strict=True))
    moved = False
    while left:
        at = next(
            (place for place, (join, one) in enumerate(left) if not join.side and _ties(join, one, placed, asked)), 0
        )
        join, one = left.pop(at if not any(other.side or other.args.get("using") for other, _ in left[: at + 1]) else 0)
        if not join.side and not join.args.get("using") and (join.kind or "CROSS") in ("CROSS", "INNER"):
            ties = _ties(join, one, placed, asked)
            if ties:
                own = [term for term in conjuncts(join.args.get("on")) if not any(term is tie for tie in ties)]
                asked = [term for term in asked if not any(term is tie for tie in ties)] + own
                join.set("on", exp.and_(*(term.copy() for term in ties)))
                join.set("kind", None)
                moved = True
        placed.append(one)
        ordered.append(join)
    if moved:
        tree.set("joins", ordered)
        tree.set("where", exp.Where(this=exp.and_(*asked)) if asked else None)


def _ties(join: exp.Join, one: _Source, placed: Sequence[_Source], asked: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Equalities of a column of this table and one of an earlier table, in types that can be joined."""
    terms = [*conjuncts(join.args.get("on")), *asked]
    return [term for term in terms if is_column_equality(term) and _is_tie(term, one, placed)]


def _is_tie(term: exp.Expr, one: _Source, placed: Sequence[_Source]) -> bool:
    for mine, other in ((term.this, term.expression), (term.expression, term.this)):
        here, there = _kind(mine.unnest(), [one]), _kind(other.unnest(), placed)
        elsewhere = _kind(mine.unnest(), placed) if not mine.unnest().table else None
        if here is not None and there is not None and elsewhere is None and joined_types(here, there):
            return not (not other.unnest().table and _kind(other.unnest(), [one]) is not None)
    return False


def _kind(column: exp.Expr, tables: Sequence[_Source]) -> str | None:
    """The type of the one column of some tables that a name means."""
    kinds = [
        kind
        for called, table in tables
        if column.text("table").lower() in ("", called)
        for name, kind in table.columns.items()
        if name.lower() == column.name.lower() and name not in table.hidden
    ]
    return kinds[0] if len(kinds) == 1 else None


def is_column_equality(term: exp.Expr) -> bool:
    """Whether a condition holds two columns equal."""
    return isinstance(term, exp.EQ) and all(
        isinstance(side.unnest(), exp.Column) for side in (term.this, term.expression)
    )


def conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """What AND joins, TRUE left out."""
    inner = None if condition is None else condition.unnest()
    if inner is None or (isinstance(inner, exp.Boolean) and inner.this):
        return
    if isinstance(inner, exp.And):
        yield from conjuncts(inner.this)
        yield from conjuncts(inner.expression)
    else:
        yield inner


def _join_lateral(tree: exp.Expr, join: exp.Join) -> None:
    """A LATERAL subquery as one that is joined on what ties it to earlier tables."""
    inner = join.this.this.this if isinstance(join.this.this, exp.Subquery) else None
    name, on = join.this.alias, join.args.get("on")
    always = on is None or (isinstance(on, exp.Boolean) and bool(on.this))
    if not isinstance(inner, exp.Select) or not name or not always or join.args.get("using"):
        raise UnsupportedQuery("LATERAL takes a subquery and a name: CROSS JOIN LATERAL (SELECT …) AS name")
    select = inner.copy()
    ties, kept = _tied(select)
    if not ties:
        raise UnsupportedQuery("a LATERAL subquery is tied to an earlier table: WHERE inner.unit = outer.unit")
    select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    counts = _one_row(select, [mine for mine, _ in ties])
    for place, (mine, _) in enumerate(ties):
        select.append("expressions", exp.alias_(mine.copy(), f"(tie {place})", quoted=True))
    _number_rows(select, [mine for mine, _ in ties])
    joined = exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier(name)))
    equal = [
        exp.EQ(this=exp.column(f"(tie {place})", table=name, quoted=True), expression=outer.copy())
        for place, (_, outer) in enumerate(ties)
    ]
    join.set("this", joined)
    join.set("on", exp.and_(*equal))
    join.set("kind", None)
    if counts is not None:
        join.set("side", "LEFT")
        _zero_where_none(tree, name, counts)


def _tied(select: exp.Select) -> tuple[list[tuple[exp.Column, exp.Column]], list[exp.Expr]]:
    """Pairs of an inner column and the outer one that it is equal to, and the other conditions."""
    own = {node.alias_or_name.lower() for node in select.find_all(exp.Table, exp.Subquery)}
    ties, kept = [], []
    where = select.args.get("where")
    for term in conjuncts(None if where is None else where.this):
        sides = [term.this.unnest(), term.expression.unnest()] if is_column_equality(term) else []
        outer = [side for side in sides if side.table and side.table.lower() not in own]
        if len(outer) == 1:
            ties.append((next(side for side in sides if side is not outer[0]), outer[0]))
        else:
            kept.append(term)
    return ties, kept


def _one_row(select: exp.Select, ties: list[exp.Column]) -> set[str] | None:
    """Group an aggregate by what ties it; the names of its counts, or None of a SELECT of rows."""
    if not any(term.find(exp.AggFunc) for term in select.expressions) or select.find(exp.Window):
        return None
    if any(select.args.get(name) for name in ("group", "having", "limit", "order", "distinct")):
        raise UnsupportedQuery("a LATERAL subquery that aggregates takes no GROUP BY, HAVING, ORDER BY or LIMIT")
    select.set("group", exp.Group(expressions=[tie.copy() for tie in ties]))
    counts = {exp.Count, exp.CountIf}
    for term in (one.unalias() for one in select.expressions):
        if type(term) not in counts and (term.find(*counts) or not _is_null_of_none(term)):
            raise UnsupportedQuery(
                "an aggregate in a LATERAL subquery stands alone, or under arithmetic without COUNT: write what is "
                "made of it outside, so that it holds of those who have no row too"
            )
    return {term.alias_or_name.lower() for term in select.expressions if type(term.unalias()) in counts}


def _is_null_of_none(term: exp.Expr) -> bool:
    """Whether an expression over aggregates is NULL where there is no row, as the columns of a LEFT JOIN are then."""
    inner = term.unnest()
    if isinstance(inner, exp.Add | exp.Sub | exp.Mul | exp.Div):
        return _is_null_of_none(inner.this) or _is_null_of_none(inner.expression)
    if isinstance(inner, exp.Neg | exp.Cast | exp.Round | exp.Abs):
        return _is_null_of_none(inner.this)
    return isinstance(inner, exp.AggFunc)


def _number_rows(select: exp.Select, ties: list[exp.Column]) -> None:
    """ORDER BY … LIMIT n as a window over the rows that are equal in what ties them."""
    order, limit = select.args.get("order"), select.args.get("limit")
    if limit is None:
        select.set("order", None)
        return
    if select.args.get("qualify") or select.args.get("distinct") or select.args.get("offset") or order is None:
        raise UnsupportedQuery(
            "LIMIT in a LATERAL subquery stands beside ORDER BY, without OFFSET, DISTINCT or QUALIFY"
        )
    number = exp.Window(this=exp.RowNumber(), partition_by=[tie.copy() for tie in ties], order=order.copy())
    select.set("order", None)
    select.set("limit", None)
    select.set("qualify", exp.Qualify(this=exp.LTE(this=number, expression=limit.expression.copy())))


def _zero_where_none(tree: exp.Expr, name: str, counts: set[str]) -> None:
    """COALESCE(count, 0) for every count; a query inside must not call a table of its own by that name."""
    if [one.alias_or_name.lower() for one in tree.find_all(exp.Table, exp.Subquery)].count(name.lower()) > 1:
        raise UnsupportedQuery(f"two tables are called {name!r}: give one another name with AS")
    for column in list(tree.find_all(exp.Column)):
        if column.table.lower() == name.lower() and column.name.lower() in counts:
            zero = exp.Coalesce(this=column.copy(), expressions=[exp.Literal.number(0)])
            shown = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
            column.replace(exp.alias_(zero, column.name, quoted=True) if shown else keep_words(zero, column))
