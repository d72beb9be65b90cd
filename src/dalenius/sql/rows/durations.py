"""Differences of dates and times, and dates moved by intervals: total in the years 1 to 9999, NULL beyond."""

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.casts import written_time
from dalenius.sql.rows.literals import number, number_of, text_of
from dalenius.sql.rows.periods import LONG, SHORT, start_of, unit_name
from dalenius.sql.rows.times import TIMES, as_date, day_literal, held, time_of
from dalenius.sql.rows.typed import RowReader, Typed, ValueRange, typed
from dalenius.sql.types.kinds import Kind

_DAY_SECONDS = 86_400
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": _DAY_SECONDS, "week": 7 * _DAY_SECONDS}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_FARTHEST = 10_000 * 366
"""Days by which a date may be moved: from the years 1 to 9999 the engine's own range is not left."""
FORM = "write DATE_DIFF('day', start, end)"


def difference(node: exp.Expr, read: RowReader) -> Typed:
    """DATE_DIFF('day', start, end): how many borders of the unit lie between."""
    return _between("DATE_DIFF", unit_name(node.args.get("unit")), read(node.expression), read(node.this))


def named_difference(name: str, parts: list[Typed]) -> Typed:
    """DATE_SUB('year', start, end): how many whole units lie between."""
    unit = text_of(parts[0]) if len(parts) == 3 else None
    if unit is None:
        raise UnsupportedQuery(f"{name.upper()} takes a unit and two dates: {name.upper()}('day', start, end)")
    unit = unit.lower()
    return _between("DATE_SUB", unit[:-1] if unit.endswith("s") else unit, parts[1], parts[2])


def _between(word: str, unit: str, start: Typed, end: Typed) -> Typed:
    if unit not in LONG and unit not in SHORT:
        raise UnsupportedQuery(f"{word} has no rule for {unit!r}; there are {', '.join((*LONG, *SHORT))}")
    first, last = (time_of(_as_time(part), word) for part in (start, end))
    trees = [held(part) for part in (first, last)]
    if {first.kind, last.kind} == set(TIMES) or unit in SHORT:
        trees = [exp.cast(tree, "TIMESTAMP") for tree in trees]
    tree = exp.cast(exp.Anonymous(this=word, expressions=[exp.Literal.string(unit), *trees]), "DOUBLE")
    bounds = _units_between(unit, first, last, whole_units=word == "DATE_SUB")
    return typed(Kind.NUMBER, tree, first, last, bounds=bounds, copies=3, whole=True)


def _as_time(part: Typed) -> Typed:
    """A text beside dates is read as one."""
    if text_of(part) is None:
        return part
    return replace(written_time(part, Kind.DATE), bounds=None, constant=True)


def _units_between(unit: str, start: Typed, end: Typed, whole_units: bool) -> ValueRange | None:
    """The least and the most that a difference can be, which grows with the end and falls with the start."""
    if start.bounds is None or end.bounds is None:
        return None
    days = [[date.fromordinal(int(one)) for one in part.bounds] for part in (start, end) if part.bounds is not None]
    low, high = _steps(unit, days[0][1], days[1][0]), _steps(unit, days[0][0], days[1][1])
    if unit in SHORT:  # within a day the times may lie anywhere
        slack = _DAY_SECONDS // _SECONDS[unit]
        low, high = low - slack, high + slack
    if whole_units:
        low, high = low - 1 if low > 0 else low, high + 1 if high < 0 else high
    return Fraction(low), Fraction(high)


def _steps(unit: str, start: date, end: date) -> int:
    if unit in _MONTHS:
        size, (first, last) = _MONTHS[unit], (12 * day.year + day.month - 1 for day in (start, end))
        return last // size - first // size
    first, last = (start_of("week" if unit == "week" else "day", day).toordinal() for day in (start, end))
    return (last - first) * _DAY_SECONDS // _SECONDS[unit]


def minus(node: exp.Expr, left: Typed, right: Typed) -> Typed:
    """Dates that are subtracted: the days between; a date less a number of days is a date."""
    if left.kind is Kind.DATE and right.kind is Kind.DATE:
        days = exp.Sub(this=held(left), expression=held(right))
        bounds = _units_between("day", right, left, whole_units=False)
        return typed(Kind.NUMBER, exp.cast(exp.paren(days), "DOUBLE"), left, right, bounds=bounds, copies=3, whole=True)
    if right.kind in TIMES:
        raise UnsupportedQuery(f"a difference of timestamps has no type here: {FORM}, or compare it with an INTERVAL")
    return _moved_by_days(left, right, -1)


def plus(left: Typed, right: Typed) -> Typed:
    """A date and a number of days."""
    return _moved_by_days(*((left, right) if left.kind in TIMES else (right, left)), 1)


def _moved_by_days(when: Typed, by: Typed, sign: int) -> Typed:
    days = number_of(by)
    if when.kind is not Kind.DATE or days is None or days.denominator != 1:
        raise UnsupportedQuery("a date is moved by a whole number of days, or an INTERVAL, that is written out")
    return _moved(when, "day", sign * int(days))


