"""Numbers made of released numbers."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dalenius.curator.formula.base import Column, Ends, Formula, Values, above, below, hull, outward
from dalenius.errors import InvalidParameter
from dalenius.numerics import float_above, float_below, rational


@dataclass(frozen=True, slots=True)
class Cell(Formula):
    """A released column."""

    name: str

    op: ClassVar[str] = "cell"

    def value(self, cells: Values) -> Column:
        """The column itself."""
        return cells[self.name]

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The ends of the column."""
        return cells[self.name]

    @property
    def names(self) -> frozenset[str]:
        """Itself."""
        return frozenset({self.name})


@dataclass(frozen=True, slots=True)
class Number(Formula):
    """A constant."""

    number: Fraction

    op: ClassVar[str] = "number"

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", rational(self.number, "number"))

    def value(self, cells: Values) -> Column:
        """The nearest float."""
        return np.array([float(self.number)])

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The floats on either side of it."""
        return np.array([float_below(self.number)]), np.array([float_above(self.number)])


@dataclass(frozen=True, slots=True)
class Absent(Formula):
    """NULL."""

    op: ClassVar[str] = "absent"

    def value(self, cells: Values) -> Column:
        """NaN."""
        return np.array([np.nan])

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """No number, so no ends."""
        return np.array([np.nan]), np.array([np.nan])


class _Pair(Formula):
    """An operation on two numbers."""

    __slots__ = ()

    left: Formula
    right: Formula

    def value(self, cells: Values) -> Column:
        """The operation on both values."""
        with np.errstate(all="ignore"):
            return self._of(self.left.value(cells), self.right.value(cells))

    @staticmethod
    @abstractmethod
    def _of(left: Column, right: Column) -> Column:
        """The operation."""


@dataclass(frozen=True, slots=True)
class Plus(_Pair):
    """left + right."""

    left: Formula
    right: Formula

    op: ClassVar[str] = "plus"

    @staticmethod
    def _of(left: Column, right: Column) -> Column:
        return left + right

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The sums of the ends."""
        (a, b), (c, d) = self.left.ends(cells), self.right.ends(cells)
        return outward(a + c, b + d)


@dataclass(frozen=True, slots=True)
class Minus(_Pair):
    """left − right."""

    left: Formula
    right: Formula

    op: ClassVar[str] = "minus"

    @staticmethod
    def _of(left: Column, right: Column) -> Column:
        return left - right

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """Each end less the other's opposite end."""
        (a, b), (c, d) = self.left.ends(cells), self.right.ends(cells)
        return outward(a - d, b - c)


@dataclass(frozen=True, slots=True)
class Times(_Pair):
    """left · right."""

    left: Formula
    right: Formula

    op: ClassVar[str] = "times"

    @staticmethod
    def _of(left: Column, right: Column) -> Column:
        return left * right

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The least and largest product of ends; of a square, never below 0."""
        (a, b), (c, d) = self.left.ends(cells), self.right.ends(cells)
        low, high = hull(*(_product(x, y) for x in (a, b) for y in (c, d)))
        if self.left == self.right:
            low = np.where((a <= 0) & (b >= 0), 0.0, np.fmin(_product(a, a), _product(b, b)))
            return np.maximum(below(low), np.where(np.isnan(low), np.nan, 0.0)), above(high)
        return outward(low, high)


@dataclass(frozen=True, slots=True)
class Over(_Pair):
    """left / right, absent where right is 0."""

    left: Formula
    right: Formula

    op: ClassVar[str] = "over"

    @staticmethod
    def _of(left: Column, right: Column) -> Column:
        return np.where(right == 0, np.nan, left / np.where(right == 0, 1.0, right))

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The least and largest ratio of ends; the whole line where the divisor may be 0."""
        (a, b), (c, d) = self.left.ends(cells), self.right.ends(cells)
        safe = (c > 0) | (d < 0)
        with np.errstate(all="ignore"):
            low, high = hull(*(x / np.where(safe, y, 1.0) for x in (a, b) for y in (c, d)))
        low, high = outward(low, high)
        unknown = np.isnan(a + c)
        return np.where(unknown, np.nan, np.where(safe, low, -np.inf)), np.where(
            unknown, np.nan, np.where(safe, high, np.inf)
        )


