"""Weighted values on a public grid, known by how much weight lies below each cell: what a quantile is chosen from."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.numerics import Number, nonnegative

Integers = NDArray[np.int64]

_LOOKED_UP = 1 << 16
_CHUNK = 1 << 18
_HEAVIEST = 1 << 30
LARGEST = 1 << 62


@dataclass(frozen=True, slots=True)
class Runs:
    """Cells in order, equal ones together: `width` cells from `start`, each with `below` under it and `upto` with it.

    An occupied cell stands alone; the empty cells between two of them are one run, where `below` is `upto`.
    """

    start: Integers
    width: Integers
    below: Integers
    upto: Integers

    def __add__(self, other: "Runs") -> "Runs":
        """One list after the other."""
        return Runs(
            np.concatenate([self.start, other.start]),
            np.concatenate([self.width, other.width]),
            np.concatenate([self.below, other.below]),
            np.concatenate([self.upto, other.upto]),
        )


def runs_between(cells: Integers, counts: Integers, left: int, right: int, under: int) -> Runs:
    """Occupied cells of left, …, right − 1, in order, and the gaps between them; `under` is the weight below."""
    upto = under + np.cumsum(counts)
    below = upto - counts
    # gap, cell, gap, cell, …, gap
    start = np.empty(2 * cells.size + 1, np.int64)
    start[0], start[1::2], start[2::2] = left, cells, cells + 1
    width = np.ones_like(start)
    width[0::2] = np.append(cells, right) - start[0::2]
    low, high = np.empty_like(start), np.empty_like(start)
    low[0::2] = high[0::2] = np.concatenate([[under], upto])
    low[1::2], high[1::2] = below, upto
    return Runs(start, width, low, high)


class RankedCells(Protocol):
    """Weighted rows on a grid, looked at block by block: what a choice by ranks reads."""

    @property
    def first(self) -> int:
        """The first cell."""

    @property
    def end(self) -> int:
        """The cell after the last."""

    @property
    def total(self) -> int:
        """The weight of all rows."""

    @property
    def blocks(self) -> int:
        """How many blocks of cells there are."""

    @property
    def below(self) -> Integers:
        """The weight below each block, and at last that of all."""

    def runs(self, first: int, last: int) -> Runs:
        """The cells of blocks first, …, last − 1, exactly."""

    def between(self, first: int, end: int) -> "RankedCells":
        """The rows in cells first, …, end − 1, of those here."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """Rows in cells first, …, end − 1, with whole weights; looked at block by block, and inside a block when asked.

    A row outside the cells counts in the nearest; a weight outside [0, 2³⁰] counts as the nearest. Nothing here fails,
    or says anything, for the sake of a row.
    """

    rows: NDArray[np.integer[Any]] = field(repr=False)
    weights: NDArray[np.integer[Any]] | None = field(repr=False)
    first: int
    end: int

    @classmethod
    def of(cls, cells: Any, weights: Any = None, *, size: int) -> "Ranks":
        """Rows by the number of their cell, 0 to size − 1, and their weights: 1 each if none are given."""
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= LARGEST:
            raise InvalidParameter(f"size must be a whole number from 1 to 2^62, got {size!r}")
        rows = _whole(cells, "cells")
        given = None if weights is None else _whole(weights, "weights")
        if given is not None and given.size != rows.size:
            raise InvalidParameter("weights must be as many as the rows")
        return cls(rows, given, 0, size)

    @staticmethod
    def sensitivity(weight: Number, relation: Relation) -> Sensitivity:
        """How far one unit, whose rows weigh at most `weight` in all, moves the weights of the cells, in ℓ1.

        Added or removed, by that weight; replaced, by as much again: it takes out at most `weight` and puts in at most
        `weight`, and both may be reached in different cells  [A Ex 3.4].
        """
        times = 1 if Relation.of(relation) is Relation.ADD_REMOVE else 2
        return Sensitivity(times * nonnegative(weight, "weight"), Metric.L1)

    @property
    def total(self) -> int:
        """The weight of all rows."""
        return int(self.below[-1])

    @property
    def blocks(self) -> int:
        """How many blocks of cells there are: 2¹⁶ at most, all of one size but the last."""
        return (self.end - self.first - 1 >> self._shift) + 1

    @cached_property
    def below(self) -> Integers:
        """The weight below each block, and at last that of all: one pass over the rows."""
        counts = np.zeros(self.blocks, np.int64)
        for at in range(0, self.rows.size, _CHUNK):
            held = slice(at, at + _CHUNK)
            block = self._held(held, self.first, self.end) - self.first >> self._shift
            counts += _counted(block, self._weighing(held), self.blocks)
        return np.concatenate([[0], np.cumsum(counts)])

    def edge(self, block: int) -> int:
        """The first cell of a block; `end` after the last."""
        return min(self.first + (block << self._shift), self.end)

    def runs(self, first: int, last: int) -> Runs:
        """The cells of blocks first, …, last − 1, exactly."""
        left, right, under = self.edge(first), self.edge(last), int(self.below[first])
        held = self._selected(left, right)
        cells, counts = _tallied(self._held(held, left, right), self._weighing(held), left, right)
        return runs_between(cells, counts, left, right, under)

    def between(self, first: int, end: int) -> "Ranks":
        """The rows in cells first, …, end − 1, of those here; a row outside is left out, not moved."""
        held = self._selected(first, end)
        return Ranks(self.rows[held], None if self.weights is None else self.weights[held], first, end)

    @property
    def _shift(self) -> int:
        return max(0, (self.end - self.first - 1).bit_length() - 16)

    def _selected(self, left: int, right: int) -> NDArray[np.bool_] | slice:
        """Which rows count in cells left, …, right − 1."""
        if left >= right:
            return slice(0, 0)
        inside: NDArray[np.bool_] | None = None
        if left > self.first:  # else the rows below the first cell count in it
            inside = self.rows >= left
        if right < self.end:
            under = self.rows < right
            inside = under if inside is None else inside & under
        return slice(None) if inside is None else inside

    def _held(self, which: NDArray[np.bool_] | slice, left: int, right: int) -> Integers:
        """The rows named, each in the nearest of cells left, …, right − 1."""
        rows = self.rows[which].astype(np.int64)
        return np.clip(rows, left, max(left, right - 1), out=rows)

    def _weighing(self, which: NDArray[np.bool_] | slice) -> Integers | None:
        if self.weights is None:
            return None
        weights = self.weights[which].astype(np.int64)
        return np.clip(weights, 0, _HEAVIEST, out=weights)


def _counted(index: Integers, weights: Integers | None, size: int) -> Integers:
    """The weight at each of 0, …, size − 1; of at most 2¹⁸ rows of weight 2³⁰ a float holds every sum."""
    if weights is None:
        return np.bincount(index, minlength=size)
    counts = np.zeros(size, np.int64)
    for at in range(0, index.size, _CHUNK):
        held = slice(at, at + _CHUNK)
        counts += np.bincount(index[held], weights[held].astype(np.float64), minlength=size).astype(np.int64)
    return counts


def _tallied(rows: Integers, weights: Integers | None, left: int, right: int) -> tuple[Integers, Integers]:
    """The occupied cells, in order, and the weight of each: by a table, or by sorting where that would be too large."""
    if right - left <= 4 * rows.size + _LOOKED_UP:
        counts = _counted(rows - left, weights, right - left)
        occupied = np.flatnonzero(counts)
        return occupied + left, counts[occupied]
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=left - 1))
    weighing = np.ones(rows.size, np.int64) if weights is None else weights[order]
    return ordered[starts], np.add.reduceat(weighing, starts) if starts.size else starts


def _whole(numbers: Any, name: str) -> NDArray[np.integer[Any]]:
    """A vector of integers; refused by its type alone."""
    vector = np.asarray(numbers)
    if vector.size == 0 and vector.ndim == 1:
        vector = vector.astype(np.int64)
    if vector.dtype.kind not in "iu" or vector.dtype == np.uint64 or vector.ndim != 1:
        raise InvalidParameter(f"{name} must be a vector of integers up to int64")
    return vector
