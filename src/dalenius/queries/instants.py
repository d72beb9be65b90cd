"""Dates and times, each as its own row has it."""

import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

_YEARS = 290_000
"""No further from 1970 than a 64-bit number of microseconds reaches."""
_MICROS = {
    **{"W": 7 * 86_400 * 10**6, "D": 86_400 * 10**6, "h": 3_600 * 10**6, "m": 60 * 10**6, "s": 10**6, "ms": 10**3},
    **{"us": 1},
}
_PARTS = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
_EPOCH = datetime.datetime(1970, 1, 1)
_LARGEST = _YEARS * 365 * 86_400 * 10**6


def instants(column: NDArray[Any]) -> list[np.datetime64 | None]:
    """The rows of a column of numpy's dates in whole microseconds, rounded down; None for NaT and what is beyond them.

    The unit of the whole column, which one row may have set, does not show in another row's value.
    """
    return [_held(number, *np.datetime_data(column.dtype)) for number in column.view(np.int64).tolist()]


def instant(value: Any) -> Any:
    """A single date in the same form, whatever type it came in; anything that is no date as it is."""
    if isinstance(value, np.datetime64):
        return _held(int(value.view(np.int64)), *np.datetime_data(value.dtype))
    if not isinstance(value, datetime.date):
        return value
    try:
        return _micros((_moment(value) - _EPOCH) // datetime.timedelta(microseconds=1))
    except (ValueError, TypeError, OverflowError):  # pandas' NaT is a datetime too
        return None


def _moment(value: datetime.date) -> datetime.datetime:
    if not isinstance(value, datetime.datetime):
        return datetime.datetime(value.year, value.month, value.day)
    utc = value if value.tzinfo is None else value.astimezone(datetime.UTC)
    return datetime.datetime(utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, utc.microsecond)


def _held(number: int, unit: str, times: int) -> np.datetime64 | None:
    """`number` steps of `times` units since 1970."""
    if number == np.iinfo(np.int64).min or unit == "generic":  # NaT
        return None
    steps = number * times
    if unit in ("Y", "M"):
        months = steps * 12 if unit == "Y" else steps
        if abs(months) > 12 * _YEARS:
            return None
        day = np.datetime64(months, "M").astype("datetime64[D]")
        return _micros(int(day.view(np.int64)) * _MICROS["D"])
    return _micros(steps * _MICROS[unit] if unit in _MICROS else steps // _PARTS[unit])


def _micros(number: int) -> np.datetime64 | None:
    return np.datetime64(number, "us") if abs(number) <= _LARGEST else None
