"""One pass over the rows that count, in parts that fit the cache; sums are exact and independent of order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.queries.cells import cells_of
from dalenius.queries.identity import identities
from dalenius.queries.keys import Keys
from dalenius.queries.numbers import doubles, readable
from dalenius.queries.view import Table
from dalenius.queries.weights import Contributions, shift

Doubles = NDArray[np.float64]
Basis = Callable[[list[Doubles]], Sequence[Doubles]]
"""From the numbers of some rows to whole numbers, as doubles, one array for each coordinate."""
_CHUNK, _LARGEST_CHUNK = 1 << 15, 1 << 18
_NARROW, _HALF = 2**35, 2.0**26
_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Scan:
    """Which rows count, and what each adds: the parts `matrix` · (1, basis of its numbers), in whole steps.

    A row is final if its key is declared, its unit is not NULL and it holds a number in each column that has no `fill`.
    `most` bounds every part; with `one_if_missing` there is one part more, in which a row without a number adds `most`
    (and is final too).
    """

    columns: tuple[str, ...]
    fills: tuple[float | None, ...]
    basis: Basis
    matrix: tuple[tuple[int, ...], ...]
    most: int
    keys: Keys | None = None
    contributions: Contributions | None = None
    one_if_missing: bool = False

    def totals(self, view: Table) -> NDArray[np.int64]:
        """All cells of the first part, then of the second: exact sums, then held inside int64.

        Holding brings no two answers further apart in any coordinate, so no sensitivity grows.
        """
        if self.keys is None and self.contributions is None:
            return held(self._plain(view))
        return held(self._grouped(view))

    def _plain(self, view: Table) -> list[int]:
        rows, sums, missing = 0, [0] * (len(self.matrix[0]) - 1), 0
        columns = [readable(view.column(name)) for name in self.columns]
        with np.errstate(all="ignore"):  # a warning is an output too
            for numbers, absent in self._parts(columns, len(view)):
                size = len(numbers[0]) if numbers else len(view)
                rows, missing = rows + size, missing + absent
                for i, steps in enumerate(self.basis(numbers)):
                    sums[i] += sum(int(np.add.reduce(half)) * unit for half, unit in _halves(steps, self.most))
        parts = [sum(a * b for a, b in zip(row, (rows, *sums), strict=True)) for row in self.matrix]
        return [*parts, self.most * missing] if self.one_if_missing else parts

    def _parts(self, columns: list[NDArray[Any]], rows: int) -> Iterator[tuple[list[Doubles], int]]:
        """The numbers of some rows at a time, those without one filled or left out, and how many were left out."""
        if not columns:
            yield [], 0
            return
        for start in range(0, rows, _CHUNK):
            numbers = [doubles(column[start : start + _CHUNK]) for column in columns]
            # a sum is NaN if a number is: one fast look at the rows, which nearly always suffices
            if any(np.isnan(np.add.reduce(part)) for part in numbers):
                filled = [_filled(part, fill) for part, fill in zip(numbers, self.fills, strict=True)]
                kept = ~np.isnan(np.array(filled)).any(axis=0)
                yield [part[kept] for part in filled], int(np.count_nonzero(~kept))
            else:
                yield numbers, 0

    def _grouped(self, view: Table) -> list[int]:
        cells = 1 if self.keys is None else len(self.keys)
        places = np.zeros(len(view), np.int64) if self.keys is None else cells_of(view, self.keys)
        final = places < cells
        if self.contributions is not None:
            units = identities(view.column(self.contributions.column))
            final &= units >= 0
        columns = [readable(view.column(name)) for name in self.columns]
        absent = self._absent(columns, len(view))
        if not self.one_if_missing:
            final &= ~absent
        columns, places, absent = [column[final] for column in columns], places[final], absent[final]
        weights = None if self.contributions is None else self.contributions.weights(units[final])
        tally = Tally(len(self.matrix) + self.one_if_missing, cells, self.most)
        size = min(max(_CHUNK, cells), _LARGEST_CHUNK)
        with np.errstate(all="ignore"):
            for start in range(0, len(places), size):
                part = slice(start, start + size)
                numbers = [_filled(doubles(c[part]), f or 0.0) for c, f in zip(columns, self.fills, strict=True)]
                steps = self._steps(numbers, absent[part])
                tally.add(steps, places[part], None if weights is None else weights[part] * 2.0 ** -shift(self.most))
        return tally.sums()

    def _absent(self, columns: list[NDArray[Any]], rows: int) -> NDArray[np.bool_]:
        absent = np.zeros(rows, np.bool_)
        for column, fill in zip(columns, self.fills, strict=True):
            if fill is None and column.dtype.kind == "f":
                absent |= np.isnan(column)
        return absent

    def _steps(self, numbers: list[Doubles], absent: NDArray[np.bool_]) -> list[Doubles]:
        basis = [np.ones(len(absent)), *self.basis(numbers)]
        steps: list[Doubles] = []
        for row in self.matrix:
            part = np.zeros(len(absent))
            for factor, values in zip(row, basis, strict=True):
                if factor:
                    part += factor * values
            steps.append(part)
        if self.one_if_missing:
            for part in steps:
                part[absent] = 0.0
            steps.append(absent.astype(np.float64) * self.most)
        return steps


class Tally:
    """Exact sums for each part and cell, of whole numbers up to `most`."""

    __slots__ = ("_most", "_sums")

    def __init__(self, parts: int, cells: int, most: int) -> None:
        self._most = most
        self._sums = np.zeros((2, parts, cells), np.int64)  # two halves, neither of which can wrap

    def add(self, steps: list[Doubles], places: NDArray[np.int64], factors: Doubles | None) -> None:
        """Add at most 2¹⁸ rows, each times its factor (which then leaves at most 34 bits) and cut toward zero."""
        cells = self._sums.shape[2]
        for i, part in enumerate(steps):
            rows, most = (part, self._most) if factors is None else (np.trunc(part * factors), 0)
            for half, unit in _halves(rows, most):
                total = np.bincount(places, half, minlength=cells).astype(np.int64)
                self._sums[0, i] += (total >> 32) * unit
                self._sums[1, i] += (total & 0xFFFFFFFF) * unit

    def sums(self) -> list[int]:
        """All cells of the first part, then of the second."""
        halves = zip(self._sums[0].ravel().tolist(), self._sums[1].ravel().tolist(), strict=True)
        return [(high << 32) + low for high, low in halves]


def held(sums: list[int]) -> NDArray[np.int64]:
    """The sums inside int64."""
    return np.array([min(max(total, _LEAST), _LARGEST) for total in sums], np.int64)


def _filled(numbers: Doubles, fill: float | None) -> Doubles:
    return numbers if fill is None else np.where(np.isnan(numbers), fill, numbers)


def _halves(steps: Doubles, most: int) -> list[tuple[Doubles, int]]:
    """The numbers, in two halves if they are so large that a double might not hold the sum of 2¹⁸ of them."""
    if most <= _NARROW:
        return [(steps, 1)]
    upper = np.floor(steps / _HALF)
    return [(upper, int(_HALF)), (steps - upper * _HALF, 1)]
