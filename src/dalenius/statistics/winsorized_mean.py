"""The mean of values held in bounds that their own quartiles set."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.curator import ColumnPlan, Derived, Measure, Outcome, Shown, Then, Together
from dalenius.curator.formula import Cell, Formula, Held, Plus, Ratio, Times
from dalenius.curator.formula import Number as Constant
from dalenius.errors import DaleniusError
from dalenius.guarantees import PureDP
from dalenius.neighbors import Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Bounds, CenteredMoments, Contributions, Moments, Sum, Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.queries.grid import Grid
from dalenius.statistics.about import About, bounded, facts_of, missing_rule
from dalenius.statistics.expected import Expected
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.public_rows import PublicRowCount
from dalenius.statistics.quantile import CELLS, chosen_on

_GROWTH = 1 / 3 + 1 / 10
"""The bounds widen with the number k of values as k^(1/3 + η), η = 1/10  [A Alg 2]."""


@takes_data
def winsorized_mean(
    column: str,
    bounds: Ends | None = None,
    *,
    epsilon: Number,
    missing: Missing | None = None,
    cells: int = CELLS,
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "winsorized_mean",
) -> Then[Table]:
    """The noisy widened winsorized mean  [A Alg 2]: noise in proportion to the spread of the data, not of the bounds.

    Private quartiles a and b, then the mean of the values held within (a + b)/2 ± 4·k^(1/3 + 1/10)·|b − a| and the
    public bounds. With a public number k of rows each quartile costs ε/4 and the mean ε/2, as printed; where k is
    private ε/10 counts the rows first, and the quartiles have ε/5 each. The printed bounds [0, Λ] may be any.

    Args:
        column: the column that is asked about.
        bounds: (lowest, highest) that each row is clamped to, from public knowledge; left out, those declared.
        epsilon: what the answer costs.
        missing: what a row without a number counts as: "drop" leaves it out, "nearest" takes the number in the bounds
            that is nearest to zero, and a number is taken as it is.
        cells: into how many equal cells the bounds are divided.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> print(winsorized_mean("income", (0, 10**6), epsilon=1).guarantee.epsilon(0))
    1.0
    """
    facts = facts_of(about, unit, contributions)
    held = Bounds(column, facts.bounds_of(column, bounds), missing_rule(facts, missing))
    parts = (WinsorizedPart(column, held, name),)
    return widened(parts, facts.unit, bounded(facts), positive(epsilon, "epsilon"), facts.rows, cells)


@dataclass(frozen=True, slots=True)
class WinsorizedPart:
    """One column whose winsorized mean is wanted."""

    column: str
    bounds: Bounds
    name: str

    @property
    def rule(self) -> Missing:
        """The rule for rows without a number."""
        return "drop" if self.bounds.fill is None else self.bounds.fill


def widened(
    parts: Sequence[WinsorizedPart],
    unit: Unit,
    bound: Contributions | None,
    epsilon: Fraction,
    rows: int | None,
    cells: int,
) -> Then[Table]:
    """The plan for one or several columns, which share ε evenly  [A Alg 1, A Alg 2, A Thm 3.3]."""
    public = rows is not None and all(part.bounds.fill is not None for part in parts)
    each = epsilon * (Fraction(1, 4) if public else Fraction(1, 5)) / len(parts)
    first: list[ColumnPlan[Table]] = []
    for part in parts:
        grid = Grid(part.column, (part.bounds.lower, part.bounds.upper), cells, bound, part.rule)
        quartiles = ((Fraction(1, 4), "first quartile"), (Fraction(3, 4), "third quartile"))
        first += [chosen_on(grid, level, each, unit, f"{part.name}: {word}") for level, word in quartiles]
    if not public:
        # each row with a number adds 1: a count that no rule for missing rows makes public
        counted = Sum(parts[0].column, (1, 1), None, bound)
        first.append(Measure.calibrated(counted, epsilon=epsilon / 10, unit=unit, name="number of rows"))
    together = Together(first)
    mean = Widened(tuple(parts), unit, bound, epsilon / 2, rows if public else None, cells)
    price = PureDP(epsilon / 2, unit.relation)
    return Then(PublicRowCount(together, rows) if public and rows is not None else together, mean, price)


@dataclass(frozen=True, slots=True)
class Widened:
    """From the released quartiles to means within the widened bounds."""

    parts: tuple[WinsorizedPart, ...]
    unit: Unit
    contributions: Contributions | None
    epsilon: Fraction
    rows: int | None
    cells: int

    def __call__(self, released: Outcome) -> ColumnPlan[Table]:
        """The means, at the price fixed beforehand  [A Alg 2]."""
        return self._means(self._ends(released))

    def notes(self, released: Outcome) -> dict[str, Any]:
        """The bounds that were found."""
        ends = self._ends(released)
        return {
            f"bounds of {part.name}": [float(end) for end in pair] for part, pair in zip(self.parts, ends, strict=True)
        }

    def facts(self) -> dict[str, Any]:
        """Columns and bounds, the budget, and how far the bounds are widened."""
        columns = [{"column": p.column, "name": p.name} | p.bounds.facts() for p in self.parts]
        bound = None if self.contributions is None else self.contributions.facts()
        return {
            "then": "widened winsorized mean",
            "columns": columns,
            "contributions": bound,
            "epsilon": str(self.epsilon),
            "rows": self.rows,
            "cells": self.cells,
        }

    def expected(self) -> Expected:
        """That within the public bounds, which is the worst."""
        public = tuple((part.bounds.lower, part.bounds.upper) for part in self.parts)
        return Expected(
            "a mean within the widened bounds; at worst, within the public ones", self._means(public).explain()
        )

    def _ends(self, released: Outcome) -> tuple[tuple[Fraction, Fraction], ...]:
        """The widened bounds of each column, from released numbers alone."""
        columns = [float(column.floats()[0]) for column in released.columns]
        rows = float(self.rows) if self.rows is not None else max(1.0, columns[-1])
        pairs = zip(columns[0::2], columns[1::2], strict=False)
        return tuple(self._widened(part, low, high, rows) for part, (low, high) in zip(self.parts, pairs, strict=False))

    def _widened(self, part: WinsorizedPart, low: float, high: float, rows: float) -> tuple[Fraction, Fraction]:
        """(a + b)/2 ± 4·rad·|b − a|, at least a cell wide, inside the public bounds  [A Alg 2]."""
        public = part.bounds
        middle = (Fraction(low) + Fraction(high)) / 2
        spread = max(abs(Fraction(high) - Fraction(low)), public.width / self.cells)
        reach = 4 * Fraction(rows**_GROWTH) * spread
        ends = max(public.lower, middle - reach), min(public.upper, middle + reach)
        try:
            Bounds(part.column, ends)
        except DaleniusError:  # too narrow for floats: a matter of what was released, not of a row
            return public.lower, public.upper
        return ends if float(ends[0]) < float(ends[1]) else (public.lower, public.upper)

    def _means(self, ends: tuple[tuple[Fraction, Fraction], ...]) -> ColumnPlan[Table]:
        plans = [self._mean(part, pair) for part, pair in zip(self.parts, ends, strict=True)]
        return plans[0] if len(plans) == 1 else Together(plans)

    def _mean(self, part: WinsorizedPart, ends: tuple[Fraction, Fraction]) -> Derived[Table]:
        fill = part.bounds.fill
        rule: Missing = "drop" if fill is None else min(max(fill, ends[0]), ends[1])
        budget = self.epsilon / len(self.parts)
        noisy = f"{part.name}: noisy sum"
        if self.rows is not None:
            centered = CenteredMoments(part.column, ends, 1, rule)
            plan = Measure.calibrated(centered, epsilon=budget, unit=self.unit, name=noisy)
            half = (ends[1] - ends[0]) / 2 / self.rows
            formula: Formula = Plus(Constant((ends[0] + ends[1]) / 2), Times(Constant(half), Cell(plan.names[0])))
        else:
            moments = Moments(part.column, ends, 1, None, self.contributions, rule)
            plan = Measure.calibrated(moments, epsilon=budget, unit=self.unit, name=noisy)
            rest, upper = map(Cell, plan.names)
            count = Plus(rest, upper)
            total = Plus(Times(Constant(ends[0]), count), Times(Constant(ends[1] - ends[0]), upper))
            formula = Ratio(total, count, *ends)
        question = f"mean of {part.column} held in widened bounds"
        return Derived(plan, [Shown(part.name, Held(formula, *ends))], question=question)
