"""Threshold questions on an ordered universe: how many rows are at most j, for every j.

A small database is a path of prefix counts 0 ≤ c_1 ≤ … ≤ c_X = m, one for each multiset. Its level is at most t exactly
if every c_j lies in the band |n c_j − m N_j| ≤ m t, N_j the private prefix counts. The paths inside a band are counted
by one running sum for each item, and drawn backwards from the last item: in whole numbers, with no approximation.
"""

import math
from dataclasses import dataclass
from itertools import accumulate

from dalenius.noise import Bits
from dalenius.synthesis.blr.integers import weighted
from dalenius.synthesis.blr.measure import BaseMeasure, checked_size, databases_of

MOST_ITEMS = 1 << 16


@dataclass(frozen=True, slots=True)
class Thresholds:
    """All questions "how many rows are at most item j" over an ordered universe  [S Thm 3].

    >>> Thresholds(3, 2).databases
    6
    """

    universe: int
    rows: int
    measure: BaseMeasure = "multisets"

    def __post_init__(self) -> None:
        checked_size(self.universe, self.rows, self.measure, MOST_ITEMS)

    @property
    def questions(self) -> int:
        """One for each item; the last counts all rows, and is never off."""
        return self.universe

    @property
    def fineness(self) -> int:
        """Whole rows."""
        return 1

    @property
    def databases(self) -> int:
        """C(X + m − 1, m) multisets, or X^m sequences."""
        return databases_of(self.universe, self.rows, self.measure)

    def around(self, histogram: tuple[int, ...], one: int = 1) -> "Paths":
        """The paths around the private prefix counts."""
        return Paths(self, tuple(accumulate(histogram)), one)

    def facts(self) -> dict[str, object]:
        """Universe, rows and base measure."""
        return {
            "questions": "thresholds",
            "universe": self.universe,
            "rows": self.rows,
            "base measure": self.measure,
        }


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths around private prefix counts, in steps of 1/one row."""

    family: Thresholds
    prefix: tuple[int, ...]
    one: int

    @property
    def largest(self) -> int:
        """No count is off by more than all rows."""
        return -(-self.prefix[-1] // self.one)

    def count(self, level: int) -> int:
        """All paths in the band of that level."""
        windows, row = self._windows(level), [1]
        before = (0, 0)
        for window in windows:
            row = self._next(before, row, window)
            if not row:
                return 0
            before = window
        return row[-1]

    def draw(self, level: int, bits: Bits) -> tuple[int, ...]:
        """One path in the band, from its end backwards; given as a histogram."""
        windows, rows, before = self._windows(level), [[1]], (0, 0)
        for window in windows:
            rows.append(self._next(before, rows[-1], window))
            before = window
        at, steps = self.family.rows, []
        for place in range(len(windows) - 1, -1, -1):
            low = windows[place - 1][0] if place else 0
            ways = rows[place][: at - low + 1]
            if self.family.measure == "sequences":
                m = self.family.rows
                ways = [way * math.comb(m - c, at - c) for c, way in enumerate(ways, low)]
            came = low + weighted(ways, bits)
            steps.append(at - came)
            at = came
        return tuple(reversed(steps))

    def _windows(self, level: int) -> list[tuple[int, int]]:
        """For each item the least and the largest prefix count inside the band; the last one is m."""
        n, m, reach = self.prefix[-1], self.family.rows, self.family.rows * level * self.one
        if n == 0:
            free = [(0, m)] * (len(self.prefix) - 1)
        else:
            free = [
                (max(0, -((reach - m * before) // n)), min(m, (m * before + reach) // n)) for before in self.prefix[:-1]
            ]
        return [*free, (m, m)]

    def _next(self, before: tuple[int, int], row: list[int], window: tuple[int, int]) -> list[int]:
        """The number of paths to each prefix count of a window, from those to the window before it."""
        (least, largest), (low, high) = before, window
        if low > high:
            return []
        if self.family.measure == "sequences":
            m = self.family.rows
            return [
                sum(way * math.comb(m - c, to - c) for c, way in enumerate(row[: to - least + 1], least))
                for to in range(low, high + 1)
            ]
        sums = list(accumulate(row))
        if low > largest:
            return [sums[-1]] * (high - low + 1)
        return sums[low - least : high - least + 1] + [sums[-1]] * (high - max(largest, low - 1))