@dataclass(frozen=True, slots=True)
class Share(Formula):
    """part / (part + rest) of two sums that cannot truly be below 0; absent where their noisy sum is not above 0."""

    part: Formula
    rest: Formula

    op: ClassVar[str] = "share"

    def value(self, cells: Values) -> Column:
        """The ratio, held in [0, 1] as that of the true sums is."""
        part, rest = self.part.value(cells), self.rest.value(cells)
        whole = part + rest
        with np.errstate(all="ignore"):
            return np.clip(np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan), 0.0, 1.0)

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """For sums ≥ 0 it rises with the part and falls with the rest, so opposite ends are the extremes.

        Read off b/(a + b) directly, both would enter twice and the ends be twice as far apart.
        """
        (a, b), (c, d) = self.part.ends(cells), self.rest.ends(cells)
        low, most = np.maximum(a, 0.0), np.maximum(d, 0.0)
        high, least = np.maximum(b, 0.0), np.maximum(c, 0.0)
        with np.errstate(all="ignore"):
            left = np.where(low + most > 0, low / above(low + most), 0.0)
            right = np.where(high + least > 0, high / below(high + least), 1.0)
        left, right = outward(np.where(np.isnan(left), 0.0, left), np.where(np.isnan(right), 1.0, right))
        return np.clip(left, 0.0, 1.0), np.clip(right, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Root(Formula):
    """The square root, absent below 0."""

    of: Formula

    op: ClassVar[str] = "root"

    def value(self, cells: Values) -> Column:
        """Of each value."""
        values = self.of.value(cells)
        return np.sqrt(np.where(values < 0, np.nan, values))

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The roots of the ends, of what is not below 0."""
        low, high = self.of.ends(cells)
        with np.errstate(all="ignore"):
            rounded = outward(np.sqrt(np.maximum(low, 0.0)), np.sqrt(np.maximum(high, 0.0)))
        return np.maximum(rounded[0], 0.0), rounded[1]


@dataclass(frozen=True, slots=True)
class Held(Formula):
    """The nearest number in [low, high], two public constants."""

    of: Formula
    low: Fraction
    high: Fraction

    op: ClassVar[str] = "held"

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", rational(self.low, "low"))
        object.__setattr__(self, "high", rational(self.high, "high"))
        if self.low > self.high:
            raise InvalidParameter(f"a number cannot be held in [{self.low}, {self.high}]: the ends are reversed")

    def value(self, cells: Values) -> Column:
        """Held."""
        return np.clip(self.of.value(cells), float(self.low), float(self.high))

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """The ends, held."""
        low, high = self.of.ends(cells)
        least, most = float_below(self.low), float_above(self.high)
        return np.clip(low, least, most), np.clip(high, least, most)


@dataclass(frozen=True, slots=True)
class IfPositive(Formula):
    """`then` where `test` > 0, else `otherwise`: what a ratio is where its noisy count is not above 0."""

    test: Formula
    then: Formula
    otherwise: Formula

    op: ClassVar[str] = "if positive"

    def value(self, cells: Values) -> Column:
        """One or the other."""
        return np.where(self.test.value(cells) > 0, self.then.value(cells), self.otherwise.value(cells))

    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """`then` where the test is surely positive.

        Elsewhere nothing is known of a ratio whose divisor may vanish: the whole line, which `Held` brings back.
        """
        low, high = self.test.ends(cells)
        then, other = self.then.ends(cells), self.otherwise.ends(cells)
        never = high <= 0
        return (
            np.where(low > 0, then[0], np.where(never, other[0], -np.inf)),
            np.where(low > 0, then[1], np.where(never, other[1], np.inf)),
        )


def mean(total: Formula, count: Formula, low: Fraction, high: Fraction) -> Formula:
    """The ratio total / count held in the public bounds, their middle where the noisy count is not above 0."""
    middle = Number((rational(low, "low") + rational(high, "high")) / 2)
    return Held(IfPositive(count, Over(total, count), middle), low, high)


def _product(left: Column, right: Column) -> Column:
    with np.errstate(all="ignore"):
        return np.where((left == 0) | (right == 0), 0.0, left * right)  # 0 · ∞ is 0 among ends
