"""A utility that is linear in aggregates, as one sum over rows."""

from dataclasses import replace

from sqlglot import exp

from dalenius.sql.planner.stages import Question
from dalenius.sql.policy.policy import Policy

_ONE_VALUE = ("this", "big_int")


def sum_utility(question: Question, policy: Policy) -> Question:
    """Write what candidates are compared by as one SUM, where keys and numbers are the factors of its aggregates.

    In a group a key k is the same in all rows, so that k·COUNT(*) is SUM(k) and k·SUM(x) is SUM(k·x): `p.price *
    COUNT(*)` is a sum over rows too. A utility in another form is left as it is.
    """
    order, group = question.tree.args["order"], question.tree.args["group"]
    keys = {one.name for one in group.expressions if isinstance(one, exp.Column)}
    utility = order.expressions[0].this.unnest()
    if isinstance(utility, exp.AggFunc) or (row := _row(utility, keys)) is None:
        return question
    tree = question.tree.copy()
    tree.args["order"].expressions[0].set("this", exp.Sum(this=row))
    return replace(question, tree=tree)


def _row(node: exp.Expr, keys: set[str]) -> exp.Expr | None:
    """What one row adds to an expression, if that is linear in sums and counts; else None."""
    if isinstance(node, exp.Paren):
        return _row(node.this, keys)
    if isinstance(node, exp.Sum | exp.Count):
        return _term(node)
    if isinstance(node, exp.Neg):
        inner = _row(node.this, keys)
        return None if inner is None else exp.Neg(this=exp.paren(inner))
    if isinstance(node, exp.Add | exp.Sub):
        left, right = (_row(side, keys) for side in (node.this, node.expression))
        if left is None or right is None:
            return None
        return type(node)(this=exp.paren(left), expression=exp.paren(right))
    if isinstance(node, exp.Mul | exp.Div):
        return _product(node, keys)
    return None


def _product(node: exp.Mul | exp.Div, keys: set[str]) -> exp.Expr | None:
    factor, rest = node.expression, node.this
    if isinstance(node, exp.Mul) and not _is_factor(factor, keys):
        factor, rest = rest, factor
    row = _row(rest, keys) if _is_factor(factor, keys) else None
    return None if row is None else type(node)(this=exp.paren(row), expression=exp.paren(factor.copy()))


def _is_factor(node: exp.Expr, keys: set[str]) -> bool:
    return node.find(exp.AggFunc) is None and all(column.name in keys for column in node.find_all(exp.Column))


def _term(call: exp.Sum | exp.Count) -> exp.Expr | None:
    inner = call.this
    if isinstance(inner, exp.Distinct) or any(value for name, value in call.args.items() if name not in _ONE_VALUE):
        return None
    if isinstance(call, exp.Sum):
        return exp.Coalesce(this=inner.copy(), expressions=[exp.Literal.number(0)])
    one, none = exp.Literal.number(1), exp.Literal.number(0)
    if isinstance(inner, exp.Star):
        return one
    return exp.Case(ifs=[exp.If(this=inner.copy().is_(exp.null()), true=none)], default=one)
