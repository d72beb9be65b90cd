"""The weights of places on a public grid, whose rows are put in a random order only where that is looked at.

A place of weight v holds ⌊v / row⌋ rows of weight `row` and one of what is left. To split through them each place is
divided in 2³², and its rows are spread over the parts at random (see `Quantiles`). The digits of a row are drawn when a
choice comes near its place, once, and hold from then on: as they are independent of all else, what is drawn late has
the law of what is drawn at first, and of a million rows some thousands are drawn.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.ranks import Integers, Runs, runs_between
from dalenius.noise import Bits

DIGITS = 32
"""Random digits that order the rows of one place."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaceWeights:
    """Weights at places 0, …, end − 1, by places that grow, each once; no row weighs more than `row`.

    A weight that grows by d moves the rows of its place, the full ones first, by d in all.
    """

    places: Integers = field(repr=False)
    weights: Integers = field(repr=False)
    row: int
    end: int

    first = 0

    def spread(self, bits: Bits) -> "SpreadPlaces":
        """Each place divided in 2³², its rows to be spread over the parts at random."""
        return SpreadPlaces(_Spread(self, bits), 0, self.end << DIGITS)


class _Spread:
    """The rows whose digits were drawn so far, in order; all parts of a table share them."""

    __slots__ = ("_bits", "_drawn", "_held", "_rows", "_weights", "by_place")

    def __init__(self, held: PlaceWeights, bits: Bits) -> None:
        self._held, self._bits = held, bits
        self._drawn: NDArray[np.bool_] = np.zeros(held.places.size, np.bool_)
        self._rows: Integers = np.empty(0, np.int64)
        self._weights: Integers = np.empty(0, np.int64)
        self.by_place: Integers = np.zeros(held.end, np.int64)
        self.by_place[held.places] = held.weights

    def rows(self, left: int, right: int) -> tuple[Integers, Integers]:
        """The rows in parts left, …, right − 1, in order, and their weights; drawn now if they were not."""
        if left >= right:
            return self._rows[:0], self._weights[:0]
        self._draw(left >> DIGITS, ((right - 1) >> DIGITS) + 1)
        here = slice(*np.searchsorted(self._rows, [left, right]).tolist())
        return self._rows[here], self._weights[here]

    def _draw(self, first: int, end: int) -> None:
        """The digits of all rows of places first, …, end − 1 that have none."""
        start, stop = np.searchsorted(self._held.places, [first, end]).tolist()
        new = start + np.flatnonzero(~self._drawn[start:stop])
        if not new.size:
            return
        self._drawn[new] = True
        full, rest = np.divmod(self._held.weights[new], self._held.row)
        rows = np.repeat(self._held.places[new], full + 1) << DIGITS
        rows |= self._bits.words(np.uint32, rows.size).astype(np.int64)
        weights = np.full(rows.size, self._held.row, np.int64)
        weights[np.cumsum(full + 1) - 1] = rest
        rows, weights = np.concatenate([self._rows, rows]), np.concatenate([self._weights, weights])
        order = np.argsort(rows, kind="stable")
        self._rows, self._weights = rows[order], weights[order]


@dataclass(frozen=True, eq=False)
class SpreadPlaces:
    """Rows in parts first, …, end − 1 of the places: what `Ranks` tells of its cells, a block for each place."""

    shared: _Spread = field(repr=False)
    first: int
    end: int

    @property
    def total(self) -> int:
        """The weight of all rows."""
        return int(self.below[-1])

    @property
    def blocks(self) -> int:
        """How many places there are, also in part."""
        return ((self.end - 1) >> DIGITS) - (self.first >> DIGITS) + 1

    @cached_property
    def below(self) -> Integers:
        """The weight below each block, and at last that of all: of the first and the last, of what is inside."""
        start = self.first >> DIGITS
        counts = self.shared.by_place[start : start + self.blocks].copy()
        for block in {0, self.blocks - 1}:
            left, right = self.edge(block), self.edge(block + 1)
            if right - left < 1 << DIGITS:
                counts[block] = self.shared.rows(left, right)[1].sum()
        return np.concatenate([[0], np.cumsum(counts)])

    def edge(self, block: int) -> int:
        """The first part of a block; `end` after the last."""
        return min(max(self.first, ((self.first >> DIGITS) + block) << DIGITS), self.end)

    def runs(self, first: int, last: int) -> Runs:
        """The parts of blocks first, …, last − 1, exactly."""
        left, right = self.edge(first), self.edge(last)
        rows, weights = self.shared.rows(left, right)
        starts = np.flatnonzero(np.diff(rows, prepend=left - 1))
        counts = np.add.reduceat(weights, starts) if starts.size else weights
        return runs_between(rows[starts], counts, left, right, int(self.below[first]))

    def between(self, first: int, end: int) -> "SpreadPlaces":
        """The rows in parts first, …, end − 1, of those here."""
        return replace(self, first=first, end=end)
