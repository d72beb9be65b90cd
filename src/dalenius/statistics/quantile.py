"""One quantile of a column."""

from fractions import Fraction

from dalenius.curator import Choose, Facts
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms import Quantile
from dalenius.neighbors import Unit
from dalenius.numerics import Number, positive, probability
from dalenius.queries import Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.queries.grid import Grid
from dalenius.statistics.about import About, bounded, facts_of
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.ranked import OneRank

CELLS = 1 << 20


@takes_data
def quantile(
    column: str,
    level: Number,
    bounds: Ends | None = None,
    *,
    epsilon: Number,
    missing: Missing = "drop",
    cells: int = CELLS,
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "quantile",
) -> Choose[Table]:
    """A value that about `level` of the rows lie below: the middle of one of `cells` equal cells of the bounds.

    Chosen by the exponential mechanism by how many rows it misses the quantile by  [A §7.3.1 median utility, A Alg 3,
    A Alg 4, A Thm 7.1], so `accuracy` is in ranks. For a column of whole numbers from 0 to 100, bounds=(-0.5, 100.5)
    and cells=101 give whole numbers.

    Args:
        column: the column that is asked about.
        level: the part of the rows that lie below, strictly between 0 and 1.
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

    >>> print(quantile("age", 0.9, (0, 120), epsilon=0.5).guarantee.epsilon(0))
    0.5
    """
    wanted = probability(level, "level")
    if not 0 < wanted < 1:
        raise InvalidParameter(f"level must lie strictly between 0 and 1, got {level}: see minimum and maximum")
    facts = facts_of(about, unit, contributions)
    grid = grid_of(facts, column, bounds, cells, missing)
    return chosen_on(grid, wanted, epsilon, facts.unit, name)


@takes_data
def median(
    column: str,
    bounds: Ends | None = None,
    *,
    epsilon: Number,
    missing: Missing = "drop",
    cells: int = CELLS,
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "median",
) -> Choose[Table]:
    """The quantile at level ½, where one row more moves a rank by no more than ½  [A §7.3.1 median utility].

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

    >>> print(median("age", (0, 120), epsilon=1).mechanism.scale)
    1
    """
    half = 0.5
    return quantile(
        column,
        half,
        bounds,
        epsilon=epsilon,
        missing=missing,
        cells=cells,
        unit=unit,
        contributions=contributions,
        about=about,
        name=name,
    )


def grid_of(facts: Facts, column: str, bounds: Ends | None, cells: int, missing: Missing) -> Grid:
    """The declared grid of a column, with what bounds a unit."""
    ends = facts.bounds_of(column, bounds)
    return Grid(column, ends, cells, bounded(facts), missing)


def chosen_on(grid: Grid, level: Fraction, epsilon: Number, unit: Unit, name: str) -> Choose[Table]:
    """The plan at the least scale that costs ε."""
    query = OneRank(grid, f"quantile at {level}")
    mechanism = Quantile(Fraction(1), level, grid.bounds.lower, grid.bounds.upper, grid.cells)
    target = PureDP(positive(epsilon, "epsilon"), unit.relation)
    return Choose(query, mechanism.calibrated(query.sensitivity(unit), target), unit, name)
