"""Numbers that are worth looking at: coordinates, what vectors add up to, and how fine a float is."""

import warnings

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.encode import OutcomeTable

Floats = NDArray[np.float64]

_EACH = 8  # coordinates whose floats are looked at one by one


def features(table: OutcomeTable) -> dict[str, Floats]:
    """Every numeric column: coordinates, then what is derived from them; the same names for tables of one encoder."""
    columns = dict(table.numbers)
    if not columns:
        return columns
    matrix = np.column_stack(list(columns.values()))
    if matrix.shape[1] > 1:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # a row of NaN has no extremes; NaN is its answer
            columns |= _of_vector(matrix)
    fine = granularity(matrix)
    names = list(table.numbers)[:_EACH]
    columns |= {f"lowest bit of {name}": fine[:, k] for k, name in enumerate(names)}
    with np.errstate(all="ignore"):
        parts = np.round(np.mod(matrix[:, : len(names)], 1.0), 9).astype(np.float64)
        columns |= {f"fraction of {name}": parts[:, k] for k, name in enumerate(names)}
        if matrix.shape[1] == 1:
            columns["distance from 0"] = np.abs(matrix[:, 0])
    if matrix.shape[1] > 1:
        columns["lowest bit of all"] = np.min(np.where(np.isnan(fine), np.inf, fine), axis=1)
    return columns


def granularity(values: Floats) -> Floats:
    """The exponent of the lowest set bit of each float; NaN for 0 and what is not finite.

    Float noise added to a float answer leaves no bit below the answer's own rounding: which bits can be set tells
    the answer [Mir12].
    """
    mantissa, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = (np.abs(mantissa) * 2.0**53).astype(np.int64)
    lowest = whole & -whole
    shift = np.log2(np.where(lowest > 0, lowest, 1)).astype(np.int64)
    lowest_bits: Floats = np.where(whole > 0, exponent - 53 + shift, np.nan)
    return lowest_bits


def _of_vector(matrix: Floats) -> dict[str, Floats]:
    """Sums, extremes and differences; NaN stands for a coordinate that is not there."""
    width = matrix.shape[1]
    there = ~np.isnan(matrix)
    known = np.where(there, matrix, 0.0)
    half = width // 2
    low, high = np.where(there, matrix, np.inf), np.where(there, matrix, -np.inf)
    top = np.sort(high, axis=1)
    positive = there & (matrix > 0)
    first = np.where(positive.any(axis=1), positive.argmax(axis=1), width)
    return {
        "sum": known.sum(axis=1),
        "first half minus second": known[:, :half].sum(axis=1) - known[:, half:].sum(axis=1),
        "even minus odd places": known[:, ::2].sum(axis=1) - known[:, 1::2].sum(axis=1),
        "largest": high.max(axis=1),
        "smallest": low.min(axis=1),
        "range": high.max(axis=1) - low.min(axis=1),
        "largest minus second": top[:, -1] - top[:, -2],
        "place of largest": high.argmax(axis=1).astype(np.float64),
        "place of smallest": low.argmin(axis=1).astype(np.float64),
        "sum of squares": (known**2).sum(axis=1),
        "how many above 0": positive.sum(axis=1).astype(np.float64),
        "first above 0": first.astype(np.float64),
        "how many numbers": there.sum(axis=1).astype(np.float64),
        "first minus last": known[:, 0] - known[:, -1],
    }
