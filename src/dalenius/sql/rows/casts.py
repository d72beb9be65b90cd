"""From one type to another: what cannot be read is NULL, never an error."""

import math
from dataclasses import replace
from datetime import date
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import evaluated, language
from dalenius.sql.rows.literals import text_of
from dalenius.sql.rows.typed import RowReader, Typed, ValueRange, typed
from dalenius.sql.types.kinds import Kind

_D = exp.DataType.Type
_WHOLE = frozenset(
    {_D.TINYINT, _D.SMALLINT, _D.INT, _D.BIGINT, _D.INT128, _D.UTINYINT, _D.USMALLINT, _D.UINT, _D.UBIGINT}
)
_KINDS = {
    **dict.fromkeys((_D.DOUBLE, _D.FLOAT, _D.DECIMAL), Kind.NUMBER),
    **dict.fromkeys((_D.TEXT, _D.VARCHAR), Kind.TEXT),
    **{_D.BOOLEAN: Kind.BOOLEAN, _D.DATE: Kind.DATE, _D.TIMESTAMP: Kind.TIMESTAMP, _D.TIMESTAMPNTZ: Kind.TIMESTAMP},
}
_NAMES = {
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "TEXT",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}
_DATES = {Kind.DATE, Kind.TIMESTAMP}
_FIRST_TIME = "290309-12-22 (BC) 00:00:00"
_ALLOWED = {
    Kind.NUMBER: {Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN},
    Kind.TEXT: set(Kind),
    Kind.BOOLEAN: {Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN},
    Kind.DATE: {Kind.TEXT, Kind.DATE, Kind.TIMESTAMP},
    Kind.TIMESTAMP: {Kind.TEXT, Kind.DATE, Kind.TIMESTAMP},
}


def cast(node: exp.Expr, read: RowReader) -> Typed:
    """CAST and TRY_CAST alike. Numbers stay doubles: a cast to an integer type rounds half up."""
    part, to = read(node.this), node.args["to"].this
    if type(node) is exp.Cast and text_of(part) is not None and _KINDS.get(to) in _DATES:
        return written_time(part, _KINDS[to])
    if to in _WHOLE:
        return _whole(cast_to(Kind.NUMBER, part))
    if to not in _KINDS:
        raise UnsupportedQuery(
            f"CAST to {language.written(node.args['to'])} has no rule: cast to DOUBLE, INTEGER, "
            "VARCHAR, BOOLEAN, DATE or TIMESTAMP"
        )
    return cast_to(_KINDS[to], part)


def cast_to(kind: Kind, part: Typed) -> Typed:
    """The value in that type, NULL where it has none."""
    if part.kind is kind or part.kind is Kind.NULL:
        return replace(part, kind=kind)
    if kind not in _ALLOWED[part.kind]:
        raise UnsupportedQuery(f"a {part.kind.value} cannot be cast to a {kind.value}")
    if part.kind is Kind.TIMESTAMP and kind is Kind.TEXT:
        return typed(kind, _written_time(part.tree), part, copies=3)
    if part.whole and kind is Kind.TEXT:
        return typed(kind, _written_whole(part.tree), part, copies=2)
    tree = exp.TryCast(this=part.tree, to=exp.DataType.build(_NAMES[kind]), safe=True)
    if kind in _DATES and part.kind in _DATES:
        return typed(kind, tree, part, bounds=part.bounds)
    if kind in _DATES:
        return typed(kind, tree, part, bounds=_written_day(part))
    if kind is not Kind.NUMBER:
        return typed(kind, tree, part, values=(False, True) if kind is Kind.BOOLEAN else None)
    if part.kind is Kind.BOOLEAN:
        return typed(kind, tree, part, bounds=(Fraction(0), Fraction(1)), values=(0, 1), whole=True)
    return typed(kind, without_nan(tree), part, copies=2)


def written_time(part: Typed, kind: Kind) -> Typed:
    """A text that is written out beside dates, read as one; refused if it is none, since no row would fulfil it."""
    when = cast_to(kind, part)
    if evaluated([exp.Is(this=when.tree.copy(), expression=exp.null())], {}) == ((True,),):
        raise UnsupportedQuery(
            f"{language.written(part.tree)[:40]} is no {kind.value}: write one as '2024-01-31' or '2024-01-31 12:30:00'"
        )
    return when


def _written_whole(number: exp.Expr) -> exp.Expr:
    """The digits of a whole number, without a decimal point; as a real number where it has more than 18 of them."""
    whole = exp.TryCast(this=number, to=exp.DataType.build("BIGINT"), safe=True)
    digits, real = (exp.TryCast(this=one, to=exp.DataType.build("TEXT"), safe=True) for one in (whole, number.copy()))
    return exp.Coalesce(this=digits, expressions=[real])


def _written_day(part: Typed) -> ValueRange | None:
    """The day of a date that is written out; None of any other text."""
    if not isinstance(part.tree, exp.Literal):
        return None
    try:
        day = Fraction(date.fromisoformat(str(part.tree.this)[:10]).toordinal())
    except ValueError:
        return None
    return day, day


def _written_time(when: exp.Expr) -> exp.Expr:
    """The text of a time; NULL before the engine's first day, where its cast raises what TRY_CAST does not catch.

    That error leaves the engine's whole database invalid. A CASE does not keep the cast from such a time, since the
    engine casts the dictionary of a file as a whole, or the rows that a filter is tried on. So no time that is cast
    lies before the first day. −∞ does, and has a text.
    """
    first, early = _time(_FIRST_TIME), "-infinity"
    late = exp.Anonymous(this="GREATEST", expressions=[when.copy(), first.copy()])
    written = exp.TryCast(this=late, to=exp.DataType.build(_NAMES[Kind.TEXT]), safe=True)
    return exp.Case(
        ifs=[
            exp.If(this=exp.GTE(this=when.copy(), expression=first), true=written),
            exp.If(this=exp.EQ(this=when.copy(), expression=_time(early)), true=exp.Literal.string(early)),
        ]
    )


def _time(text: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), "TIMESTAMP")


def without_nan(tree: exp.Expr) -> exp.Expr:
    """NaN is NULL."""
    return exp.Case(ifs=[exp.If(this=exp.IsNan(this=tree), true=exp.null())], default=tree.copy())


def _whole(part: Typed) -> Typed:
    tree = exp.Floor(this=exp.Add(this=part.tree, expression=exp.Literal.number("0.5e0")))
    if part.bounds is None:
        return typed(Kind.NUMBER, tree, part, whole=True)
    low, high = (Fraction(math.floor(end + Fraction(1, 2))) for end in part.bounds)
    return typed(Kind.NUMBER, tree, part, bounds=(low, high), whole=True)
