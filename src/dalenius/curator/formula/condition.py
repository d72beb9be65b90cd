"""Conditions on released numbers, true, false or absent as in SQL, and choices by them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.formula.base import Column, Ends, Formula, Noise, Values
from dalenius.errors import InvalidParameter

EITHER: Ends = (np.zeros(1), np.ones(1))
"""The ends of a condition: noise may have decided it."""

_COMPARED: dict[str, Callable[[Column, Column], NDArray[np.bool_]]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=": np.equal,
    "<>": np.not_equal,
}


@dataclass(frozen=True, slots=True)
class Compare(Formula):
    """A condition: left < right, and so on; absent where either is."""

    sign: str
    left: Formula
    right: Formula

    op: ClassVar[str] = "compare"

    def __post_init__(self) -> None:
        if self.sign not in _COMPARED:
            raise InvalidParameter(f"a comparison is one of {', '.join(_COMPARED)}, got {self.sign!r}")

    def value(self, cells: Values) -> Column:
        """1, 0 or absent."""
        left, right = np.broadcast_arrays(self.left.value(cells), self.right.value(cells))
        return np.where(np.isnan(left) | np.isnan(right), np.nan, _COMPARED[self.sign](left, right))

    def _ends(self, noise: Noise) -> Ends:
        return EITHER


@dataclass(frozen=True, slots=True)
class Every(Formula):
    """All conditions hold; false as soon as one is, else absent as soon as one is."""

    of: tuple[Formula, ...]

    op: ClassVar[str] = "every"

    def value(self, cells: Values) -> Column:
        """SQL's AND."""
        terms = np.broadcast_arrays(*(part.value(cells) for part in self.of))
        unknown, false = np.isnan(terms).any(axis=0), (np.asarray(terms) == 0).any(axis=0)
        return np.where(false, 0.0, np.where(unknown, np.nan, 1.0))

    def _ends(self, noise: Noise) -> Ends:
        return EITHER


@dataclass(frozen=True, slots=True)
class Some(Formula):
    """One of the conditions holds; true as soon as one is, else absent as soon as one is."""

    of: tuple[Formula, ...]

    op: ClassVar[str] = "some"

    def value(self, cells: Values) -> Column:
        """SQL's OR."""
        return 1.0 - Every(tuple(map(Opposite, self.of))).value(cells)

    def _ends(self, noise: Noise) -> Ends:
        return EITHER


@dataclass(frozen=True, slots=True)
class Opposite(Formula):
    """The condition does not hold."""

    of: Formula

    op: ClassVar[str] = "opposite"

    def value(self, cells: Values) -> Column:
        """SQL's NOT."""
        return np.where(np.isnan(values := self.of.value(cells)), np.nan, values == 0)

    def _ends(self, noise: Noise) -> Ends:
        return EITHER


@dataclass(frozen=True, slots=True)
class IsAbsent(Formula):
    """IS NULL: always known."""

    of: Formula

    op: ClassVar[str] = "is absent"

    def value(self, cells: Values) -> Column:
        """1 or 0."""
        return np.isnan(self.of.value(cells)).astype(np.float64)

    def _ends(self, noise: Noise) -> Ends:
        return EITHER


@dataclass(frozen=True, slots=True)
class Case(Formula):
    """The result of the first condition that holds, else `otherwise`."""

    branches: tuple[tuple[Formula, Formula], ...]
    otherwise: Formula

    op: ClassVar[str] = "case"

    def value(self, cells: Values) -> Column:
        """One of the results."""
        result = self.otherwise.value(cells)
        for condition, branch in reversed(self.branches):
            result = np.where(condition.value(cells) == 1, branch.value(cells), result)
        return result

    def _ends(self, noise: Noise) -> Ends:
        """The hull of all results, since noise may have chosen the branch."""
        every = [branch.ends(noise) for _, branch in self.branches] + [self.otherwise.ends(noise)]
        low, high = every[0]
        for other in every[1:]:
            low, high = np.fmin(low, other[0]), np.fmax(high, other[1])
        return low, high
