"""Weigh the rows of a unit that has several: the one place that says how much each counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Unit
from dalenius.noise import Lattice

WEIGHTS = Lattice(-20)
"""Where row weights live."""
ONE = int(1 / WEIGHTS.step)
"""A row that counts in full, in steps of that lattice."""
MOST_CONTRIBUTIONS = 2**30
_ROW_BITS = 34  # of a weighted row: 2²⁹ of them fit in int64


@dataclass(frozen=True, slots=True)
class Contributions:
    """All rows of one value of `column` together count for at most `most` rows, whatever they are.

    A unit with n final rows gives each the weight least(2²⁰, ⌊most·2²⁰ / n⌋), so that n of them weigh at most
    most·2²⁰  [G complaints count]. Final rows are those that the query counts: with a unit, with a declared key and
    not dropped. The weights of a unit depend on its own rows alone, so nobody else's part moves.

    >>> Contributions("user_id", 5)
    Contributions(column='user_id', most=5)
    """

    column: str
    most: int

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise InvalidParameter(f"contributions need the name of the unit's column, got {self.column!r}")
        most = self.most
        if isinstance(most, bool) or not isinstance(most, int | np.integer) or not 1 <= most <= MOST_CONTRIBUTIONS:
            raise InvalidParameter(f"contributions must be a whole number from 1 to 2^30, got {most!r}")
        object.__setattr__(self, "most", int(most))

    @classmethod
    def of(cls, unit: Unit, most: int | None) -> "Contributions | None":
        """What bounds this unit: nothing is needed where each row is a unit of its own."""
        if unit.column is None:
            if most is not None:
                raise InvalidParameter(f"each row is one contribution, got contributions={most!r}; leave it out")
            return None
        if most is None:
            raise unbounded(unit)
        return cls(unit.column, most)

    def weights(self, units: NDArray[np.int64]) -> NDArray[np.float64]:
        """The weight of each final row, whose unit is given by a number ≥ 0: whole numbers up to 2²⁰, as floats."""
        owned = np.bincount(units, minlength=1)
        by_unit = np.minimum(ONE, self.most * ONE // np.maximum(owned, 1)).astype(np.float64)
        weights: NDArray[np.float64] = by_unit[units]
        return weights

    def facts(self) -> dict[str, Any]:
        """The unit's column and how much it may count."""
        return {"column": self.column, "most": self.most}


def shift(most_steps: int) -> int:
    """By how many bits the product of a weight and a row of so many steps is cut, toward zero, to fit in 34 bits.

    Each cut part is no larger than before, so n·least(2²⁰, ⌊T·2²⁰/n⌋)·r ≤ T·2²⁰·r holds with both sides shifted.
    """
    return max(0, most_steps.bit_length() + 20 - _ROW_BITS)


def unbounded(unit: Unit) -> UnboundedQuery:
    """The refusal of a unit that may own any number of rows."""
    return UnboundedQuery(
        f"one {unit.name} may own any number of rows: give contributions=Contributions({unit.name!r}, ...), how many "
        "rows of each count in full"
    )