def moved(node: exp.Expr, read: RowReader) -> Typed:
    """A date or time that an INTERVAL is added to, or subtracted from."""
    left, right = node.this.unnest(), node.expression.unnest()
    sign = -1 if isinstance(node, exp.Sub | exp.DateSub) else 1
    if isinstance(left, exp.Interval):
        left, right = right, left
    if not isinstance(right, exp.Interval) or (isinstance(node.this.unnest(), exp.Interval) and sign < 0):
        raise UnsupportedQuery("an INTERVAL is added to a date, or subtracted from one: d + INTERVAL 30 DAY")
    unit, count = interval(right)
    return _moved(time_of(read(left), "INTERVAL"), unit, sign * count)


def interval(node: exp.Expr) -> tuple[str, int]:
    """The unit and the number of an INTERVAL that is written out."""
    unit, size = unit_name(node.args.get("unit")), node.this
    while isinstance(size, exp.Paren):
        size = size.this
    written = str(size.name) if isinstance(size, exp.Literal) else ""
    if isinstance(size, exp.Neg) and isinstance(size.this, exp.Literal):
        written = f"-{size.this.name}"
    if (unit not in LONG and unit not in SHORT) or not written.lstrip("-").isdigit() or len(written) > 9:
        raise UnsupportedQuery("an INTERVAL is a whole number and a unit, written out: INTERVAL 30 DAY")
    return unit, int(written)


def seconds_of(node: exp.Expr, read: RowReader) -> Typed | None:
    """An INTERVAL, or a difference of two times, in seconds; None of anything else."""
    inner = node.unnest()
    if isinstance(inner, exp.Interval):
        unit, count = interval(inner)
        if unit not in _SECONDS:
            raise UnsupportedQuery(f"a difference is compared with days or less: a {unit} has no one length; {FORM}")
        return number(Fraction(count * _SECONDS[unit]))
    if not isinstance(inner, exp.Sub):
        return None
    left, right = read(inner.this), read(inner.expression)
    if left.kind not in TIMES or right.kind not in TIMES:
        return None
    first, last = (exp.cast(held(part), "TIMESTAMP") for part in (right, left))
    micros = exp.Anonymous(this="DATE_DIFF", expressions=[exp.Literal.string("microsecond"), first, last])
    tree = exp.Div(this=exp.cast(micros, "DOUBLE"), expression=exp.Literal.number("1000000e0"))
    return typed(Kind.NUMBER, exp.paren(tree, copy=False), left, right, copies=3)


def age_part(name: str, ages: list[Typed], today: date) -> Typed:
    """EXTRACT(year FROM AGE(later, earlier)): whole years between, by default until today."""
    if name != "year" or not 1 <= len(ages) <= 2:
        raise UnsupportedQuery(
            "of AGE(later, earlier) there is a rule for EXTRACT(year FROM …): or DATE_SUB('month', …)"
        )
    later, earlier = ages if len(ages) == 2 else (day_literal(today), ages[0])
    return _between("DATE_SUB", "year", earlier, later)


def check_reach(unit: str, count: int) -> None:
    """Refuse to move a date so far that the engine's own range might be left."""
    far = abs(count) * (_MONTHS[unit] * 31 if unit in _MONTHS else Fraction(_SECONDS[unit], _DAY_SECONDS))
    if far > _FARTHEST:
        raise UnsupportedQuery("a date may be moved by 10 000 years at most")


def _moved(when: Typed, unit: str, count: int) -> Typed:
    check_reach(unit, count)
    step = exp.Interval(this=exp.Literal.string(str(abs(count))), unit=exp.Var(this=unit.upper()))
    shifted = (exp.Sub if count < 0 else exp.Add)(this=held(when), expression=step)
    bounds = _shifted(when.bounds, unit, count)
    if unit in SHORT or when.kind is Kind.TIMESTAMP:
        plain = exp.cast(held(when), "TIMESTAMP") if when.kind is Kind.DATE else held(when)
        tree = type(shifted)(this=plain, expression=step)
        return typed(Kind.TIMESTAMP, exp.paren(tree, copy=False), when, bounds=bounds, copies=3)
    return typed(Kind.DATE, as_date(exp.paren(shifted, copy=False)), when, bounds=bounds, copies=3)


def _shifted(bounds: ValueRange | None, unit: str, count: int) -> ValueRange | None:
    if bounds is None:
        return None
    days = [_shifted_day(date.fromordinal(int(end)), unit, count) for end in bounds]
    slack = 1 if unit in SHORT else 0
    if days[0] is None or days[1] is None:
        return None
    return Fraction(days[0].toordinal() - slack), Fraction(days[1].toordinal() + slack)


def _shifted_day(day: date, unit: str, count: int) -> date | None:
    try:
        if unit not in _MONTHS:
            return day + timedelta(days=count * _SECONDS[unit] // _DAY_SECONDS)
        month = 12 * day.year + day.month - 1 + count * _MONTHS[unit]
        year, place = divmod(month, 12)
        last = next(one for one in (31, 30, 29, 28) if _exists(year, place + 1, min(one, day.day)))
        return date(year, place + 1, min(last, day.day))
    except (OverflowError, ValueError, StopIteration):
        return None


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
