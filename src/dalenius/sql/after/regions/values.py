"""What is known of a value: the same whatever the noise, a formula over released numbers, or all that is possible."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.formula import Ends, Formula, Linear, Noise, Values

MISSING = object()
"""In the place of a value that was not computed here: the engine alone has it."""


@dataclass(frozen=True, slots=True)
class CombinedValue(Formula):
    """A sum of released numbers, each times a constant."""

    form: Linear

    op: ClassVar[str] = "combined"

    def value(self, cells: Values) -> NDArray[np.float64]:
        """The sum."""
        return self.form.value(cells)

    def _ends(self, noise: Noise) -> Ends:
        return noise.linear(self.form)

    def linear(self) -> Linear:
        """Itself."""
        return self.form

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.form.terms)


@dataclass(frozen=True, slots=True)
class Exact:
    """A public value: no noise has touched it."""

    point: Any


@dataclass(frozen=True, slots=True)
class MadeValue:
    """A number that a formula makes of released ones; `point` is what it is of those that were released."""

    formula: Formula
    point: Any
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Between:
    """A number somewhere in [low, high], or NULL if it may be."""

    low: float
    high: float
    point: Any
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these values, NULL perhaps among them."""

    values: frozenset[Any]
    point: Any


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which nothing is known, and why."""

    reason: str
    point: Any = MISSING


Value = Exact | MadeValue | Between | OneOf | Unknown


class NoRule(Exception):
    """A construct that has no rule for regions; the answer is then told without intervals."""


def is_number(value: Any) -> bool:
    """Whether a public value is a finite number."""
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool) and math.isfinite(value)


def formula_of(value: Value) -> Formula | None:
    """The formula of a number; None of what is none, or known by its ends alone."""
    if isinstance(value, MadeValue):
        return value.formula
    if isinstance(value, Exact) and is_number(value.point):
        return CombinedValue(Linear.of({}, Fraction(value.point)))
    return None


def simplified(formula: Formula) -> Formula:
    """A sum of released numbers as one."""
    form = formula.linear()
    return formula if form is None else CombinedValue(form)


def hull(values: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The least and the largest end."""
    pairs = list(values)
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def choices(value: Value) -> frozenset[Any] | None:
    """All that a value may be, where these are listed."""
    if isinstance(value, Exact):
        return frozenset({value.point})
    return value.values if isinstance(value, OneOf) else None
