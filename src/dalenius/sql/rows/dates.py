"""Parts of dates and times. A part of an infinite date is NULL."""

from datetime import date
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.literals import text_of
from dalenius.sql.rows.typed import RowReader, Typed, typed
from dalenius.sql.types.kinds import Kind

_RANGES = {
    "month": (1, 12),
    "quarter": (1, 4),
    "day": (1, 31),
    "week": (1, 53),
    "dow": (0, 6),
    "isodow": (1, 7),
    "doy": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
_SPELT = {
    "months": "month",
    "dayofmonth": "day",
    "dayofweek": "dow",
    "weekday": "dow",
    "dayofyear": "doy",
    "weekofyear": "week",
    "years": "year",
    "hours": "hour",
}
_FROM_NEW_YEAR = {"week", "doy"}  # counted from a day that may lie before the engine's first, at which it raises
_TIMES = {"hour", "minute", "second"}
_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Year: "year",
    exp.Month: "month",
    exp.Quarter: "quarter",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "dow",
    exp.DayOfWeekIso: "isodow",
    exp.DayOfYear: "doy",
    exp.Week: "week",
    exp.WeekOfYear: "week",
    exp.Hour: "hour",
    exp.Minute: "minute",
    exp.Second: "second",
}
PARTS: tuple[type[exp.Expr], ...] = tuple(_FUNCTIONS)
NAMED = frozenset({"weekday", "isodow"})
"""Functions that the parser has no node for."""


def part(node: exp.Expr, read: RowReader) -> Typed:
    """YEAR(d), MONTH(d) and so on."""
    return _part(_FUNCTIONS[type(node)], read(node.this))


def extract(node: exp.Expr, read: RowReader) -> Typed:
    """EXTRACT(part FROM d)."""
    return _part(node.this.name.lower(), read(node.expression))


def date_part(parts: list[Typed]) -> Typed:
    """DATE_PART('part', d)."""
    name = text_of(parts[0]) if len(parts) == 2 else None
    if name is None:
        raise UnsupportedQuery("DATE_PART takes the name of a part and a date: DATE_PART('month', d)")
    return _part(name.lower(), parts[1])


def named(name: str, parts: list[Typed]) -> Typed:
    """WEEKDAY(d), ISODOW(d)."""
    if len(parts) != 1:
        raise UnsupportedQuery(f"{name.upper()} takes one date")
    return _part(name, parts[0])


def _part(name: str, when: Typed) -> Typed:
    name = _SPELT.get(name, name)
    if name != "year" and name not in _RANGES:
        raise UnsupportedQuery(f"the part {name!r} of a date has no rule; there are year, {', '.join(_RANGES)}")
    if when.kind not in (Kind.DATE, Kind.TIMESTAMP):
        raise UnsupportedQuery(f"{name.upper()} takes a date or a timestamp, got a {when.kind.value}; CAST it")
    if name in _TIMES and when.kind is Kind.DATE:
        raise UnsupportedQuery(f"{name.upper()} takes a timestamp, got a date")
    bounds = _years(when) if name == "year" else _RANGES[name]
    extracted: exp.Expr = exp.Extract(this=exp.Var(this=name), expression=when.tree)
    if name in _FROM_NEW_YEAR:
        extracted = exp.Anonymous(this="TRY", expressions=[extracted])
    tree = exp.cast(extracted, "DOUBLE")
    if bounds is None:
        return typed(Kind.NUMBER, tree, when)
    low, high = bounds
    return typed(Kind.NUMBER, tree, when, bounds=(Fraction(low), Fraction(high)), values=tuple(range(low, high + 1)))


def _years(when: Typed) -> tuple[int, int] | None:
    if when.bounds is None:
        return None
    first, last = (date.fromordinal(int(end)) for end in when.bounds)
    return first.year, last.year
