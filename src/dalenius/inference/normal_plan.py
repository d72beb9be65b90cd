"""The plan for the mean of normal data that has no bounds: find where they lie, then sum them there."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Derived, Measure, Measured, Outcome, Shown
from dalenius.curator.formula import Cell, Plus, Times
from dalenius.curator.formula import Number as Constant
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.guarantees import PureDP
from dalenius.inference.normal_design import Design, designed
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Bins, CenteredMoments, Table, View
from dalenius.queries.numbers import doubles, readable

NOTE = "normal mean"
"""The name under which the outcome tells where the values were held, and what may have failed by then."""
_DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True)
class NormalExplanation:
    """What the plan would cost, and its steps."""

    plan: "NormalMean"

    @escaped
    def __str__(self) -> str:
        plan, design = self.plan, self.plan.design
        return (
            f"question     mean of {plan.column}, normal, {plan.rows} rows, without bounds\nprotects     {plan.unit}\n"
            f"cost         {plan.guarantee}\nsteps        deviation {float(design.scale_share):g}, place "
            f"{float(design.place_share):g}, sums {float(design.rest):g} of ε"
        )


@dataclass(frozen=True, slots=True)
class NormalMean:
    """Two histograms and noisy sums, for a public number of rows under change-one neighbors  [KV18].

    1. Unless σ is public: rows are paired at random, and |x − x'| counted in bins that double; σ ≤ factor·U for the
       upper edge U of the largest. 2. Rows are counted in bins as wide as that σ; the largest names a place. 3. Rows
       are held around it, so widely that none is moved but with a small chance, and summed with noise. The steps
       compose adaptively  [A Thm 3.3]: each is ε-private for its share whatever the ones before it said.
    """

    column: str
    rows: int
    within: tuple[Fraction, Fraction]
    deviations: tuple[Fraction, Fraction]
    epsilon: Fraction
    level: Fraction
    name: str = "mean"

    @property
    def unit(self) -> Unit:
        """A row, which may change: so their number is public."""
        return Unit.row(Relation.CHANGE_ONE)

    @property
    def guarantee(self) -> PureDP:
        """ε, the sum of what the steps cost  [A Thm 3.3]."""
        return PureDP(self.epsilon, Relation.CHANGE_ONE)

    @property
    def blocks(self) -> None:
        return None

    @property
    def design(self) -> Design:
        """Shares of ε and chances, from public facts alone; σ may be as small as its least allowed bin."""
        least = self.deviations[0] if len(self.edges) < 3 else Fraction(self.edges[1])
        bins = max(1, math.ceil((self.within[1] - self.within[0]) / least))
        return designed(self.rows, bins, max(1, len(self.edges) - 1), self.epsilon, float(1 - self.level))

    @property
    def edges(self) -> tuple[float, ...]:
        """2^j around every σ that is possible: the likeliest bin (U/2, U] of |x − x'| has 1.3 σ ≤ U ≤ 2.7 σ."""
        low, high = (math.log2(float(end)) for end in self.deviations)
        if self.deviations[0] == self.deviations[1]:
            return ()
        return tuple(2.0**j for j in range(math.floor(low) - 1, math.ceil(high) + 3))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of column, rows, what is public of μ and σ, ε and the level."""
        facts = {
            "column": self.column,
            "rows": self.rows,
            "within": [str(end) for end in self.within],
            "deviations": [str(end) for end in self.deviations],
            "epsilon": str(self.epsilon),
            "level": str(self.level),
        }
        return fingerprint_of("normal mean", facts)

    def explain(self) -> NormalExplanation:
        """Cost and steps, for free."""
        return NormalExplanation(self)

    def check(self, view: View) -> None:
        """Refuse, before the charge, data with another number of rows, or without the column."""
        if not isinstance(view, Table):
            raise UnprovenClaim(f"only a table in memory can be paired, got a {type(view).__name__}")
        view.column(self.column)
        if len(view) != self.rows:
            raise InvalidParameter(f"rows={self.rows} was declared, and the data has another number of rows")

    def run(self, view: Table, bits: Bits) -> Outcome:
        """The steps, one after the other."""
        design = self.design
        deviation = float(self.deviations[1])
        if self.edges:
            differences = Table({_DIFFERENCE: paired_differences(view.column(self.column), bits)})
            largest = self._largest(Bins(_DIFFERENCE, self.edges), design.scale_share, differences, bits)
            deviation = min(deviation, design.factor * self.edges[largest + 1])
        low, high = self.within
        bins = max(1, math.ceil((high - low) / Fraction(deviation)))
        width, place = (high - low if bins == 1 else Fraction(deviation)), 0
        if bins > 1:
            edges = [low + width * step for step in range(bins + 1)]
            place = self._largest(Bins(self.column, edges), design.place_share, view, bits)
        reach = Fraction(design.reach) * width + Fraction(design.spread) * Fraction(deviation)
        centre = low + width * place + width / 2
        notes = {
            "centre": float(centre),
            "half": float(reach),
            "rows": self.rows,
            "level": str(self.level),
            "failed": design.failed,
            "within": [float(low), float(high)],
            "deviation": None if self.edges else deviation,
        }
        outcome = self._sums(centre, reach).run(view, bits)
        return replace(outcome, notes={NOTE: notes})

    def _largest(self, query: Bins, share: Fraction, view: Table, bits: Bits) -> int:
        measured = Measure.calibrated(query, epsilon=self.epsilon * share, unit=self.unit, name="rows")
        (column,) = measured.run(view, bits).columns
        assert isinstance(column, Measured)
        return int(np.argmax(column.floats()))

    def _sums(self, centre: Fraction, half: Fraction) -> Derived[Table]:
        degree = 2 if self.edges else 1
        query = CenteredMoments(self.column, (centre - half, centre + half), degree, centre)
        sums = Measure.calibrated(
            query, epsilon=self.epsilon * self.design.rest, unit=self.unit, name=f"{self.name}: noisy sum"
        )
        mean = Plus(Constant(centre), Times(Constant(half / self.rows), Cell(sums.names[0])))
        return Derived(sums, [Shown(self.name, mean)], question=f"mean of {self.column}, normal")


def paired_differences(column: NDArray[Any], bits: Bits) -> NDArray[np.float64]:
    """|x − x'| over pairs of rows drawn at random, so that one row is in one pair in whatever order they come.

    The order of distinct random words is uniform over all orders. So for neighbors, as sets of rows, the orders can be
    coupled to agree but for the one row: their differences then differ in one place.
    """
    numbers = doubles(readable(column))
    words = bits.words(np.uint64, len(numbers))
    while len(np.unique(words)) < len(words):
        words = bits.words(np.uint64, len(numbers))
    order = np.argsort(words)
    half = len(numbers) // 2
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(numbers[order[:half]] - numbers[order[half : 2 * half]]))
