"""Numbers made of released numbers."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dalenius.curator.formula.base import (
    Column,
    Ends,
    Formula,
    Linear,
    Noise,
    Values,
    above,
    below,
    hull,
    nearest,
    outward,
    unless_lost,
)
from dalenius.errors import InvalidParameter
from dalenius.numerics import float_above, float_below, rational

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Cell(Formula):
    """A released column."""

    name: str

    op: ClassVar[str] = "cell"

    def value(self, cells: Values) -> Column:
        return cells[self.name]

    def _ends(self, noise: Noise) -> Ends:
        return noise.linear(self.linear())

    def linear(self) -> Linear:
        """Itself once."""
        return Linear(((self.name, _ONE),), _ZERO)

    @property
    def names(self) -> frozenset[str]:
        return frozenset({self.name})

    @property
    def never_absent(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class Number(Formula):
    """A constant."""

    number: Fraction

    op: ClassVar[str] = "number"

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", rational(self.number, "number"))

    def value(self, cells: Values) -> Column:
        """The nearest float."""
        return np.array([nearest(self.number)])

    def _ends(self, noise: Noise) -> Ends:
        return noise.linear(self.linear())

    def linear(self) -> Linear:
        """No column."""
        return Linear.of({}, self.number)

    @property
    def never_absent(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class Absent(Formula):
    """NULL."""

    op: ClassVar[str] = "absent"

    def value(self, cells: Values) -> Column:
        """NaN."""
        return np.array([np.nan])

    def _ends(self, noise: Noise) -> Ends:
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

    def _ends(self, noise: Noise) -> Ends:
        """The sums of the ends."""
        (a, b), (c, d) = self.left.ends(noise), self.right.ends(noise)
        return unless_lost(*outward(a + c, b + d), a, c)

    def linear(self) -> Linear | None:
        """The sum of both."""
        left, right = self.left.linear(), self.right.linear()
        return None if left is None or right is None else left.plus(right)

    @property
    def never_absent(self) -> bool:
        """Where both never are."""
        return self.left.never_absent and self.right.never_absent


@dataclass(frozen=True, slots=True)
class Minus(_Pair):
    """left − right."""

    left: Formula
    right: Formula

    op: ClassVar[str] = "minus"

    @staticmethod
    def _of(left: Column, right: Column) -> Column:
        return left - right

    def _ends(self, noise: Noise) -> Ends:
        """Each end less the other's opposite end."""
        (a, b), (c, d) = self.left.ends(noise), self.right.ends(noise)
        return unless_lost(*outward(a - d, b - c), a, c)

    def linear(self) -> Linear | None:
        """The difference of both."""
        left, right = self.left.linear(), self.right.linear()
        return None if left is None or right is None else left.plus(right, Fraction(-1))

    @property
    def never_absent(self) -> bool:
        """Where both never are."""
        return self.left.never_absent and self.right.never_absent


@dataclass(frozen=True, slots=True)
class Times(_Pair):
    """left · right."""

    left: Formula
    right: Formula

    op: ClassVar[str] = "times"

    @staticmethod
    def _of(left: Column, right: Column) -> Column:
        return left * right

    def _ends(self, noise: Noise) -> Ends:
        """The least and largest product of ends; of a square, never below 0."""
        (a, b), (c, d) = self.left.ends(noise), self.right.ends(noise)
        low, high = hull(*(_product(x, y) for x in (a, b) for y in (c, d)))
        if self.left == self.right:
            low = np.where((a <= 0) & (b >= 0), 0.0, np.fmin(_product(a, a), _product(b, b)))
            return np.maximum(below(low), np.where(np.isnan(low), np.nan, 0.0)), above(high)
        return outward(low, high)

    def linear(self) -> Linear | None:
        """One of them times a constant."""
        left, right = self.left.linear(), self.right.linear()
        if left is None or right is None or (left.terms and right.terms):
            return None
        return left.times(right.constant) if left.terms else right.times(left.constant)

    @property
    def never_absent(self) -> bool:
        """Where both never are."""
        return self.left.never_absent and self.right.never_absent


