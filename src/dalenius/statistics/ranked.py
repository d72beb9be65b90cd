"""Rank a column on a public grid, to choose a quantile."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.curator import Chosen
from dalenius.escape import escaped
from dalenius.mechanisms import Mechanism, Quantile, Quantiles, Ranks
from dalenius.neighbors import Sensitivity, Unit
from dalenius.numerics import ball, fraction_below, precision
from dalenius.queries import Keys, Table
from dalenius.queries.grid import Grid

ERROR = "ranks"


@dataclass(frozen=True, slots=True)
class OneRank:
    """The utility of a value as one quantile: minus the weight by which it misses  [A §7.3.1 median utility].

    `words` says in a person's words which one.
    """

    grid: Grid
    words: str

    @property
    def keys(self) -> None:
        """One value."""
        return None

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that it needs."""
        return self.grid.reads

    def evaluate(self, view: Table) -> Ranks:
        """The rows by cell, with whole weights."""
        return ranks(self.grid, view)

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """How far one unit moves the weights of the cells, in ℓ1, which is what the mechanism takes  [A Ex 3.4]."""
        return moved(self.grid, unit)

    def chosen(self, name: str, released: Fraction, mechanism: Mechanism) -> Chosen:
        """The middle of the chosen cell."""
        return self._column(name, (float(released),), mechanism)

    def expected(self, name: str, mechanism: Mechanism) -> Chosen:
        """The error beforehand."""
        return self._column(name, (), mechanism)

    def facts(self) -> dict[str, Any]:
        """The grid; which quantile it is stands with the mechanism."""
        return {"query": "rank"} | self.grid.facts()

    @escaped
    def __str__(self) -> str:
        return f"{self.words} of {self.grid}"

    def _column(self, name: str, values: tuple[float, ...], mechanism: Mechanism) -> Chosen:
        assert isinstance(mechanism, Quantile)
        candidates = candidates_of(mechanism)
        scale = None if candidates is None else mechanism.scale / self.grid.row
        return Chosen(name, values, mechanism.name, candidates or mechanism.cells, scale, ERROR)


@dataclass(frozen=True, slots=True)
class ManyRanks:
    """The utilities of values as quantiles at several levels  [KSS22]."""

    grid: Grid
    levels: tuple[Fraction, ...]

    @property
    def keys(self) -> Keys:
        """The levels."""
        return Keys("level", [float(level) for level in self.levels])

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that it needs."""
        return self.grid.reads

    def evaluate(self, view: Table) -> Ranks:
        """The rows by cell, with whole weights."""
        return ranks(self.grid, view)

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """How far one unit moves the weights of the cells, in ℓ1  [A Ex 3.4]."""
        return moved(self.grid, unit)

    def chosen(self, name: str, released: tuple[Fraction, ...], mechanism: Mechanism) -> Chosen:
        """The middles of the chosen cells."""
        return self._column(name, tuple(map(float, released)), mechanism)

    def expected(self, name: str, mechanism: Mechanism) -> Chosen:
        """The error beforehand."""
        return self._column(name, (), mechanism)

    def facts(self) -> dict[str, Any]:
        """The grid and the levels."""
        return {"query": "ranks", "levels": list(map(str, self.levels))} | self.grid.facts()

    @escaped
    def __str__(self) -> str:
        return f"quantiles at {', '.join(map(str, self.levels))} of {self.grid}"

    def _column(self, name: str, values: tuple[float, ...], mechanism: Mechanism) -> Chosen:
        """The error of the level that misses most: see `Quantiles.candidates`."""
        assert isinstance(mechanism, Quantiles)
        return halved_column(name, values, mechanism, self.grid.row, ERROR)


def halved_column(
    name: str, values: tuple[float, ...], mechanism: Quantiles, row: int, error: str, place: int | None = None
) -> Chosen:
    """Values at the level of a place, or at any level, and what they miss by.

    With k ≥ 2³² candidates log(k^c/beta) > 22c, so that a row's weight over 22 on top of the scale adds at least c
    rows: what the splits miss by where they fall on one  [KSS22].
    """
    places = range(len(mechanism.levels)) if place is None else (place,)
    return Chosen(
        name,
        values,
        mechanism.name,
        max(map(mechanism.candidates, places)),
        mechanism.scale / row + Fraction(1, 22),
        error,
    )


def candidates_of(mechanism: Quantile) -> int | None:
    """The k for which scale · log(k/β) covers what a quantile misses by: the cells, or 999 cells² for an extreme.

    An extreme aims `shift` inside the data, no more than scale · log 999·cells, on top of what the choice misses by.
    None for a shift beyond that, which `Chosen` has no words for.
    """
    if mechanism.shift == 0:
        return mechanism.cells
    with precision(96):
        most = fraction_below(ball(mechanism.scale) * ball(999 * mechanism.cells).log())
    return 999 * mechanism.cells**2 if abs(mechanism.shift) <= most else None


def ranks(grid: Grid, view: Table) -> Ranks:
    """The final rows by cell."""
    places, weights = grid.places(view)
    return Ranks.of(places, weights, size=grid.cells)


def moved(grid: Grid, unit: Unit) -> Sensitivity:
    """That of ranks whose units weigh at most what the grid's bound says  [A Ex 3.4, G complaints count].

    Dropped rows are no exception under CHANGE_ONE: one unit's weight at most leaves and one unit's at most comes.
    """
    return Ranks.sensitivity(grid.weight(unit), unit.relation)
