"""The closed language of row expressions: a table from each construct to its rule; what is not in it is refused."""

from collections.abc import Callable
from datetime import datetime, time

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.catalog import CATALOG
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import (
    arithmetic,
    casts,
    choices,
    conditions,
    dates,
    durations,
    literals,
    patterns,
    periods,
    powers,
    texts,
    zones,
)
from dalenius.sql.rows.columns import column
from dalenius.sql.rows.times import TIMES, day_literal, time_literal
from dalenius.sql.rows.typed import RowReader, Typed
from dalenius.sql.text.quoted import pointing
from dalenius.sql.text.words import word
from dalenius.sql.types.similar_names import did_you_mean

_Rule = Callable[[exp.Expr, RowReader], Typed]
_RULES: dict[type[exp.Expr], _Rule] = {
    exp.Literal: lambda node, read: literals.literal(node),
    exp.Boolean: lambda node, read: literals.boolean(node),
    exp.Null: lambda node, read: literals.null(node),
    exp.Paren: lambda node, read: read(node.this),
    exp.Mul: arithmetic.binary,
    **dict.fromkeys((exp.Add, exp.Sub), lambda node, read: _sum(node, read)),
    **dict.fromkeys((exp.DateAdd, exp.DateSub), durations.moved),
    **{exp.Div: arithmetic.divide, exp.IntDiv: arithmetic.whole_divide, exp.Mod: arithmetic.remainder},
    **{exp.Neg: arithmetic.negative, exp.Abs: arithmetic.absolute, exp.Floor: arithmetic.floor},
    **{exp.Ceil: arithmetic.ceiling, exp.Round: arithmetic.rounded},
    **{exp.Greatest: arithmetic.extreme, exp.Least: arithmetic.extreme},
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), conditions.compare),
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ), conditions.compare),
    **{exp.And: conditions.connect, exp.Or: conditions.connect, exp.Not: conditions.negate},
    **{exp.Is: conditions.is_null, exp.Between: conditions.between, exp.In: conditions.member},
    **{exp.Like: conditions.like, exp.ILike: conditions.like},
    **{exp.Cast: casts.cast, exp.TryCast: casts.cast},
    **{exp.Case: choices.case, exp.If: choices.if_, exp.Coalesce: choices.coalesce, exp.Nullif: choices.null_if},
    **{exp.Lower: texts.change, exp.Upper: texts.change, exp.Trim: texts.change, exp.Length: texts.length},
    **{exp.Substring: texts.slice_, exp.Contains: texts.find, exp.StartsWith: texts.find},
    **{exp.Left: texts.end, exp.Right: texts.end, exp.Replace: texts.replace_text},
    exp.SplitPart: texts.part_of,
    **{exp.RegexpLike: patterns.matches, exp.RegexpFullMatch: patterns.matches, exp.RegexpExtract: patterns.extracted},
    **{exp.Concat: texts.concatenate, exp.DPipe: texts.concatenate},
    **{exp.Sqrt: powers.square_root, exp.Ln: powers.natural_logarithm, exp.Log: powers.logarithm},
    **{exp.Exp: powers.exponential, exp.Pow: powers.power, exp.Sign: powers.sign},
    **{exp.Trunc: arithmetic.truncated, exp.WidthBucket: powers.width_bucket},
    **dict.fromkeys(dates.PARTS, dates.part),
    exp.Extract: dates.extract,
    **dict.fromkeys((exp.TimestampTrunc, exp.DateTrunc), periods.truncate),
    **{exp.DateBin: periods.bucket, exp.Date: periods.whole_day, exp.LastDay: periods.last_day},
    **{exp.Dayname: periods.day_name, exp.Monthname: periods.month_name, exp.TimeToStr: periods.formatted},
    exp.DateDiff: durations.difference,
}
_PARTS_OF_DATES = frozenset({"date_part", "datepart"})
_NAMED_DIFFERENCES = frozenset({"date_sub", "datesub"})
_NOW = frozenset({"now", "get_current_timestamp", "transaction_timestamp"})


