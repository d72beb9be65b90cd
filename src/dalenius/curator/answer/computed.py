"""A column that ordinary SQL made of released tables, and the ends of its numbers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dalenius.curator.answer.measured import Value
from dalenius.curator.formula.base import Column
from dalenius.errors import UnprovenClaim
from dalenius.numerics import Number, probability

EndsAt = Callable[[Fraction, bool], Sequence[tuple[Value, Value]]]
"""The level, and whether all cells are meant at once, to the ends of each cell."""
_STORED = Fraction(19, 20)


@dataclass(frozen=True, slots=True)
class Computed:
    """One column of an answer that was computed from released tables, which costs nothing  [A Prop 3.1].

    `ends` gives intervals at any level; None where no rule carries the error so far, and then `reason` says why.
    """

    name: str
    values: tuple[Any, ...]
    ends: EndsAt | None = field(default=None, compare=False)
    reason: str = ""

    kind: ClassVar[str] = "computed"

    def floats(self) -> Column:
        """The numbers as a formula reads them; NaN for what is no number."""
        return np.array([_number(value) for value in self.values], np.float64)

    def accuracy(self, beta: Number, dimension: int = 1) -> float:
        """No one radius is known to hold for every cell: `interval` has the ends of each  [D Def 2.1]."""
        return math.inf

    def interval(self, level: Number, joint: bool = False) -> tuple[tuple[Value, Value], ...] | None:
        """Ends for each cell; None where the error was not carried so far."""
        return None if self.ends is None else tuple(self.ends(probability(level, "level"), joint))

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: the values, and the ends at 95 %."""
        ends = self.interval(_STORED)
        return {
            "kind": self.kind,
            "name": self.name,
            "values": [_plain(value) for value in self.values],
            "ends": None if ends is None else [[_finite(low), _finite(high)] for low, high in ends],
            "reason": self.reason,
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Computed":
        """The inverse of `to_dict`; the ends are those at 95 %, and of no other level."""
        kept = stored["ends"]
        if kept is None:
            return cls(stored["name"], tuple(stored["values"]), None, stored["reason"])
        pairs = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in kept]

        def ends(level: Fraction, joint: bool) -> Sequence[tuple[Value, Value]]:
            if level != _STORED or joint:
                raise UnprovenClaim("an answer that was written down has the ends at 95 % alone: ask it again")
            return pairs

        return cls(stored["name"], tuple(stored["values"]), ends, stored["reason"])


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _finite(end: Value) -> Value | None:
    return end if math.isfinite(end) else None
