"""Python objects in a column of one declared type: each is one of that type, or NULL, by itself.

An object may do anything when it is asked: raise, end the process, remember the one before. So it is not asked. What it
is follows from its real type, and its value is read by the methods of Python's and numpy's own types.
"""

import datetime
import struct
import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np

_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST_DAY = _EPOCH.toordinal()
_MICROSECOND = datetime.timedelta(microseconds=1)
_FLOATS_END = 2**53
_FINE_UNITS = frozenset({"ns", "ps", "fs", "as"})
_LARGEST_SINGLE = float(np.finfo(np.float32).max)
_NUMPY = frozenset(np.sctypeDict.values())
_NUMPY_WHOLE = frozenset(kind for kind in _NUMPY if issubclass(kind, np.integer)) - {np.timedelta64}
_NUMPY_REAL = frozenset(kind for kind in _NUMPY if issubclass(kind, np.floating))


def read_objects(values: Iterable[Any], declared: str) -> Any:
    """The objects as an Arrow array of the declared type, one of `FILE_TYPES`."""
    import pyarrow as pa

    read = _READERS[declared]
    return pa.array([_by_itself(read, value) for value in values], _arrow_type(declared, pa))


def _by_itself(read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except Exception:  # a value out of range
        return None


def _is(value: Any, kind: type) -> bool:
    """Whether a value really is of that type; `isinstance` would ask the value too."""
    return issubclass(type(value), kind)


def _text(value: Any) -> str | None:
    if not _is(value, str):
        return None
    text = str.__str__(value)
    text.encode()  # lone surrogates are no text, and raise
    return text


def _boolean(value: Any) -> bool | None:
    return bool(value) if type(value) in (bool, np.bool_) else None


def _whole(value: Any, bits: int) -> int | None:
    """A whole number; of a float only below 2⁵³, or where its fewer digits end: from there on it stands for several."""
    real = _real(value)
    if real is not None:
        number = int(real) if abs(real) < _whole_floats_end(type(value)) and real == int(real) else None
    elif _is(value, Decimal):
        exact = Decimal(value)
        number = int(exact) if abs(exact) < 1 << bits and exact == int(exact) else None
    else:
        number = _integer(value)
    return number if number is not None and -(1 << bits) <= number < 1 << bits else None


def _whole_floats_end(kind: type) -> int:
    return min(_FLOATS_END, 2 << np.finfo(kind).nmant) if kind in _NUMPY_REAL else _FLOATS_END


def _integer(value: Any) -> int | None:
    if type(value) in _NUMPY_WHOLE:
        return int(value)
    return int.__int__(value) if _is(value, int) and type(value) is not bool else None


def _real(value: Any) -> float | None:
    if type(value) in _NUMPY_REAL:
        return float(value)
    return float.__float__(value) if _is(value, float) else None


def _double(value: Any) -> float | None:
    if _is(value, Decimal):
        return float(Decimal(value))
    real, whole = _real(value), _integer(value)
    return real if whole is None else float(whole)


def _single(value: Any) -> float | None:
    number = _double(value)
    if number is None or (abs(number) > _LARGEST_SINGLE and number - number == 0):
        return None
    return float(struct.unpack("f", struct.pack("f", number))[0])


def _date(value: Any) -> int | None:
    if type(value) is np.datetime64 and np.datetime_data(value)[0] == "D":
        value = value.item()
    if not _is(value, datetime.date) or _is(value, datetime.datetime):
        return None
    return datetime.date.toordinal(value) - _FIRST_DAY


def _time(value: Any) -> int | None:
    """Microseconds of a time without a zone; a finer one is cut to them."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and value is pandas.NaT:  # a datetime, by its type
        return None
    if pandas is not None and type(value) is pandas.Timestamp and value.tzinfo is None:
        value = value.to_datetime64()
    if type(value) is np.datetime64:
        fine = np.datetime_data(value)[0] in _FINE_UNITS and not np.isnat(value)
        value = value.astype("datetime64[us]").item() if fine else value.item()
    if not _is(value, datetime.datetime) or _field(value, "tzinfo") is not None:
        return None
    parts = ("year", "month", "day", "hour", "minute", "second", "microsecond")
    return (datetime.datetime(*(_field(value, part) for part in parts)) - _EPOCH) // _MICROSECOND


def _field(value: Any, name: str) -> Any:
    """A field of a time as Python's own type keeps it, whatever a type made of it says."""
    return getattr(datetime.datetime, name).__get__(value)


_READERS: dict[str, Callable[[Any], Any]] = {
    **{"VARCHAR": _text, "BOOLEAN": _boolean, "DOUBLE": _double, "FLOAT": _single, "DATE": _date, "TIMESTAMP": _time},
    **{"BIGINT": lambda value: _whole(value, 63), "INTEGER": lambda value: _whole(value, 31)},
}


def _arrow_type(declared: str, pa: Any) -> Any:
    return {
        **{"VARCHAR": pa.large_string(), "BOOLEAN": pa.bool_(), "DOUBLE": pa.float64(), "FLOAT": pa.float32()},
        **{"DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us"), "BIGINT": pa.int64(), "INTEGER": pa.int32()},
    }[declared]
