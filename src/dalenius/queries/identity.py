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
    return _encoded(row_values(column))[0]


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
    codes, values = _encoded(row_values(column))
    hashed = np.array([*(_mark(value, word) for value in values), 0], np.uint64)  # the last is for nobody's
    return hashed[codes], codes != NOBODY


def mixed_with(hashed: NDArray[np.uint64], cells: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A mark for each pair of a mark and a cell."""
    with np.errstate(all="ignore"):
        return _mixed(hashed + cells.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15), 0)


def without_value(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows are NULL or NaN. What merely has no name, such as a list, is a value."""
    kind = column.dtype.kind
    if kind == "f":
        return np.asarray(np.isnan(column))
    if kind in "mM":
        return np.asarray(np.isnat(column))
    if kind != "O":
        return np.zeros(len(column), np.bool_)
    return np.fromiter(map(_is_null, column), np.bool_, len(column))


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
        return None if value.is_nan() else ("decimal", _digits(value))
    if isinstance(value, UUID):
        return "uuid", value.int
    if isinstance(value, date) and value == value:  # pandas' NaT is a date that is not itself
        return "date", value.isoformat()
    return None


def _is_null(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":  # of pandas
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    if not isinstance(value, float | date | np.floating | np.datetime64 | np.timedelta64):
        return False
    try:
        return bool(value != value)
    except Exception:  # an object of the caller's own making; its words may hold a value
        return False


def _digits(value: Decimal) -> str:
    """A decimal without its trailing zeros; normalize() would round it."""
    sign, digits, exponent = value.as_tuple()
    written = "".join(map(str, digits))
    kept = written.rstrip("0")
    if not kept or isinstance(exponent, str):
        return "0" if not kept and exponent != "F" else f"{sign}inf"
    return f"{sign} {kept} {exponent + len(written) - len(kept)}"


def _encoded(rows: list[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """For each row the position of its value in a list of different ones, or −1."""
    if set(map(type, rows)) <= {str, type(None)}:
        try:
            return _encoded_text(rows)
        except Exception:  # text that UTF-8 cannot hold
            pass
    else:
        rows = [named(value) for value in rows]
    values = [value for value in dict.fromkeys(rows) if value is not None]
    known = {value: i for i, value in enumerate(values)} | {None: NOBODY}
    return np.fromiter(map(known.__getitem__, rows), np.int64, len(rows)), values


def _encoded_text(rows: list[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """The same by pyarrow, several times faster."""
    import pyarrow as pa

    encoded = pa.array(rows, pa.large_string()).dictionary_encode()
    codes = encoded.indices.fill_null(NOBODY).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, encoded.dictionary.to_pylist()


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
    with np.errstate(all="ignore"):  # a warning is an output too
        numbers = column.astype(np.float64)
        whole = np.trunc(numbers) == numbers
        short = whole & (numbers >= -(2.0**63)) & (numbers < 2.0**64)
        held = np.where(short, numbers, 0.0)
        bits = np.where(held < 0, held.astype(np.int64).view(np.uint64), held.astype(np.uint64))
        hashed = _mixed(np.where(short, bits, _mixed(numbers.view(np.uint64), 1)), word)
    for i in np.flatnonzero(whole & ~short & np.isfinite(numbers)):  # an integer of more than 64 bits
        hashed[i] = _mark(int(numbers[i]), word)
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
