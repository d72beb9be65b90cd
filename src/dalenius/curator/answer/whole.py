"""An interval of the *whole* answer, which counts all rows and values up to ceilings that the owner declared.

Let T be the contribution bound, M the ceiling of rows, [l, u] the bounds of a value and [L, U] its limits. A unit of n
rows weighs w = least(1, T/n) a row in the bounded answer and W = least(1, M/n) in the whole one. Only units with n > T
differ: one of at most e rows by no more than least(e, M) − T, and what rounding weights to 2⁻²⁰ may take. Only units
with a value outside of [l, u] have another value, and theirs weigh at most T in a cell. With K rows cut off in all (the
sum of that over the bins of the profile beyond T), A people above u and B below l:

    COUNT   whole − bounded lies in [0, K]
    SUM     in [K·min(L, 0) − B·T·(l − L), K·max(U, 0) + A·T·(U − u)]
    AVG     the whole mean is at most (N·m + K·U + A·T·(U − u)) / (N + K), m the bounded mean and N its rows

docs/theory/whole-error.md has the proofs. K, A and B come from noisy numbers of people, each taken with its radius; the
statements about them and about the answer's own noise share what may fail: a union bound.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dalenius.curator.answer.measured import Value
from dalenius.curator.answer.shown import Shown
from dalenius.curator.answer.sum_radius import radius
from dalenius.curator.formula import Ratio
from dalenius.mechanisms import AdditiveMechanism, mechanism_of
from dalenius.numerics import Number, float_above, float_below, probability, stored_fraction

if TYPE_CHECKING:
    from dalenius.curator.answer.outcome import Outcome

NOTE = "whole answer"
"""The name under which an outcome's notes keep it."""

COUNT, PEOPLE, SUM, MEAN = "count", "people", "sum", "mean"
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class NoisyPeople:
    """Released numbers of people in bins that exclude each other, and the mechanism that made them."""

    cells: tuple[int, ...]
    mechanism: AdditiveMechanism

    def at_most(self, beta: Fraction, each: Sequence[Fraction] | None = None) -> Fraction:
        """With probability 1 − beta there are no more people, or as many times `each` of their bin  [D Def 2.1]."""
        times = (_ONE,) * len(self.cells) if each is None else tuple(each)
        if not any(times):
            return Fraction(0)
        estimate = sum((cell * factor for cell, factor in zip(self.cells, times, strict=True)), Fraction(0))
        reach = radius(tuple((self.mechanism, factor) for factor in times if factor), beta)
        return max(Fraction(0), estimate + Fraction(reach))

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"cells": list(self.cells), "mechanism": self.mechanism.facts()}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any] | None) -> "NoisyPeople | None":
        """The inverse of `to_dict`."""
        return None if stored is None else cls(tuple(stored["cells"]), mechanism_of(stored["mechanism"]))


