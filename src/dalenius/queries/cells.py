"""Which cell of an answer a row belongs to."""

from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.queries.identity import named, without_value
from dalenius.queries.keys import Key, Keys
from dalenius.queries.numbers import doubles
from dalenius.queries.view import Table, row_values

_CHUNK = 1 << 15
_NARROW = 1 << 12
_HASHABLE = {str, int, float, bool, bytes, type(None)}


def cells_of(view: Table, keys: Keys) -> NDArray[np.int64]:
    """For each row the position of its key, or len(keys) where it has none that was declared; never two."""
    if len(keys.columns) == 1:
        return _codes(view.column(keys.columns[0]), [row[0] for row in keys.rows])
    places, declared = np.zeros(len(view), np.int64), [0] * len(keys)  # among the declared beginnings of a key
    for name, values in zip(keys.columns, zip(*keys.rows, strict=True), strict=True):
        own = {value: i for i, value in enumerate(dict.fromkeys(values))}
        size = len(own) + 1  # with a place for other values, so that no product wraps: it is below len(keys)²
        longer = [place * size + own[value] for place, value in zip(declared, values, strict=True)]
        beginnings = {code: i for i, code in enumerate(dict.fromkeys(longer))}
        places = _positions(places * size + _codes(view.column(name), list(own)), list(beginnings))
        declared = [beginnings[code] for code in longer]
    return places


def _codes(column: NDArray[Any], values: list[Key]) -> NDArray[np.int64]:
    """The position of each row's value among `values`, or their number; numbers are the same when they are equal.

    A row is in the cell of None if it has no value. One that holds what no key could be (a list, bytes) is in none.
    """
    codes = _codes_of_values(column, values)
    if None in values:
        codes[without_value(column)] = values.index(None)
    return codes


def _codes_of_values(column: NDArray[Any], values: list[Key]) -> NDArray[np.int64]:
    if column.dtype.kind in "biuf":
        numbers = [float(value) for value in values if value is not None and not isinstance(value, str)]
        places = np.array([i for i, value in enumerate(values) if isinstance(value, int | float)] + [len(values)])
        narrow = numbers and max(numbers) - min(numbers) < _NARROW and all(map(float.is_integer, numbers))
        codes = np.empty(len(column), np.int64)
        with np.errstate(all="ignore"):  # a warning is an output too
            for start in range(0, len(column), _CHUNK):
                # in doubles: compared in single precision, one row could equal two keys
                part = doubles(column[start : start + _CHUNK])
                codes[start : start + _CHUNK] = places[(_near if narrow else _positions)(part, numbers)]
        return codes
    known: dict[Any, int] = {value: i for i, value in enumerate(values) if value is not None}
    rows = row_values(column)
    if not set(map(type, rows)) <= _HASHABLE:  # lists and the like are rows with an undeclared key
        rows = [named(value) for value in rows]
    return np.fromiter(map(known.get, rows, repeat(len(values))), np.int64, len(rows))


def _positions(rows: NDArray[Any], values: list[Any]) -> NDArray[np.int64]:
    """Where each row stands among distinct `values`, or their number."""
    if not values:
        return np.zeros(len(rows), np.int64)
    table = np.array(values, rows.dtype)
    order = np.argsort(table, kind="stable")
    at = np.minimum(np.searchsorted(table, rows, sorter=order), len(values) - 1)
    places = order[at]
    with np.errstate(all="ignore"):
        return np.where(table[places] == rows, places, len(values))


def _near(rows: NDArray[np.float64], values: list[float]) -> NDArray[np.int64]:
    """The same for whole numbers that lie close together: each row's place in a table, where it is then compared."""
    least, slots = min(values), int(max(values) - min(values)) + 3
    table, places = np.full(slots, np.nan), np.full(slots, len(values))
    at = [int(value - least) + 1 for value in values]
    table[at], places[at] = values, range(len(values))
    guess = np.fmin(np.fmax(rows - (least - 1.0), 0.0), slots - 1.0).astype(np.intp)  # NaN gives 0, where nothing is
    return np.where(table[guess] == rows, places[guess], len(values))
