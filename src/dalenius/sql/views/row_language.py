"""Expressions over the rows of a released table, in SQL's logic of three values.

They read what has been released and nothing else, so they cost nothing  [A Prop 3.1]. Each is total: what has no value
(x / 0, anything of NULL) is None.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from dalenius.curator.answer.outcome import Told
from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.numerics import rational
from dalenius.sql.text.words import word
from dalenius.sql.types.kinds import Kind

ReleasedRow = Mapping[str, Told]
"""A row of a released table, by names in lower case."""


@dataclass(frozen=True, slots=True)
class RowValue:
    """What an expression is in every row, and its type."""

    kind: Kind
    of: Callable[[ReleasedRow], Any]


def kind_of_values(values: Sequence[Told]) -> Kind:
    """The type of a released column."""
    known = [value for value in values if value is not None]
    for kind, held in ((Kind.NULL, ()), (Kind.BOOLEAN, bool), (Kind.TEXT, str)):
        if all(isinstance(value, held) for value in known):
            return kind
    return Kind.NUMBER


def read_row(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    """The expression, or a refusal by name; `kinds` are the columns that there are."""
    rule = _RULES.get(type(node))
    if rule is None:
        raise UnsupportedQuery(
            f"{word(node)} is not understood over a view: its rows are released, so take them with to_pandas()"
        )
    return rule(node, kinds)


def column_name(node: exp.Expr, kinds: Mapping[str, Kind]) -> str:
    """The column of the view that a name means, in lower case."""
    if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
        raise UnsupportedQuery(
            "SELECT over a view takes its columns; what you make of them costs nothing, after to_pandas()"
        )
    if node.name.lower() not in kinds:
        raise UnknownName(f"the view has no column {node.name!r}; it has {', '.join(kinds)}")
    return node.name.lower()


def _column(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    name = column_name(node, kinds)
    return RowValue(kinds[name], lambda row: row[name])


def _literal(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    if node.is_string:
        return _constant(Kind.TEXT, str(node.this))
    return _constant(Kind.NUMBER, rational(str(node.this), "a number in the query"))


def _constant(kind: Kind, value: Any) -> RowValue:
    return RowValue(kind, lambda row: value)


def _of_kind(kind: Kind, node: exp.Expr, kinds: Mapping[str, Kind], place: str) -> RowValue:
    value = read_row(node, kinds)
    if value.kind not in (kind, Kind.NULL):
        raise UnsupportedQuery(f"{place} takes a {kind.value}, got a {value.kind.value}")
    return value


def _arithmetic(apply: Callable[[float, float], float]) -> "_Rule":
    def rule(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
        left, right = (_of_kind(Kind.NUMBER, side, kinds, word(node)) for side in (node.this, node.expression))

        def of(row: ReleasedRow) -> float | None:
            x, y = left.of(row), right.of(row)
            return None if x is None or y is None else _held(apply, x, y)

        return RowValue(Kind.NUMBER, of)

    return rule


def _held(apply: Callable[[float, float], float], x: Any, y: Any) -> float | None:
    try:
        result = apply(float(x), float(y))
    except (ZeroDivisionError, OverflowError):
        return None
    return None if result != result else result


def _compared(apply: Callable[[Any, Any], bool]) -> "_Rule":
    return lambda node, kinds: _comparison(
        apply, read_row(node.this, kinds), read_row(node.expression, kinds), word(node)
    )


def _comparison(apply: Callable[[Any, Any], bool], left: RowValue, right: RowValue, name: str) -> RowValue:
    if left.kind is not right.kind and Kind.NULL not in (left.kind, right.kind):
        raise UnsupportedQuery(f"{name} compares two of one type, got a {left.kind.value} and a {right.kind.value}")

    def of(row: ReleasedRow) -> bool | None:
        x, y = left.of(row), right.of(row)
        return None if x is None or y is None else apply(x, y)

    return RowValue(Kind.BOOLEAN, of)


def _joined(decisive: bool, terms: Sequence[RowValue]) -> RowValue:
    """OR (True decides) and AND (False does); undecided with a NULL is NULL."""

    def of(row: ReleasedRow) -> bool | None:
        values = [term.of(row) for term in terms]
        return decisive if decisive in values else None if None in values else not decisive

    return RowValue(Kind.BOOLEAN, of)


def _logical(decisive: bool) -> "_Rule":
    return lambda node, kinds: _joined(
        decisive, [_of_kind(Kind.BOOLEAN, side, kinds, word(node)) for side in (node.this, node.expression)]
    )


def _not(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    inner = _of_kind(Kind.BOOLEAN, node.this, kinds, "NOT")
    return RowValue(Kind.BOOLEAN, lambda row: None if (value := inner.of(row)) is None else not value)


def _in(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    if any(value for name, value in node.args.items() if name not in ("this", "expressions")):
        raise UnsupportedQuery("IN takes a list that is written out")
    value = read_row(node.this, kinds)
    return _joined(True, [_comparison(operator.eq, value, read_row(one, kinds), "IN") for one in node.expressions])


def _between(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    value, low, high = (read_row(node.args[name], kinds) for name in ("this", "low", "high"))
    ends = (_comparison(operator.ge, value, low, "BETWEEN"), _comparison(operator.le, value, high, "BETWEEN"))
    return _joined(False, ends)


def _is(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    if not isinstance(node.expression, exp.Null):
        raise UnsupportedQuery("IS takes NULL, or NOT NULL")
    value = read_row(node.this, kinds)
    return RowValue(Kind.BOOLEAN, lambda row: value.of(row) is None)


def _like(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    value = _of_kind(Kind.TEXT, node.this, kinds, "LIKE")
    if not isinstance(node.expression, exp.Literal) or not node.expression.is_string:
        raise UnsupportedQuery("LIKE takes a pattern that is written out")
    marks = {"%": ".*", "_": "."}
    pattern = re.compile(
        "".join(marks.get(letter, re.escape(letter)) for letter in str(node.expression.this)),
        re.DOTALL | (re.IGNORECASE if isinstance(node, exp.ILike) else 0),
    )
    return RowValue(
        Kind.BOOLEAN, lambda row: None if (text := value.of(row)) is None else pattern.fullmatch(text) is not None
    )


def _negative(node: exp.Expr, kinds: Mapping[str, Kind]) -> RowValue:
    inner = _of_kind(Kind.NUMBER, node.this, kinds, "-")
    return RowValue(Kind.NUMBER, lambda row: None if (value := inner.of(row)) is None else -value)


_Rule = Callable[[exp.Expr, Mapping[str, Kind]], RowValue]
_RULES: dict[type[exp.Expr], _Rule] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda node, kinds: _constant(Kind.BOOLEAN, bool(node.this)),
    exp.Null: lambda node, kinds: _constant(Kind.NULL, None),
    exp.Paren: lambda node, kinds: read_row(node.this, kinds),
    exp.Neg: _negative,
    exp.Add: _arithmetic(operator.add),
    exp.Sub: _arithmetic(operator.sub),
    exp.Mul: _arithmetic(operator.mul),
    exp.Div: _arithmetic(operator.truediv),
    exp.EQ: _compared(operator.eq),
    exp.NEQ: _compared(operator.ne),
    exp.GT: _compared(operator.gt),
    exp.GTE: _compared(operator.ge),
    exp.LT: _compared(operator.lt),
    exp.LTE: _compared(operator.le),
    exp.And: _logical(False),
    exp.Or: _logical(True),
    **{exp.Not: _not, exp.In: _in, exp.Between: _between, exp.Is: _is, exp.Like: _like, exp.ILike: _like},
}