@dataclass(frozen=True, slots=True)
class WholeColumn:
    """What a shown number is, and of a sum or a mean: its bounds and limits, and the people whose values are clamped.

    `missed` is how many rows a unit of each bin beyond T can miss in a cell; nothing if none can miss any.
    """

    kind: str
    missed: tuple[Fraction, ...]
    bounds: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    limits: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    below: NoisyPeople | None = None
    above: NoisyPeople | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            **{"kind": self.kind, "missed": list(map(str, self.missed))},
            **{"bounds": list(map(str, self.bounds)), "limits": list(map(str, self.limits))},
            "below": None if self.below is None else self.below.to_dict(),
            "above": None if self.above is None else self.above.to_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "WholeColumn":
        """The inverse of `to_dict`."""
        low, high = ((stored_fraction(a), stored_fraction(b)) for a, b in (stored["bounds"], stored["limits"]))
        sides = (NoisyPeople.from_dict(stored[side]) for side in ("below", "above"))
        return cls(stored["kind"], tuple(map(Fraction, stored["missed"])), low, high, *sides)


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """What an outcome's numbers need for an interval of the whole answer; `most` is T."""

    most: int
    beyond: NoisyPeople | None
    columns: Mapping[str, WholeColumn]

    def ends(self, outcome: "Outcome", item: Shown, level: Number) -> tuple[tuple[Value, Value], ...] | None:
        """Ends that hold the whole answer of each shown cell with probability at least `level`; None if there are none.

        All that is cut off may lie in one cell, so it is taken in full for each of them.
        """
        column = self.columns.get(item.name)
        if column is None:
            return None
        asked = [(self.beyond if column.missed else None, column.missed), (column.below, None), (column.above, None)]
        doubt, known = 1 - probability(level, "level"), sum(one is not None for one, _ in asked)
        own = doubt / 2 if known else doubt
        rows, below, above = (Fraction(0) if one is None else one.at_most(own / known, each) for one, each in asked)
        cut = _Cut(rows, math.floor(below) * self.most, math.floor(above) * self.most, column)
        if column.kind == MEAN:
            return self._means(outcome, item, cut, own / 2)
        ends = outcome.interval(item, 1 - own)
        return None if ends is None else tuple(cut.sums(low, high) for low, high in ends)

    def _means(
        self, outcome: "Outcome", item: Shown, cut: "_Cut", each: Fraction
    ) -> tuple[tuple[Value, Value], ...] | None:
        if not isinstance(item.formula, Ratio):
            return None
        means = outcome.interval(item, 1 - each)
        rows = outcome.interval(Shown(item.name, item.formula.whole), 1 - each)
        if means is None or rows is None:
            return None
        return tuple(cut.mean(low, high, least) for (low, high), (least, _) in zip(means, rows, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "most": self.most,
            "beyond": None if self.beyond is None else self.beyond.to_dict(),
            "columns": {name: column.to_dict() for name, column in self.columns.items()},
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "WholeAnswer":
        """The inverse of `to_dict`."""
        columns = {name: WholeColumn.from_dict(column) for name, column in stored["columns"].items()}
        return cls(stored["most"], NoisyPeople.from_dict(stored["beyond"]), columns)


@dataclass(frozen=True, slots=True)
class _Cut:
    """The most rows that are cut off a cell, and the most weight of values that were clamped up and down there."""

    rows: Fraction
    raised: int
    lowered: int
    of: WholeColumn

    def sums(self, low: Value, high: Value) -> tuple[Value, Value]:
        """Ends of the whole count or sum from those of the bounded one."""
        if self.of.kind in (COUNT, PEOPLE):
            return low, _up(high, self.rows)
        down, up = self._values
        (least, largest), rows = self.of.limits, self.rows
        return -_up(-low, down - rows * min(least, Fraction(0))), _up(high, up + rows * max(largest, Fraction(0)))

    def mean(self, low: Value, high: Value, rows: Value) -> tuple[Value, Value]:
        """Ends of the whole mean from those of the bounded one and the least number of rows that it is of."""
        least, largest = self.of.limits
        if not (math.isfinite(rows) and rows > 0 and math.isfinite(low) and math.isfinite(high)):
            return float_below(least), float_above(largest)
        kept, (down, up) = Fraction(rows), self._values
        every = kept + self.rows
        bottom = (kept * Fraction(low) + self.rows * least - down) / every
        top = (kept * Fraction(high) + self.rows * largest + up) / every
        return float_below(max(least, bottom)), float_above(min(largest, top))

    @property
    def _values(self) -> tuple[Fraction, Fraction]:
        (low, high), (least, largest) = self.of.bounds, self.of.limits
        return self.raised * (low - least), self.lowered * (largest - high)


def _up(end: Value, by: Fraction) -> Value:
    if not by or not math.isfinite(end):
        return end
    if isinstance(end, int) and by.denominator == 1:
        return end + by.numerator
    return float_above(Fraction(end) + by)
