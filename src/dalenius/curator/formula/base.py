"""What every formula can do, and how ends are rounded."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Ends = tuple[Column, Column]
Values = Mapping[str, Column]


class Formula(ABC):
    """A number or a condition for each cell, computed from released columns."""

    __slots__ = ()

    op: ClassVar[str]
    """What a stored formula calls it; never reused for another meaning."""

    @abstractmethod
    def value(self, cells: Values) -> Column:
        """The result for each cell; NaN where it is absent."""

    @abstractmethod
    def ends(self, cells: Mapping[str, Ends]) -> Ends:
        """Ends that hold the result wherever in their ends the cells lie, if it is not absent there."""

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


def hull(*values: Column) -> Ends:
    """The least and the largest, cell by cell; NaN if one is."""
    stacked = np.stack(np.broadcast_arrays(*values))
    return stacked.min(axis=0), stacked.max(axis=0)


def outward(low: Column, high: Column) -> Ends:
    """Ends that still hold what was computed with one rounding."""
    return below(low), above(high)


def below(low: Column) -> Column:
    """The next float down."""
    return np.nextafter(low, -np.inf)


def above(high: Column) -> Column:
    """The next float up."""
    return np.nextafter(high, np.inf)
