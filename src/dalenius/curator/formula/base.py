"""The interface of formulas, and the rounding of their ends."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Ends = tuple[Column, Column]
Values = Mapping[str, Column]


class Linear(NamedTuple):
    """A sum of released columns, each times a constant, and a constant."""

    terms: tuple[tuple[str, Fraction], ...]
    constant: Fraction

    @classmethod
    def of(cls, terms: Mapping[str, Fraction], constant: Fraction = Fraction(0)) -> "Linear":
        """Terms in one order, without those that vanish."""
        return cls(tuple(sorted((name, factor) for name, factor in terms.items() if factor)), constant)

    def plus(self, other: "Linear", factor: Fraction = Fraction(1)) -> "Linear":
        """This and `factor` times the other."""
        terms = dict(self.terms)
        for name, times in other.terms:
            terms[name] = terms.get(name, Fraction(0)) + factor * times
        return Linear.of(terms, self.constant + factor * other.constant)

    def times(self, factor: Fraction) -> "Linear":
        """Every term times a constant."""
        if not factor:
            return Linear((), Fraction(0))
        known: dict[int, Fraction] = {}  # most sums have one coefficient: it is multiplied once, and stays one object
        terms = tuple((name, known.get(id(one)) or known.setdefault(id(one), factor * one)) for name, one in self.terms)
        return Linear(terms, factor * self.constant)

    def noise(self) -> "Linear":
        """Its noise but for a constant factor: what one statement is about.

        A sum S of noises stays within r, and λS + c is off by no more than r': each fails with probability at most β,
        and one of them never fails alone but for |S| between r and r'/|λ|. So both together fail no more often than the
        one with the smaller radius, with probability at most β.
        """
        first = self.terms[0][1] if self.terms else Fraction(1)
        if first == 1:
            return self if not self.constant else Linear(self.terms, Fraction(0))
        scaled = self.times(1 / first)
        return Linear(scaled.terms, Fraction(0))

    def __hash__(self) -> int:
        """By its columns: their names know their hashes, fractions do not."""
        return hash((tuple(map(itemgetter(0), self.terms)), self.constant))

    def value(self, cells: Values) -> Column:
        """What it is of the given columns."""
        total = np.array([nearest(self.constant)])
        with np.errstate(all="ignore"):
            for name, factor in self.terms:
                total = total + nearest(factor) * cells[name]
        return total


class Noise(Protocol):
    """How far the true numbers may lie from the released ones: what `ends` are computed from.

    Each call is one statement, which fails with a probability that whoever made the noise has chosen.
    """

    def linear(self, form: Linear) -> Ends:
        """Ends that hold the sum of the true numbers."""

    def ratio(self, part: Linear, whole: Linear, low: Fraction, high: Fraction) -> Ends:
        """Ends that hold the ratio of two sums of true numbers, which is known to lie in [low, high]."""


class Formula(ABC):
    """A number or a condition for each cell, computed from released columns."""

    __slots__ = ()

    op: ClassVar[str]
    """What a stored formula calls it; never reused for another meaning."""

    @abstractmethod
    def value(self, cells: Values) -> Column:
        """The result for each cell; NaN where it is absent."""

    @abstractmethod
    def _ends(self, noise: Noise) -> Ends:
        """Ends made from those of the parts."""

    def ends(self, noise: Noise) -> Ends:
        """Ends that hold the result of the true numbers, if it is not absent there and every statement holds."""
        form = self.linear()
        with np.errstate(all="ignore"):
            return self._ends(noise) if form is None else noise.linear(form)

    def linear(self) -> Linear | None:
        """The sum of columns that this is, if it is one: then its ends need one statement, not one for each column."""
        return None

    @property
    def never_absent(self) -> bool:
        """Whether it is a number whatever numbers the columns hold; said of those for which that is certain."""
        return False

    @property
    def statements(self) -> frozenset[Any]:
        """What `ends` asks of the noise, each once."""
        form = self.linear()
        if form is not None:
            return frozenset({form.noise()}) if form.terms else frozenset()
        return frozenset().union(*(part.statements for part in self.parts))

    @property
    def parts(self) -> tuple["Formula", ...]:
        """The formulas that this one is made of."""
        return tuple(part for part in _fields(self).values() if isinstance(part, Formula)) + tuple(
            part for group in _fields(self).values() if isinstance(group, tuple) for part in _flat(group)
        )

    @property
    def names(self) -> frozenset[str]:
        """The columns that it reads."""
        return frozenset().union(*(part.names for part in self.parts))

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"op": self.op} | {name: _plain(part) for name, part in _fields(self).items()}


def _fields(formula: Formula) -> dict[str, Any]:
    return {field.name: getattr(formula, field.name) for field in fields(formula)}  # type: ignore[arg-type]


def _flat(group: tuple[Any, ...]) -> tuple[Formula, ...]:
    return tuple(part for item in group for part in (item if isinstance(item, tuple) else (item,)))


def _plain(part: Any) -> Any:
    if isinstance(part, Formula):
        return part.to_dict()
    if isinstance(part, tuple):
        return [_plain(item) for item in part]
    return {"fraction": str(part)} if isinstance(part, Fraction) else part


def nearest(number: Fraction) -> float:
    """The nearest float; ±∞ beyond the largest, since a number that is written in a question must not make it fail."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def hull(*values: Column) -> Ends:
    """The least and the largest, cell by cell; NaN if one is."""
    stacked = np.stack(np.broadcast_arrays(*values))
    return stacked.min(axis=0), stacked.max(axis=0)


def unless_lost(low: Column, high: Column, *of: Column) -> Ends:
    """The ends; the whole line where ∞ − ∞ or ∞ / ∞ left none though no operand is absent."""
    absent = np.isnan(np.stack(np.broadcast_arrays(*of))).any(axis=0)
    return (
        np.where(np.isnan(low) & ~absent, -np.inf, low),
        np.where(np.isnan(high) & ~absent, np.inf, high),
    )


def outward(low: Column, high: Column) -> Ends:
    """Ends that still hold what was computed with one rounding."""
    return below(low), above(high)


def below(low: Column) -> Column:
    """The next float down."""
    return np.nextafter(low, -np.inf)


def above(high: Column) -> Column:
    """The next float up."""
    return np.nextafter(high, np.inf)
