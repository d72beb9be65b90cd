"""Rows of numbers as a plan of learning reads them: each element is the doing of its own row alone."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from dalenius.errors import InvalidParameter
from dalenius.queries import View

CHUNK = 1 << 16
"""Rows that are worked on at a time."""

Matrix = NDArray[np.float64]
Chunk = tuple[Matrix, NDArray[Any]]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Rows(View):
    """Features and target, private. Its `repr` says nothing of what is inside."""

    features: Matrix
    target: NDArray[Any]

    def __len__(self) -> int:
        return len(self.features)

    def chunks(self) -> Iterator[Chunk]:
        """The rows, some thousands at a time, in their order."""
        for start in range(0, len(self), CHUNK):
            yield self.features[start : start + CHUNK], self.target[start : start + CHUNK]


def matrix(data: Any, name: str = "X") -> Matrix:
    """Two-dimensional floats; what is no number becomes NaN, which a rule maps later.

    Refused by shape and kind alone: an error about one element would tell of its row.
    """
    if hasattr(data, "tocsr"):
        raise TypeError(f"{name} must be dense: sparse data is not supported. Use .toarray() to densify it")
    kept = _array(data)
    if kept.dtype.kind == "c":
        raise InvalidParameter(f"Complex data not supported: {name} must hold real numbers")
    if kept.ndim != 2:
        raise InvalidParameter(
            f"Expected 2D array, got {'scalar' if kept.ndim == 0 else f'{kept.ndim}D'} array for {name}. "
            "Reshape your data: array.reshape(-1, 1) for one feature, array.reshape(1, -1) for one sample"
        )
    return _floats(kept)


def vector(data: Any, rows: int, name: str = "y") -> NDArray[Any]:
    """One value a row, as it is given; a column of one is flattened."""
    if data is None:
        raise InvalidParameter(f"requires {name} to be passed, but the target {name} is None")
    kept = _array(data)
    if kept.dtype.kind == "c":
        raise InvalidParameter(f"Complex data not supported: {name} must hold real numbers or labels")
    if kept.ndim == 2 and kept.shape[1] == 1:
        warnings.warn(
            f"A column-vector {name} was passed when a 1d array was expected", DataConversionWarning, stacklevel=4
        )
        kept = kept[:, 0]
    if kept.ndim != 1:
        raise InvalidParameter(f"{name} should be a 1d array, got an array of shape {kept.shape} instead")
    if len(kept) != rows:
        raise InvalidParameter(
            f"Found input variables with inconsistent numbers of samples: X and {name} differ in length"
        )
    return kept


def numbers(values: NDArray[Any]) -> Matrix:
    """Floats for any column: what is no number is NaN."""
    return _floats(values)


def _array(data: Any) -> NDArray[Any]:
    """An array whose elements are each their own row's: text in a list must not turn its neighbors into text."""
    if hasattr(data, "__array__") or hasattr(data, "to_numpy"):
        return np.asarray(data)
    if isinstance(data, str | bytes) or not isinstance(data, Sequence):
        return np.asarray(data)
    try:
        kept = np.array(data, dtype=object)
    except ValueError:
        failed = InvalidParameter("every row must have the same number of entries")
    else:
        return kept
    raise failed


def _floats(kept: NDArray[Any]) -> Matrix:
    with np.errstate(all="ignore"):
        if kept.dtype.kind in "fiub":
            return np.ascontiguousarray(kept, np.float64)
        if kept.dtype.kind == "O":
            return np.array([_number(value) for value in kept.ravel().tolist()], np.float64).reshape(kept.shape)
    return np.full(kept.shape, np.nan)


def _number(value: Any) -> float:
    """The number that an object is, or NaN; never an error."""
    if isinstance(value, str | bytes):
        return float("nan")
    try:
        return float(value)
    except OverflowError:  # an integer beyond any float
        return float("inf") if value > 0 else float("-inf")
    except Exception:
        return float("nan")
