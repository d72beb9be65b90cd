"""Public dates and times above the release: their parts, their periods, and intervals added to them.

A date is its first moment here, so that a date and a time compare as the engine compares them.
"""

import calendar
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from sqlglot import exp

from dalenius.sql.after.regions.values import Exact, Unknown, Value
from dalenius.sql.rows.periods import LONG, start_of, unit_name
from dalenius.sql.text.words import word

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
_PARTS: dict[str, Callable[[datetime], int]] = {
    "year": lambda when: when.year,
    "quarter": lambda when: (when.month + 2) // 3,
    "month": lambda when: when.month,
    "day": lambda when: when.day,
    "hour": lambda when: when.hour,
    "minute": lambda when: when.minute,
    "dow": lambda when: when.isoweekday() % 7,
    "isodow": lambda when: when.isoweekday(),
    "doy": lambda when: when.timetuple().tm_yday,
    "week": lambda when: when.isocalendar().week,
}
_PARTS |= {
    **dict.fromkeys(("dayofweek", "weekday"), _PARTS["dow"]),
    **{"dayofyear": _PARTS["doy"], "weekofyear": _PARTS["week"], "dayofmonth": _PARTS["day"]},
}
PARTS: dict[type[exp.Expr], str] = {
    **{exp.Year: "year", exp.Quarter: "quarter", exp.Month: "month", exp.Day: "day", exp.DayOfMonth: "day"},
    **{exp.Hour: "hour", exp.Minute: "minute", exp.DayOfWeek: "dow", exp.DayOfWeekIso: "isodow"},
    **{exp.DayOfYear: "doy", exp.Week: "week", exp.WeekOfYear: "week"},
}
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_YEAR = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
NAMES: dict[type[exp.Expr], Callable[[datetime], str]] = {
    exp.Dayname: lambda when: _WEEK[when.weekday()],
    exp.Monthname: lambda when: _YEAR[when.month - 1],
}
TIMES = ("DATE", "TIMESTAMP", "TIMESTAMPNTZ")


def moment(value: Any) -> datetime | None:
    """The moment that a public value names; None of what names none."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if not isinstance(value, str):
        return None
    try:
        when = datetime.fromisoformat(value)
    except ValueError:
        return None
    return when if when.tzinfo is None else None


def part(value: Value, name: str, what: str) -> Value:
    """YEAR(d) and its like."""
    read = _PARTS.get(name)
    return _public(value, what, read) if read is not None else Unknown(f"{what} has no rule for regions")


def name(value: Value, node: exp.Expr) -> Value:
    """DAYNAME(d) and MONTHNAME(d)."""
    return _public(value, word(node), NAMES[type(node)])


def period(value: Value, node: exp.Expr) -> Value:
    """DATE_TRUNC('month', d)."""
    unit = unit_name(node.args.get("unit"))
    if unit not in LONG or node.args.get("zone"):
        return Unknown("DATE_TRUNC by this unit has no rule for regions")
    return _public(value, "DATE_TRUNC", lambda when: moment(start_of(unit, when.date())))


def cast(value: Value, kind: str) -> Value:
    """CAST(d AS DATE)."""
    cut: Callable[[datetime], Any] = (lambda when: moment(when.date())) if kind == "DATE" else lambda when: when
    return _public(value, f"a cast to {kind}", cut)


def moved(value: Value, node: exp.Expr) -> Value:
    """D + INTERVAL '1 year', D − INTERVAL '1 month': the day of a shorter month is its last."""
    move = mover(node.expression, back=isinstance(node, exp.Sub))
    if move is None:
        return Unknown(f"{word(node)} with this interval has no rule for regions")
    return _public(value, "an interval", move)


def mover(interval: exp.Expr, back: bool) -> Callable[[datetime], datetime | None] | None:
    """What adds an interval that is written out to a time, or takes it away; None of an interval without a rule."""
    length, unit = interval.this, unit_name(interval.args.get("unit"))
    number = str(length.name) if isinstance(length, exp.Literal) else ""
    if not number.isdigit() or len(number) > 4 or unit not in (*_MONTHS, *_DAYS):
        return None
    count = int(number) * (-1 if back else 1)
    return lambda when: _moved(when, count, unit)


def _moved(when: datetime, count: int, unit: str) -> datetime | None:
    try:
        if unit in _DAYS:
            return when + timedelta(days=count * _DAYS[unit])
        year, month = divmod(when.year * 12 + when.month - 1 + count * _MONTHS[unit], 12)
        return when.replace(year=year, month=month + 1, day=min(when.day, calendar.monthrange(year, month + 1)[1]))
    except (ValueError, OverflowError):  # outside of the years that a date has here
        return None


def _public(value: Value, what: str, function: Callable[[datetime], Any]) -> Value:
    """A function of a public time; NULL of NULL."""
    if isinstance(value, Exact) and value.point is None:
        return value
    when = moment(value.point) if isinstance(value, Exact) else None
    result = None if when is None else function(when)
    return Unknown(f"{what} has no rule for regions here") if result is None else Exact(result)
