"""The number that a row holds."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.queries.view import row_values

_NUMBERS = "biuf"


def readable(column: NDArray[Any]) -> NDArray[Any]:
    """A column of numbers as it is, any other with each row's number, or NaN; `doubles` makes floats of a part of it.

    A row's number is the double nearest to its value, in every type of column: a frame may turn integers into floats
    because of one NULL, and that must not move another row's number.
    """
    if column.dtype.kind in _NUMBERS:
        return column
    values = row_values(column)
    return np.fromiter(map(_number, values), np.float64, len(values))


def doubles(part: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers of a part of a readable column; not a copy where it holds doubles, so never written to."""
    with np.errstate(all="ignore"):  # a warning is an output too
        return part.astype(np.float64, copy=False)


def _number(value: Any) -> float:
    """The number that an object is, or NaN; never an error."""
    if not isinstance(value, int | float | Decimal):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # an integer beyond the floats
        return math.inf if value > 0 else -math.inf
    except Exception:  # a signalling Decimal, or a number class of the caller's
        return math.nan