@dataclass(frozen=True, slots=True)
class Over(_Pair):
    """left / right, absent where right is 0."""

    left: Formula
    right: Formula

    op: ClassVar[str] = "over"

    @staticmethod
    def _of(left: Column, right: Column) -> Column:
        return np.where(right == 0, np.nan, left / np.where(right == 0, 1.0, right))

    def _ends(self, noise: Noise) -> Ends:
        """The least and largest ratio of ends; the whole line where the divisor may be 0."""
        (a, b), (c, d) = self.left.ends(noise), self.right.ends(noise)
        safe = (c > 0) | (d < 0)
        with np.errstate(all="ignore"):
            low, high = hull(*(x / np.where(safe, y, 1.0) for x in (a, b) for y in (c, d)))
        low, high = unless_lost(*outward(low, high), a, c)
        unknown = np.isnan(a) | np.isnan(c)
        return np.where(unknown, np.nan, np.where(safe, low, -np.inf)), np.where(
            unknown, np.nan, np.where(safe, high, np.inf)
        )

    def linear(self) -> Linear | None:
        """The left one over a constant."""
        left, right = self.left.linear(), self.right.linear()
        if left is None or right is None or right.terms or right.constant == 0:
            return None
        return left.times(1 / right.constant)


@dataclass(frozen=True, slots=True)
class Ratio(Formula):
    """part / whole of two sums of columns, known to lie in [low, high]; the middle where the whole is not above 0.

    A mean is one, and so is a share: what it is of the true numbers lies between public bounds.
    """

    part: Formula
    whole: Formula
    low: Fraction
    high: Fraction

    op: ClassVar[str] = "ratio"

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", rational(self.low, "low"))
        object.__setattr__(self, "high", rational(self.high, "high"))
        if self.low > self.high:
            raise InvalidParameter(f"a ratio cannot lie in [{self.low}, {self.high}]: the ends are reversed")
        if self.part.linear() is None or self.whole.linear() is None:
            raise InvalidParameter("both sides of a ratio must be sums of columns")

    def value(self, cells: Values) -> Column:
        """The ratio, held in its bounds."""
        part, whole = self.part.value(cells), self.whole.value(cells)
        with np.errstate(all="ignore"):
            ratio = np.clip(part / np.where(whole > 0, whole, 1.0), nearest(self.low), nearest(self.high))
        return np.where(whole > 0, ratio, nearest((self.low + self.high) / 2))

    def _ends(self, noise: Noise) -> Ends:
        part, whole = self.part.linear(), self.whole.linear()
        assert part is not None
        assert whole is not None
        return noise.ratio(part, whole, self.low, self.high)

    @property
    def statements(self) -> frozenset[Any]:
        """One: both sides are looked at together."""
        return frozenset({("ratio", self.part.linear(), self.whole.linear())})

    @property
    def never_absent(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class Root(Formula):
    """The square root, absent below 0."""

    of: Formula

    op: ClassVar[str] = "root"

    def value(self, cells: Values) -> Column:
        values = self.of.value(cells)
        return np.sqrt(np.where(values < 0, np.nan, values))

    def _ends(self, noise: Noise) -> Ends:
        """The roots of the ends, of what is not below 0."""
        low, high = self.of.ends(noise)
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
        return np.clip(self.of.value(cells), nearest(self.low), nearest(self.high))

    def _ends(self, noise: Noise) -> Ends:
        """The ends, held."""
        low, high = self.of.ends(noise)
        least, most = float_below(self.low), float_above(self.high)
        return np.clip(low, least, most), np.clip(high, least, most)

    @property
    def never_absent(self) -> bool:
        """Where what is held never is."""
        return self.of.never_absent


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

    def _ends(self, noise: Noise) -> Ends:
        """`then` where the test is surely positive.

        Elsewhere nothing is known of a ratio whose divisor may vanish or surely does, and `otherwise` stands in for a
        number that does not exist: the whole line, which `Held` brings back. A test that may be absent, and then
        decides for the other, tells nothing by its ends either; but a root is absent only of what is below 0, and then
        its lower end is 0.
        """
        present = self.test.never_absent or self.test.linear() is not None
        root = isinstance(self.test, Root) and self.test.of.never_absent
        if not (present or root):
            return np.full(1, -np.inf), np.full(1, np.inf)
        positive = self.test.ends(noise)[0] > 0
        low, high = self.then.ends(noise)
        return np.where(positive, low, -np.inf), np.where(positive, high, np.inf)

    @property
    def never_absent(self) -> bool:
        """Where both sides never are; a ratio by the test itself is absent only where the test is 0."""
        then = self.then
        by_test = isinstance(then, Over) and then.right == self.test and then.left.never_absent
        return self.test.never_absent and self.otherwise.never_absent and (by_test or then.never_absent)


def _product(left: Column, right: Column) -> Column:
    with np.errstate(all="ignore"):
        return np.where((left == 0) | (right == 0), 0.0, left * right)  # 0 · ∞ is 0 among ends
