"""Clocks of time zones: the offset of each from UTC as a step function of the time, taken from the zone database.

A zone is a public fact. Its offsets are read once, when a table is opened or a question is planned, for the years 1970
to 2050; before them the first holds, after them the last. So a clock is a function of one time alone, is defined for
every time, and depends on no setting of the machine or of an engine.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlglot import exp

from dalenius.calls import shown
from dalenius.errors import InvalidParameter

_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2050, 12, 31, tzinfo=UTC)
_STEP, _SECOND = timedelta(days=1), timedelta(seconds=1)
_YEARS = ("0001-01-03 00:00:00", "9999-12-29 23:59:59.999999")

Steps = tuple[tuple[datetime, int], ...]
"""From each time on, the seconds by which a time is moved."""


@dataclass(frozen=True, slots=True)
class Change:
    """An instant from which on a clock has another offset; both offsets are in seconds."""

    instant: datetime
    before: int
    after: int

    @property
    def clock(self) -> datetime:
        """The time on the clock from which on the new offset is taken to hold: the later of both readings."""
        return self.instant + timedelta(seconds=max(self.before, self.after))


@dataclass(frozen=True, slots=True)
class TimeZone:
    """A zone by its name, the offset that it starts with, and its changes in order."""

    name: str
    first: int
    changes: tuple[Change, ...]

    def clock(self, instant: exp.Expr) -> exp.Expr:
        """The clock of an instant in UTC, NULL beyond the years 1 to 9999.

        Where a clock is put back, two instants have one time.
        """
        return _moved(instant, self.first, tuple((one.instant, one.after) for one in self.changes))

    def seen_from(self, clock: exp.Expr, other: "TimeZone") -> exp.Expr:
        """The time on the other zone's clock when this one shows a time, NULL beyond the years 1 to 9999.

        Of two instants that have one time, the first is taken. A time that is skipped is as long after the change as it
        is after the last time before it: until both readings have passed, the offset from before holds.
        """
        first, steps = self._to(other)
        return _moved(clock, first, steps)

    def _to(self, other: "TimeZone") -> tuple[int, Steps]:
        """The seconds from this clock to the other's: one step for each change of either, on this clock."""
        starts = [None, *(one.clock for one in self.changes)]
        offsets = [self.first, *(one.after for one in self.changes)]
        steps: list[tuple[datetime, int]] = []
        for (start, end), offset in zip(pairwise([*starts, None]), offsets, strict=True):
            seen = [(one.instant + timedelta(seconds=offset), one.after) for one in other.changes]
            before = [after for at, after in seen if start is not None and at <= start]
            if start is not None:
                steps.append((start, (before[-1] if before else other.first) - offset))
            steps += [
                (at, after - offset)
                for at, after in seen
                if (start is None or at > start) and (end is None or at < end)
            ]
        return other.first - self.first, tuple(steps)


@lru_cache(maxsize=64)
def time_zone(name: str) -> TimeZone:
    """The zone of that name in the database, or a refusal."""
    try:
        zone = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        raise InvalidParameter(
            f"a time zone is one of the zone database, such as 'Europe/Berlin' or 'UTC', got {shown(name)}; where the "
            "machine has no such database: pip install tzdata"
        ) from None
    day, changes = _FIRST, []
    first = offset = _offset(zone, day)
    while day < _LAST:
        day, before = day + _STEP, day
        while _offset(zone, day) != offset:
            start = _first_other(zone, before, day, offset)
            changes.append(Change(start, offset, _offset(zone, start)))
            before, offset = start, changes[-1].after
    return TimeZone(name, first, tuple(changes))


def _offset(zone: ZoneInfo, instant: datetime) -> int:
    offset = instant.astimezone(zone).utcoffset()
    assert offset is not None
    return round(offset.total_seconds())


def _first_other(zone: ZoneInfo, before: datetime, after: datetime, offset: int) -> datetime:
    """The first second after `before` with another offset, of which `after` is one."""
    while after - before > _SECOND:
        middle = before + timedelta(seconds=int((after - before).total_seconds()) // 2)
        before, after = (middle, after) if _offset(zone, middle) == offset else (before, middle)
    return after


def _moved(time: exp.Expr, first: int, steps: Steps) -> exp.Expr:
    """The time moved by the seconds of the last step at or before it; held inside, so that no sum leaves the range."""
    low, high = (exp.cast(exp.Literal.string(end), "TIMESTAMP") for end in _YEARS)
    inside = exp.Between(this=time.copy(), low=low, high=high)
    held = exp.Case(ifs=[exp.If(this=inside, true=time.copy())])
    return exp.paren(exp.Add(this=held, expression=exp.paren(_seconds(time, first, steps))))


def _seconds(time: exp.Expr, first: int, steps: Steps) -> exp.Expr:
    """A tree of comparisons, as deep as the logarithm of the number of steps."""
    if not steps:
        return exp.Interval(this=exp.Literal.string(str(first)), unit=exp.Var(this="SECOND"))
    half = len(steps) // 2
    at = exp.cast(exp.Literal.string(f"{steps[half][0]:%Y-%m-%d %H:%M:%S}"), "TIMESTAMP")
    later = _seconds(time, steps[half][1], steps[half + 1 :])
    test = exp.LT(this=time.copy(), expression=at)
    return exp.Case(ifs=[exp.If(this=test, true=_seconds(time, first, steps[:half]))], default=later)
