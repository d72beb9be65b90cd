"""COUNT_IF(c) and FILTER (WHERE c): the same questions over CASE, whose rules hold for them.

A row of which the condition is not true is NULL inside of the aggregate, and every aggregate passes NULL over. So
`f(x) FILTER (WHERE c)` is `f(CASE WHEN c THEN x END)`, and both `COUNT(*) FILTER (WHERE c)` and `COUNT_IF(c)` are
`COUNT(CASE WHEN c THEN 1 END)`: nothing is left to prove of them, also in a subquery. Over what is ranked WITHIN GROUP,
FILTER stays, and is refused by name.
"""

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.catalog import by_name
from dalenius.sql.text.parse import parse, parse_once

_BY_NAME = by_name()


def parse_question(text: str) -> exp.Expr:
    """A question as a tree in which conditions on aggregates are CASE inside of them."""
    return _with_conditions(parse(text))


def read_question(text: str) -> exp.Expr:
    """The same tree for who only reads it: it may be shared, and is never changed."""
    tree = parse_once(text)
    return tree if tree.find(exp.Anonymous, exp.Filter, exp.CountIf) is None else _with_conditions(tree.copy())


def _with_conditions(tree: exp.Expr) -> exp.Expr:
    """The tree, changed in place."""
    if not isinstance(tree, exp.Select):
        return tree
    for call in [one for one in tree.find_all(exp.Anonymous) if one.name.upper() in _BY_NAME]:
        call.replace(exp.AnonymousAggFunc(this=call.name.upper(), expressions=call.expressions))
    for node in list(tree.find_all(exp.Filter, exp.CountIf)):
        counted = _counted_if(node) if isinstance(node, exp.CountIf) else _filtered(node)
        if counted is not None:
            node.replace(_named(node, counted))
    return tree


def _named(node: exp.Expr, counted: exp.Expr) -> exp.Expr:
    """A column of the SELECT is still called by what was written, where nothing else names it."""
    named = isinstance(node, exp.CountIf) and isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
    return exp.alias_(counted, "count_if", quoted=True) if named else counted


def _counted_if(node: exp.CountIf) -> exp.Expr:
    if node.this is None or isinstance(node.this, exp.Distinct | exp.Star):
        raise UnsupportedQuery("COUNT_IF takes one condition and nothing else")
    return exp.Count(this=_where(node.this, exp.Literal.number(1)), big_int=True)


def _filtered(node: exp.Expr) -> exp.Expr | None:
    aggregate, condition = node.this, node.expression.this
    if isinstance(aggregate, exp.AnonymousAggFunc) and aggregate.expressions:
        named = aggregate.copy()
        named.set("expressions", [_where(condition, named.expressions[0]), *named.expressions[1:]])
        return named
    inner = aggregate.this if isinstance(aggregate, exp.AggFunc) else None
    if inner is None or isinstance(aggregate, exp.WithinGroup):
        return None
    if isinstance(aggregate, exp.CountIf):
        return _counted_if(exp.CountIf(this=exp.And(this=exp.paren(inner), expression=exp.paren(condition))))
    plain: exp.Expr = aggregate.copy()
    if isinstance(inner, exp.Distinct):
        if len(inner.expressions) != 1:
            return None
        plain.this.set("expressions", [_where(condition, inner.expressions[0])])
    elif isinstance(inner, exp.Star):
        if any(inner.args.values()):
            return None
        plain.set("this", _where(condition, exp.Literal.number(1)))
    else:
        plain.set("this", _where(condition, inner))
    return plain


def _where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])
