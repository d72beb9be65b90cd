"""Count, sum and sum of squares of a column at once, for the price of a count."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.queries.bounds import Bounds, Ends, Missing
from dalenius.queries.count import grouping_facts, grouping_words, reads_of
from dalenius.queries.keys import Keys
from dalenius.queries.reach import UnitReach, norm_of
from dalenius.queries.scan import Doubles, Scan
from dalenius.queries.view import Table
from dalenius.queries.weights import WEIGHTS, Contributions, shift

BITS = 30
"""A row's place t in its bounds is kept to 2⁻³⁰: 2³³ rows fit in int64."""
FULL = 1 << BITS


@dataclass(frozen=True, slots=True, init=False)
class Moments:
    """The sums of the Bernstein polynomials of t = (x − lower)/(upper − lower), which say all that moments say.

    Degree 1: (1 − t, t). Degree 2: ((1 − t)², 2t(1 − t), t²). With q = t rounded to 2⁻³⁰ and c = q² rounded likewise
    they are (1 − q, q) and (1 − 2q + c, 2q − 2c, c): each ≥ 0, since c lies between max(0, 2q − 1) and q, and one row
    adds exactly 1 to the sum of all. So the whole vector moves by 1 in ℓ1 when a row comes or goes, as a count does,
    and no budget is split. With the released sums b₀, b₁, …:

    degree 1: n = b₀ + b₁, Σt = b₁; degree 2: n = b₀ + b₁ + b₂, Σt = b₁/2 + b₂, Σt² = b₂;
    Σx = lower·n + (upper − lower)·Σt, and the variance is (upper − lower)²·(Σt²/n − (Σt/n)²).

    With `count_missing` the last part counts rows that hold no number, so that n + missing is the number of all rows.
    """

    column: str
    bounds: Bounds
    degree: int
    keys: Keys | None
    contributions: Contributions | None
    count_missing: bool

    def __init__(
        self,
        column: str,
        bounds: Ends | None,
        degree: int = 1,
        keys: Keys | None = None,
        contributions: Contributions | None = None,
        missing: Missing = "drop",
        count_missing: bool = False,
    ) -> None:
        if isinstance(degree, bool) or degree not in (1, 2):
            raise InvalidParameter(f"degree must be 1 (for a mean) or 2 (for a variance), got {degree!r}")
        held = Bounds(column, bounds, missing)
        PlaceInBounds(column, held)
        if count_missing and held.fill is not None:
            raise InvalidParameter(f"no row of {column!r} is missing where {held.fill} stands in: leave one out")
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bounds", held)
        object.__setattr__(self, "degree", degree)
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "contributions", contributions)
        object.__setattr__(self, "count_missing", bool(count_missing))

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""
        return reads_of(self.keys, self.contributions, self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """The polynomials b₀, b₁, …, then the rows without a number if they are counted."""
        return tuple(f"b{i}" for i in range(self.degree + 1)) + (("missing",) if self.count_missing else ())

    @property
    def lattice(self) -> Lattice:
        """Multiples of 2⁻³⁰; with weights a product is cut to 34 bits."""
        return Lattice(-BITS if self.contributions is None else -BITS + WEIGHTS.exponent + shift(FULL))

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The sums of all parts, exact."""
        place = PlaceInBounds(self.column, self.bounds)
        return Scan(
            (self.column,),
            (None if self.bounds.fill is None else float(self.bounds.fill),),
            place.first if self.degree == 1 else place.both,
            ((FULL, -1), (0, 1)) if self.degree == 1 else ((FULL, -2, 1), (0, 2, -2), (0, 0, 1)),
            FULL,
            self.keys,
            self.contributions,
            self.count_missing,
        ).totals(view)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A row has ℓ1 norm 1 and no negative part, so every norm of it is at most 1, and attains it at t = 0.

        Two rows are apart by at most 2 in ℓ1 and √2 in ℓ2, attained at t = 0 and t = 1  [A Ex 3.4].
        """
        norm = Sensitivity(FULL, norm_of(metric))
        apart = {
            Metric.L1: Sensitivity(2 * FULL, Metric.L1),
            Metric.L2: Sensitivity.root(2 * FULL**2, Metric.L2),
            Metric.LINF: norm,
        }[metric]
        reach = UnitReach(
            norm=norm,
            spread=apart,
            box=FULL,
            most=FULL,
            parts=len(self.columns),
            cells=1 if self.keys is None else len(self.keys),
            dropped=self.keys is not None or self.bounds.fill is None,
        )
        return reach.sensitivity(unit, self.contributions)

    def facts(self) -> dict[str, Any]:
        """Column, bounds, degree, keys, and what bounds a unit."""
        facts = {
            "query": "moments",
            "column": self.column,
            "degree": self.degree,
            "missing counted": self.count_missing,
        }
        return facts | self.bounds.facts() | grouping_facts(self.keys, self.contributions)

    @escaped
    def __str__(self) -> str:
        what = "count and sum" if self.degree == 1 else "count, sum and sum of squares"
        words = f"{what} of {self.column} with each row held in {self.bounds}"
        return words + grouping_words(self.keys, self.contributions)


class PlaceInBounds:
    """Where a number lies in its bounds: q = t·2³⁰ rounded to a whole number from 0 to 2³⁰.

    In doubles: x − lower ≤ w for every x held in the bounds, and w·(2³⁰/w), rounded twice, is below 2³⁰ + ½.
    """

    __slots__ = ("_high", "_low", "_scale")

    def __init__(self, column: str, bounds: Bounds) -> None:
        self._low, self._high = float(bounds.lower), float(bounds.upper)
        if not self._low < self._high:
            raise InvalidParameter(f"bounds of {column!r} must differ from each other, got {bounds}")
        self._scale = FULL / (self._high - self._low)

    def first(self, numbers: list[Doubles]) -> tuple[Doubles]:
        """The rounded places q."""
        places: Doubles = np.clip(numbers[0], self._low, self._high)
        places -= self._low
        places *= self._scale
        return (np.rint(places, out=places),)

    def both(self, numbers: list[Doubles]) -> tuple[Doubles, Doubles]:
        """The places q, and c = q²/2³⁰ rounded: max(0, 2q − 2³⁰) ≤ c ≤ q, since rounding is monotone and keeps both."""
        (places,) = self.first(numbers)
        squares = places * places
        squares *= 1.0 / FULL
        return places, np.rint(squares, out=squares)
