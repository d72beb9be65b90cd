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
_BY_YEAR = ("year", "isoyear", "decade", "century", "yearweek")
"""Parts whose range follows from that of the dates."""
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
_FROM_NEW_YEAR = {
    "week",
    "doy",
    "isoyear",
    "yearweek",
}  # counted from a day that may lie before the engine's first, at which it raises
TIMES_OF_DAY = frozenset({"hour", "minute", "second"})
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
NAMED = frozenset({"weekday", "isodow", "isoyear", "yearweek", "decade", "century"})
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


def part_name(node: exp.Expr) -> str | None:
    """The part of a date that a call gives; None of another call."""
    if isinstance(node, exp.Extract):
        name = node.this.name.lower()
    elif isinstance(node, exp.Anonymous) and node.name.lower() in ("date_part", "datepart"):
        name = str(node.expressions[0].name).lower() if node.expressions else ""
    else:
        name = node.name.lower() if isinstance(node, exp.Anonymous) else _FUNCTIONS.get(type(node), "")
    name = _SPELT.get(name, name)
    return name if name in _BY_YEAR or name in _RANGES else None


def _part(name: str, when: Typed) -> Typed:
    name = _SPELT.get(name, name)
    if name not in _BY_YEAR and name not in _RANGES:
        listed = ", ".join((*_BY_YEAR, *_RANGES))
        raise UnsupportedQuery(f"the part {name!r} of a date has no rule; there are {listed}")
    if when.kind not in (Kind.DATE, Kind.TIMESTAMP):
        raise UnsupportedQuery(f"{name.upper()} takes a date or a timestamp, got a {when.kind.value}; CAST it")
    if name in TIMES_OF_DAY and when.kind is Kind.DATE:
        raise UnsupportedQuery(f"{name.upper()} takes a timestamp, got a date")
    bounds = _years(name, when) if name in _BY_YEAR else _RANGES[name]
    extracted: exp.Expr = exp.Extract(this=exp.Var(this=name), expression=when.tree)
    if name in _FROM_NEW_YEAR:
        extracted = exp.Anonymous(this="TRY", expressions=[extracted])
    tree = exp.cast(extracted, "DOUBLE")
    ends = None if bounds is None else (Fraction(bounds[0]), Fraction(bounds[1]))
    return typed(Kind.NUMBER, tree, when, bounds=ends, whole=True)


def _years(name: str, when: Typed) -> tuple[int, int] | None:
    if when.bounds is None:
        return None
    first, last = (date.fromordinal(int(end)) for end in when.bounds)
    if name == "yearweek":
        weeks = [day.isocalendar() for day in (first, last)]
        return weeks[0].year * 100 + weeks[0].week, weeks[1].year * 100 + weeks[1].week
    if name == "isoyear":
        return first.isocalendar().year, last.isocalendar().year
    if name == "century":
        return (first.year - 1) // 100 + 1, (last.year - 1) // 100 + 1
    return (first.year, last.year) if name == "year" else (first.year // 10, last.year // 10)
