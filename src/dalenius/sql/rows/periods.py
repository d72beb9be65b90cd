"""Periods of time: DATE_TRUNC and its relatives, names of days and months, STRFTIME.

A period of a day and more is named by its first day, which is a date; so that a week, a month or a quarter is a key
wherever the dates have declared bounds.
"""

import re
from datetime import date, timedelta
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.literals import text_of
from dalenius.sql.rows.times import as_date, day_of, held, time_of
from dalenius.sql.rows.typed import RowReader, Typed, ValueRange, typed
from dalenius.sql.types.kinds import Kind

LONG = ("year", "quarter", "month", "week", "day")
SHORT = ("hour", "minute", "second")
_FORMS = "aAbBdGHIjmMpSuUVwWyY%-"
_LONGEST_FORMAT = 60
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def unit_name(node: exp.Expr | None) -> str:
    """The unit of time that is written, in small letters and the singular."""
    name = "" if node is None else str(node.name).lower()
    return name[:-1] if name.endswith("s") else name


def truncate(node: exp.Expr, read: RowReader) -> Typed:
    """DATE_TRUNC('month', d): the start of the period that holds it."""
    if node.args.get("zone"):
        raise UnsupportedQuery("DATE_TRUNC takes a unit and a date: times are as they are stored, without a zone")
    unit = unit_name(node.args.get("unit"))
    return truncated(unit, time_of(read(node.this), "DATE_TRUNC"))


def truncated(unit: str, when: Typed) -> Typed:
    """The start of the period; its bounds are the starts of the periods that hold the bounds."""
    if unit not in LONG and unit not in SHORT:
        raise UnsupportedQuery(f"DATE_TRUNC has no rule for {unit!r}; there are {', '.join((*LONG, *SHORT))}")
    if unit in SHORT:
        if when.kind is Kind.DATE:
            raise UnsupportedQuery(f"DATE_TRUNC('{unit}', …) takes a timestamp, got a date")
        tree = exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(unit), held(when)])
        return typed(Kind.TIMESTAMP, tree, when, bounds=when.bounds, copies=3)
    if unit == "day":
        return typed(Kind.DATE, day_of(when), when, bounds=when.bounds, copies=3)
    cut = exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(unit), day_of(when)])
    return typed(Kind.DATE, as_date(cut), when, bounds=_started(unit, when.bounds), copies=3)


def bucket(node: exp.Expr, read: RowReader) -> Typed:
    """TIME_BUCKET(INTERVAL '1 month', d) of one unit, which is DATE_TRUNC."""
    width = node.this
    one = isinstance(width, exp.Interval) and str(width.this.name) == "1" and not node.args.get("zone")
    if not one:
        raise UnsupportedQuery("TIME_BUCKET takes an interval of one unit, such as INTERVAL '1 month': use DATE_TRUNC")
    return truncated(unit_name(width.args.get("unit")), time_of(read(node.expression), "TIME_BUCKET"))


def whole_day(node: exp.Expr, read: RowReader) -> Typed:
    """DATE(x): the date of a time."""
    if any(value for name, value in node.args.items() if name != "this"):
        raise UnsupportedQuery("DATE takes one date or time")
    return truncated("day", time_of(read(node.this), "DATE"))


def last_day(node: exp.Expr, read: RowReader) -> Typed:
    """The last day of a month."""
    if node.args.get("unit"):
        raise UnsupportedQuery("LAST_DAY takes one date")
    when = time_of(read(node.this), "LAST_DAY")
    ends = None
    if when.bounds is not None:
        ends = _ordinal(_last(when.bounds[0])), _ordinal(_last(when.bounds[1]))
    return typed(Kind.DATE, exp.LastDay(this=day_of(when)), when, bounds=ends, copies=3)


def day_name(node: exp.Expr, read: RowReader) -> Typed:
    """The English name of the day of the week."""
    return _name("DAYNAME", time_of(read(node.this), "DAYNAME"), _DAYS)


def month_name(node: exp.Expr, read: RowReader) -> Typed:
    """The English name of the month."""
    return _name("MONTHNAME", time_of(read(node.this), "MONTHNAME"), _MONTHS)


def formatted(node: exp.Expr, read: RowReader) -> Typed:
    """STRFTIME(d, '%Y-%m') with a format that is written out."""
    parts = [read(node.this), read(node.args["format"])]
    when, form = parts if text_of(parts[1]) is not None else parts[::-1]
    pattern = text_of(form)
    if pattern is None or len(pattern) > _LONGEST_FORMAT:
        raise UnsupportedQuery(
            f"STRFTIME takes a format of at most {_LONGEST_FORMAT} characters that is written out: STRFTIME(d, '%Y-%m')"
        )
    if wrong := [form for form in directives(pattern) if not form or form not in _FORMS]:
        raise UnsupportedQuery(f"STRFTIME has no rule for %{wrong[0]}; there are %{' %'.join(_FORMS[:-1])}")
    time = held(time_of(when, "STRFTIME"))
    tree = exp.Anonymous(this="STRFTIME", expressions=[time, exp.Literal.string(pattern)])
    return typed(Kind.TEXT, tree, when, copies=3)


def directives(pattern: str) -> list[str]:
    """The letters after each % of a format; "" where it ends in one."""
    return re.findall(r"%-?(.?)", pattern)


def is_time_of_day(pattern: str) -> bool:
    """Whether a format shows what is finer than an hour."""
    return bool(set(directives(pattern)) & set("MS"))


def _name(word: str, when: Typed, names: tuple[str, ...]) -> Typed:
    tree = exp.Anonymous(this=word, expressions=[day_of(when)])
    return typed(Kind.TEXT, tree, when, values=names, copies=3)


def start_of(unit: str, day: date) -> date:
    """The first day of the period of a day."""
    if unit == "week":
        return day - timedelta(days=min(day.weekday(), day.toordinal() - 1))
    month = {"year": 1, "quarter": day.month - (day.month - 1) % 3}.get(unit, day.month)
    return day if unit == "day" else day.replace(month=month, day=1)


def _started(unit: str, bounds: ValueRange | None) -> ValueRange | None:
    if bounds is None:
        return None
    first, last = (start_of(unit, date.fromordinal(int(end))) for end in bounds)
    return _ordinal(first), _ordinal(last)


def _last(end: Fraction) -> date:
    day = date.fromordinal(int(end))
    after = day.replace(day=28) + timedelta(days=4) if (day.year, day.month) != (9999, 12) else None
    return date(9999, 12, 31) if after is None else after - timedelta(days=after.day)


def _ordinal(day: date) -> Fraction:
    return Fraction(day.toordinal())
