"""The least and the largest value of a column, as quantiles that aim a little inside it."""

from dataclasses import replace
from fractions import Fraction

from dalenius.curator import Choose
from dalenius.guarantees import PureDP
from dalenius.mechanisms import Quantile
from dalenius.neighbors import Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.statistics.about import About, facts_of
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.quantile import CELLS, grid_of
from dalenius.statistics.ranked import OneRank

_MISS = Fraction(1, 1000)
_STEPS = 1 << 40


@takes_data
def minimum(
    column: str,
    bounds: Ends | None = None,
    *,
    epsilon: Number,
    missing: Missing = "drop",
    cells: int = CELLS,
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "minimum",
) -> Choose[Table]:
    """A value with few rows below it.

    The least value itself is one person's, and nothing near it can be told apart from an empty place. So the choice
    aims as many ranks inside the data as it misses by once in a thousand times  [A Alg 3, A Thm 7.2]: with ε = 1 and a
    million cells, some 42 rows. `accuracy` counts ranks from the least value.

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

    >>> print(minimum("age", (0, 120), epsilon=1).guarantee.epsilon(0))
    1.0
    """
    return _extreme(column, 0, bounds, epsilon, missing, cells, unit, contributions, about, name)


@takes_data
def maximum(
    column: str,
    bounds: Ends | None = None,
    *,
    epsilon: Number,
    missing: Missing = "drop",
    cells: int = CELLS,
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "maximum",
) -> Choose[Table]:
    """A value with few rows above it, as `minimum` has few below  [A Alg 3, A Thm 7.2].

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

    >>> print(maximum("age", (0, 120), epsilon=1).mechanism.shift < -30)
    True
    """
    return _extreme(column, 1, bounds, epsilon, missing, cells, unit, contributions, about, name)


def _extreme(
    column: str,
    level: int,
    bounds: Ends | None,
    epsilon: Number,
    missing: Missing,
    cells: int,
    unit: Unit | str | None,
    contributions: int | None,
    about: About,
    name: str,
) -> Choose[Table]:
    facts = facts_of(about, unit, contributions)
    grid = grid_of(facts, column, bounds, cells, missing)
    query = OneRank(grid, "the least" if level == 0 else "the largest")
    target = PureDP(positive(epsilon, "epsilon"), facts.unit.relation)
    aimed = Quantile(Fraction(1), Fraction(level), *facts.bounds_of(column, bounds), cells)
    mechanism = aimed.calibrated(query.sensitivity(facts.unit), target)
    inside = Fraction(int(mechanism.accuracy(_MISS) * _STEPS), _STEPS)
    return Choose(query, replace(mechanism, shift=inside if level == 0 else -inside), facts.unit, name)
