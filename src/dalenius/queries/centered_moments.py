"""Sum and sum of squares where the number of rows is public."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.queries.bounds import Bounds, Ends, Missing
from dalenius.queries.keys import Keys
from dalenius.queries.moments import BITS, FULL, PlaceInBounds
from dalenius.queries.reach import UnitReach, norm_of
from dalenius.queries.scan import Scan
from dalenius.queries.view import Table

_ROUNDING = 5
"""Steps by which rounding can take two squares further apart: 4·c errs by less than 2 + 2⁻²⁰ for each."""


@dataclass(frozen=True, slots=True, init=False)
class CenteredMoments:
    """Σs, and for degree 2 also Σs², of s = (2x − lower − upper)/(upper − lower) in [−1, 1].

    For CHANGE_ONE, where n is public and needs no noise: Σx = n·(lower + upper)/2 + (upper − lower)/2·Σs, and the
    variance is (upper − lower)²/4·(Σs²/n − (Σs/n)²). Every row counts, so a number must stand in for a missing one.
    """

    column: str
    bounds: Bounds
    degree: int

    def __init__(self, column: str, bounds: Ends | None, degree: int = 1, missing: Missing = "nearest") -> None:
        if isinstance(degree, bool) or degree not in (1, 2):
            raise InvalidParameter(f"degree must be 1 (for a mean) or 2 (for a variance), got {degree!r}")
        held = Bounds(column, bounds, missing)
        if held.fill is None:
            raise InvalidParameter(f"with a public number of rows none of {column!r} can be dropped: give missing=...")
        PlaceInBounds(column, held)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bounds", held)
        object.__setattr__(self, "degree", degree)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""
        return (self.column,)

    @property
    def columns(self) -> tuple[str, ...]:
        """Σs, and Σs² for degree 2."""
        return ("s", "ss")[: self.degree]

    @property
    def keys(self) -> Keys | None:
        """One cell: how many rows have a key is not public."""
        return None

    @property
    def lattice(self) -> Lattice:
        """Multiples of 2⁻³⁰."""
        return Lattice(-BITS)

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The sums, exact: s = 2q − 1 and s² = 4c − 4q + 1 of the rounded place q and its rounded square c."""
        place = PlaceInBounds(self.column, self.bounds)
        fill = float(self.bounds.fill or 0)
        if self.degree == 1:
            return Scan((self.column,), (fill,), place.first, ((-FULL, 2),), FULL).totals(view)
        return Scan((self.column,), (fill,), place.both, ((-FULL, 2, 0), (FULL, -4, 4)), FULL).totals(view)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """CHANGE_ONE: 2 for Σs alone; with Σs² it is 9/4 in ℓ1 and 2 in ℓ2, and the rounding of squares.

        With d = s − s' in [0, 2] there is |s + s'| ≤ 2 − d, so the ℓ1 distance is d(1 + |s + s'|) ≤ d(3 − d) ≤ 9/4,
        attained at s' = −½, s = 1. The squared ℓ2 distance is d²(1 + (s + s')²) ≤ d²(1 + (2 − d)²), which increases
        in d: its derivative is 2d(2d² − 6d + 5) > 0; so it is at most 4. ADD_REMOVE: |s| + s² ≤ 2, s² + s⁴ ≤ 2.
        """
        norm, spread = Sensitivity(FULL, norm_of(metric)), Sensitivity(2 * FULL, metric)
        if self.degree == 2:
            norm = {Metric.L1: 2 * norm, Metric.L2: Sensitivity.root(2 * FULL**2, Metric.L2)}.get(metric, norm)
            far = 9 * FULL // 4 if metric is Metric.L1 else 2 * FULL
            spread = Sensitivity(far + _ROUNDING, metric)
        return UnitReach(norm, spread, 2 * FULL, FULL, signed=True, parts=self.degree).sensitivity(unit, None)

    def facts(self) -> dict[str, Any]:
        """Column, bounds and degree."""
        return {"query": "centered moments", "column": self.column, "degree": self.degree} | self.bounds.facts()

    @escaped
    def __str__(self) -> str:
        what = "sum" if self.degree == 1 else "sum and sum of squares"
        return f"{what} of {self.column} about the middle of its bounds, each row held in {self.bounds}"
