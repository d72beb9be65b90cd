"""Conditions on a row: true, false or NULL."""

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.casts import cast_to, written_time
from dalenius.sql.rows.durations import seconds_of
from dalenius.sql.rows.literals import text_of
from dalenius.sql.rows.typed import RowReader, Typed, expect, same_kind, typed
from dalenius.sql.types.kinds import Kind

_BOTH = (False, True)
_TIMES = {Kind.DATE, Kind.TIMESTAMP}


def compare(node: exp.Expr, read: RowReader) -> Typed:
    """=, <>, <, <=, >, >=, IS [NOT] DISTINCT FROM between values of one type."""
    left, right = _sides(node, read)
    return _condition(type(node)(this=left.tree, expression=right.tree), left, right)


def _sides(node: exp.Expr, read: RowReader) -> list[Typed]:
    """Both sides in one type; a difference of times beside an INTERVAL in seconds."""
    if any(isinstance(side.unnest(), exp.Interval) for side in (node.this, node.expression)):
        seconds = [seconds_of(side, read) for side in (node.this, node.expression)]
        if seconds[0] is None or seconds[1] is None:
            raise UnsupportedQuery("an INTERVAL is compared with a difference of times: a - b <= INTERVAL 30 DAY")
        return [one for one in seconds if one is not None]
    return comparable([read(node.this), read(node.expression)])


def connect(node: exp.Expr, read: RowReader) -> Typed:
    """AND, OR."""
    parts = [expect(read(side), Kind.BOOLEAN, node.key.upper()) for side in (node.this, node.expression)]
    return _condition(type(node)(this=parts[0].tree, expression=parts[1].tree), *parts)


def negate(node: exp.Expr, read: RowReader) -> Typed:
    """NOT."""
    part = expect(read(node.this), Kind.BOOLEAN, "NOT")
    return _condition(exp.Not(this=part.tree), part)


def is_null(node: exp.Expr, read: RowReader) -> Typed:
    """IS NULL, IS TRUE, IS FALSE."""
    part = read(node.this)
    if isinstance(node.expression, exp.Boolean):
        expect(part, Kind.BOOLEAN, "IS TRUE")
    elif not isinstance(node.expression, exp.Null):
        raise UnsupportedQuery("IS takes NULL, TRUE or FALSE")
    return _condition(exp.Is(this=part.tree, expression=node.expression.copy()), part)


def between(node: exp.Expr, read: RowReader) -> Typed:
    """Tests x BETWEEN a AND b."""
    if node.args.get("symmetric"):
        raise UnsupportedQuery("BETWEEN SYMMETRIC is not in the language: write x BETWEEN a AND b with a ≤ b")
    parts = comparable([read(node.this), read(node.args["low"]), read(node.args["high"])])
    tree = exp.Between(this=parts[0].tree, low=parts[1].tree, high=parts[2].tree)
    return _condition(tree, *parts)


def member(node: exp.Expr, read: RowReader) -> Typed:
    """Tests x IN (a, b, …) of values written out."""
    if any(node.args.get(name) for name in ("query", "unnest", "field", "is_global")):
        raise UnsupportedQuery("IN takes a list of values: a subquery has no sensitivity rule")
    parts = comparable([read(node.this), *(read(term) for term in node.expressions)])
    tree = exp.In(this=parts[0].tree, expressions=[part.tree for part in parts[1:]])
    flat = Typed(parts[0].kind, parts[0].tree, size=parts[0].size)  # a long list is wide, not deep
    return _condition(tree, flat)


def like(node: exp.Expr, read: RowReader) -> Typed:
    """LIKE and ILIKE with a pattern written out; no ESCAPE, at which the engine may stumble."""
    part, pattern = expect(read(node.this), Kind.TEXT, "LIKE"), read(node.expression)
    if text_of(pattern) is None:
        raise UnsupportedQuery("LIKE takes a pattern that is written out, such as 'a%'")
    tree: exp.Expr = type(node)(this=part.tree, expression=pattern.tree)
    return _condition(exp.Not(this=tree) if node.args.get("negate") else tree, part)


def comparable(parts: list[Typed]) -> list[Typed]:
    """The parts in one type: a text beside dates is read as one, a date beside timestamps as its midnight."""
    kinds = {part.kind for part in parts}
    times = kinds & _TIMES
    if times:
        finest = Kind.TIMESTAMP if Kind.TIMESTAMP in times else Kind.DATE
        parts = [
            written_time(part, finest)
            if text_of(part) is not None
            else cast_to(finest, part)
            if part.kind in _TIMES - {finest}
            else part
            for part in parts
        ]
    same_kind(parts, "a comparison")
    return parts


def _condition(tree: exp.Expr, *parts: Typed) -> Typed:
    return typed(Kind.BOOLEAN, exp.paren(tree, copy=False), *parts, values=_BOTH)