def row_expression(node: exp.Expr, policy: Policy) -> Typed:
    """The expression with its type, its public bounds and a rendering that no row can make fail."""

    @pointing
    def read(inner: exp.Expr) -> Typed:
        if isinstance(inner, exp.Column):
            return column(inner.name, policy)
        if isinstance(inner, exp.CurrentDate) or (isinstance(inner, exp.Anonymous) and inner.name.lower() == "today"):
            return day_literal(policy.today)
        if isinstance(inner, exp.CurrentTimestamp) or (isinstance(inner, exp.Anonymous) and inner.name.lower() in _NOW):
            return time_literal(datetime.combine(policy.today, time()))
        if isinstance(inner, exp.AtTimeZone):
            return zones.at_time_zone(inner, read, policy)
        if isinstance(inner, exp.Extract) and (ages := _ages(inner, read)) is not None:
            return durations.age_part(inner.this.name.lower(), ages, policy.today)
        if isinstance(inner, exp.Anonymous) and (part := _part_of_age(inner, read)) is not None:
            return durations.age_part(*part, policy.today)
        if isinstance(inner, exp.Anonymous):
            return _function(inner, read)
        rule = _RULES.get(type(inner))
        if rule is None:
            raise UnsupportedQuery(f"{word(inner)} has no rule for a row: no sensitivity, or not total")
        return rule(inner, read)

    return read(node)


def _sum(node: exp.Expr, read: RowReader) -> Typed:
    """The sum or difference of numbers, of dates and days, or of a date and an INTERVAL."""
    if any(isinstance(side.unnest(), exp.Interval) for side in (node.this, node.expression)):
        return durations.moved(node, read)
    left, right = read(node.this), read(node.expression)
    if left.kind not in TIMES and right.kind not in TIMES:
        return arithmetic.binary(node, read)
    return durations.plus(left, right) if isinstance(node, exp.Add) else durations.minus(node, left, right)


def _part_of_age(node: exp.Anonymous, read: RowReader) -> tuple[str, list[Typed]] | None:
    """DATE_PART('year', AGE(…)), which is EXTRACT(year FROM AGE(…))."""
    if node.name.lower() not in _PARTS_OF_DATES or len(node.expressions) != 2:
        return None
    unit, ages = (
        literals.text_of(read(node.expressions[0])),
        _ages(exp.Extract(expression=node.expressions[1].copy()), read),
    )
    return None if unit is None or ages is None else (unit.lower(), ages)


def _ages(node: exp.Extract, read: RowReader) -> list[Typed] | None:
    inner = node.expression.unnest()
    if not isinstance(inner, exp.Anonymous) or inner.name.lower() != "age":
        return None
    return [read(term) for term in inner.expressions]


def _function(node: exp.Anonymous, read: RowReader) -> Typed:
    name = node.name.lower()
    known = {"clamp", *_PARTS_OF_DATES, *dates.NAMED, *_NAMED_DIFFERENCES}
    parts = [read(term) for term in node.expressions] if name in known else []
    if name == "clamp":
        return arithmetic.clamp(parts)
    if name in _PARTS_OF_DATES:
        return dates.date_part(parts)
    if name in _NAMED_DIFFERENCES:
        return durations.named_difference(name, parts)
    if name in dates.NAMED:
        return dates.named(name, parts)
    raise UnsupportedQuery(
        f"{word(node)} has no rule for a row: no sensitivity, or not total{did_you_mean(name, function_names())}"
    )


def function_names() -> list[str]:
    """Every function of a row, and every aggregate, by its name in SQL."""
    read = [name for node in _RULES if issubclass(node, exp.Func) for name in node.sql_names()]
    return [*read, *(name.upper() for name in dates.NAMED), "CLAMP", "DATE_PART", *(one.name for one in CATALOG)]
