"""Several quantiles of a column at once."""

from collections.abc import Iterable
from fractions import Fraction

from dalenius.curator import Choose
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms import Quantiles
from dalenius.neighbors import Unit
from dalenius.numerics import Number, positive, probability
from dalenius.queries import Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.statistics.about import About, facts_of
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.quantile import CELLS, grid_of
from dalenius.statistics.ranked import ManyRanks


@takes_data
def quantiles(
    column: str,
    levels: Iterable[Number],
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
    """A table of levels and values that never fall, for ⌈log₂(m + 1)⌉ times the price of one and not m  [KSS22].

    Args:
        column: the column that is asked about.
        levels: the parts of the rows that lie below each of the values, rising.
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

    >>> len(quantiles("age", [0.25, 0.5, 0.75], (0, 120), epsilon=1).keys)
    3
    """
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise InvalidParameter(f"levels must be a list of numbers between 0 and 1, got {levels!r}")
    wanted = tuple(probability(level, "level") for level in levels)
    if not all(0 < level < 1 for level in wanted):
        raise InvalidParameter("every level must lie strictly between 0 and 1: see minimum and maximum")
    facts = facts_of(about, unit, contributions)
    lower, upper = facts.bounds_of(column, bounds)
    mechanism = Quantiles(Fraction(1), wanted, lower, upper, cells)
    query = ManyRanks(grid_of(facts, column, bounds, cells, missing), wanted)
    target = PureDP(positive(epsilon, "epsilon"), facts.unit.relation)
    return Choose(query, mechanism.calibrated(query.sensitivity(facts.unit), target), facts.unit, name)
