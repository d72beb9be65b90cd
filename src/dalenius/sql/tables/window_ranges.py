"""Frames by value: RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW, over one unit's rows.

A frame holds all rows whose value lies in a range around that of the row, those that equal it among them. So it is a
function of the unit's rows as a set with multiplicities, and no order of equal rows has a say. What is ordered by is
held in the years 1 to 9999, or is a number that is not NaN, and ranges are bounded: no end of a frame leaves its type.
"""

from collections.abc import Sequence

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows import Typed
from dalenius.sql.rows.durations import check_reach, interval
from dalenius.sql.rows.times import TIMES, held
from dalenius.sql.types.kinds import Kind

FORM = "a frame by value is RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW, or of a number RANGE BETWEEN 5 …"
_ENDS = ("UNBOUNDED", "CURRENT ROW", None)
_MOST_DIGITS = 15


def is_by_value(spec: exp.Expr) -> bool:
    """Whether a frame is one by value."""
    return str(spec.args.get("kind")).upper() == "RANGE"


def ordered_by_value(spec: exp.Expr, order: list[exp.Expr], values: Sequence[Typed]) -> list[exp.Expr]:
    """What the window is ordered by, held in its range where the frame has ends at a distance."""
    if spec.args.get("exclude"):
        raise UnsupportedQuery(f"{FORM}; EXCLUDE has no rule")
    distances = [end for end in (spec.args.get("start"), spec.args.get("end")) if end not in _ENDS]
    if not distances:
        return order
    if len(values) != 1:
        raise UnsupportedQuery(f"{FORM}, ordered by one value")
    (value,) = values
    if value.kind in TIMES:
        for end in distances:
            _check_interval(end)
        (term,) = order
        return [exp.Ordered(**{**term.args, "this": held(value)})]
    if value.kind is not Kind.NUMBER or not all(map(_is_number, distances)):
        raise UnsupportedQuery(f"{FORM}, of a date, a timestamp or a number")
    return order


def _check_interval(end: object) -> None:
    if not isinstance(end, exp.Interval):
        raise UnsupportedQuery(f"{FORM}: of dates and times the ends are INTERVALs")
    unit, count = interval(end)
    if count < 0:
        raise UnsupportedQuery(f"{FORM}: an INTERVAL of a frame is not negative")
    check_reach(unit, count)


def _is_number(end: object) -> bool:
    return (
        isinstance(end, exp.Literal)
        and not end.is_string
        and len(str(end.this)) <= _MOST_DIGITS
        and "e" not in end.name
    )
