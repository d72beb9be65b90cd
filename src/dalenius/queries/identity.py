"""Which rows hold the same value."""

from datetime import date
from decimal import Decimal
from hashlib import blake2b
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from dalenius.queries.view import row_values

NOBODY = -1
_WORD = 2**64
_NOT_A_TIME = np.iinfo(np.int64).min


def identities(column: NDArray[Any]) -> NDArray[np.int64]:
    """A number ≥ 0 for each row, the same exactly for rows with the same value; −1 for NULL, NaN and nameless things.

    Whether two rows are the same depends on them alone: numbers are the same when they are equal (1, 1.0 and True; 0.0
    and −0.0), text, bytes, decimals, dates and UUIDs when they are equal and of one kind. Other objects are nameless.
    """
    kind = column.dtype.kind
    if kind in "biu":
        return _of_whole(column)
    if kind == "f":
        with np.errstate(all="ignore"):  # a warning is an output too
            return _of_sorted(column, ~np.isnan(column))
    if kind in "mM":
        times = column.view(np.int64)
        return _of_sorted(times, times != _NOT_A_TIME)
    values = row_values(column)
    if not set(map(type, values)) <= {str, type(None)}:
        values = [named(value) for value in values]
    known = {value: i for i, value in enumerate(dict.fromkeys(values))} | {None: NOBODY}
    return np.fromiter(map(known.__getitem__, values), np.int64, len(values))


def marks(column: NDArray[Any], salt: str) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """A public 64-bit hash of (salt, value) for each row, and which rows hold a value that has one.

    The same value has the same mark in every type of column.
    """
    word = _digest(b"salt" + salt.encode("utf-8", "surrogatepass"))
    kind = column.dtype.kind
    if kind in "biu":
        return _mixed(column.astype(np.uint64), word), np.ones(len(column), np.bool_)
    if kind == "f":
        return _float_marks(column, word)
    if kind in "mM":
        times = column.view(np.int64)
        return _mixed(times.view(np.uint64), _digest(b"time%d" % word)), times != _NOT_A_TIME
    values = row_values(column)
    found = values if set(map(type, values)) <= {str, type(None)} else [named(value) for value in values]
    known = {value: 0 if value is None else _mark(value, word) for value in dict.fromkeys(found)}
    hashed = np.fromiter(map(known.__getitem__, found), np.uint64, len(found))
    return hashed, np.fromiter((value is not None for value in found), np.bool_, len(found))


def mixed_with(hashed: NDArray[np.uint64], cells: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A mark for each pair of a mark and a cell."""
    with np.errstate(all="ignore"):
        return _mixed(hashed + cells.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15), 0)


def named(value: Any) -> Any:
    """A hashable stand-in for an object, equal exactly for the same value; None for NULL and nameless things."""
    try:
        return _named(value)
    except Exception:  # an object of the caller's own making; its words may hold a value
        return None


def _named(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, float):
        number = float.__float__(value)
        return None if number != number else int(number) if number.is_integer() else number
    if isinstance(value, bytes):
        return "bytes", bytes(value)
    if isinstance(value, Decimal):
        return None if value.is_nan() else ("decimal", str(value.normalize()))
    if isinstance(value, UUID):
        return "uuid", value.int
    if isinstance(value, date) and value == value:  # pandas' NaT is a date that is not itself
        return "date", value.isoformat()
    return None


def _of_whole(column: NDArray[Any]) -> NDArray[np.int64]:
    if not len(column):
        return np.zeros(0, np.int64)
    least, largest = int(column.min()), int(column.max())
    if largest - least < 4 * len(column):  # the numbers themselves will do, without sorting them
        if column.dtype.kind == "u":
            return (column.astype(np.uint64) - np.uint64(least)).astype(np.int64)
        return column.astype(np.int64) - least
    return np.unique(column, return_inverse=True)[1].astype(np.int64, copy=False)


def _of_sorted(column: NDArray[Any], valid: NDArray[np.bool_]) -> NDArray[np.int64]:
    codes = np.full(len(column), NOBODY, np.int64)
    codes[valid] = np.unique(column[valid], return_inverse=True)[1]
    return codes


def _float_marks(column: NDArray[Any], word: int) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    with np.errstate(all="ignore"):
        numbers = column.astype(np.float64)
        whole = (np.trunc(numbers) == numbers) & (numbers >= -(2.0**63)) & (numbers < 2.0**64)
        held = np.where(whole, numbers, 0.0)
        bits = np.where(held < 0, held.astype(np.int64).view(np.uint64), held.astype(np.uint64))
        bits = np.where(whole, bits, _mixed(numbers.view(np.uint64), 1))
        hashed = _mixed(bits, word)
    for i in np.flatnonzero(~whole & (np.trunc(numbers) == numbers)):  # whole, and beyond 64 bits
        hashed[i] = _mark(_named(float(numbers[i])), word) if np.isfinite(numbers[i]) else hashed[i]
    return hashed, ~np.isnan(numbers)


def _mark(value: Any, word: int) -> int:
    if isinstance(value, int) and -(2**63) <= value < _WORD:
        return int(_mixed(np.array([value % _WORD], np.uint64), word)[0])
    if isinstance(value, float):
        return int(_float_marks(np.array([value]), word)[0][0])
    if isinstance(value, str):
        return _digest(b"text%d " % word + value.encode("utf-8", "surrogatepass"))
    if isinstance(value, int):
        return _digest(b"whole%d %x" % (word, value))
    return _digest(b"%s%d " % (value[0].encode(), word) + _bytes(value[1]))


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def _digest(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def _mixed(words: NDArray[np.uint64], word: int) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that has no visible structure: the finalizer of splitmix64."""
    with np.errstate(all="ignore"):
        z = (words ^ np.uint64(word)) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
