"""The type objects and constructors of PEP 249."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

Date, Time, Timestamp = date, time, datetime
DateFromTicks, TimestampFromTicks = date.fromtimestamp, datetime.fromtimestamp
Binary = bytes


def TimeFromTicks(ticks: float) -> time:  # noqa: N802 - the name that PEP 249 gives
    """The time of day of a number of seconds since the epoch."""
    return datetime.fromtimestamp(ticks).time()


@dataclass(frozen=True, slots=True)
class TypeObject:
    """What a column holds, as `description` tells it."""

    name: str


STRING, NUMBER, BINARY, DATETIME, ROWID = (
    TypeObject(name) for name in ("STRING", "NUMBER", "BINARY", "DATETIME", "ROWID")
)
BOOLEAN = TypeObject("BOOLEAN")


def type_of(values: Sequence[Any]) -> TypeObject:
    """The type of a released column."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        return BOOLEAN
    if known and all(isinstance(value, date) for value in known):
        return DATETIME
    return STRING if known and all(isinstance(value, str) for value in known) else NUMBER
