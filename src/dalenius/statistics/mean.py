"""Plan the mean of a column."""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.curator import Derived, Facts, Measure, Plan
from dalenius.curator.formula import Cell, Formula, Held, Number, Plus, Ratio, Times
from dalenius.neighbors import Unit
from dalenius.numerics import Number as Given
from dalenius.queries import CenteredMoments, Keys, Moments, Table
from dalenius.queries.bounds import Bounds, Ends, Missing
from dalenius.statistics.about import About, bounded, facts_of, keys_by, missing_rule, public_rows
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.made import made
from dalenius.statistics.private_bounds import WantedBounds, after_bounds
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


@takes_data
def mean(
    column: str,
    bounds: WantedBounds = None,
    *,
    epsilon: Given,
    by: str | Keys | Sequence[str] | None = None,
    missing: Missing | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "mean",
) -> Plan[Table]:
    """The mean of a column, each row held in `bounds`; their middle where the noisy count is not above 0.

    The sums of 1 − t and of t, where t in [0, 1] is the place of a row in its bounds, move together by 1 when a row
    comes or goes, so one mechanism releases both and no budget is split. With a public number of rows only Σt has
    noise  [L §5.1, L §5.2 private mean], which the notes also print for add-remove neighbors, where the number of rows
    is private.

    Args:
        column: the column that is asked about.
        bounds: (lowest, highest) that each row is clamped to, from public knowledge; left out, those declared;
            "private" finds them for a fifth of ε.
        epsilon: what the answer costs.
        by: a column with declared keys, a list of such columns, or Keys: one answer for each key.
        missing: what a row without a number counts as: "drop" leaves it out, "nearest" takes the number in the bounds
            that is nearest to zero, and a number is taken as it is.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> print(mean("age", (0, 100), epsilon=1).guarantee)
    1-differential privacy for add-remove neighbors, by the exact law of its noise
    """

    def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
        def held(ends: Ends, rest: Fraction) -> Plan[Table]:
            rule = missing_rule(facts, missing)
            keys = keys_by(facts, by)
            rows = public_rows(facts, keys)
            if rows is not None:
                return _of_public_rows(column, ends, rule, rows, rest, facts.unit, name)
            query = Moments(column, ends, 1, keys, bounded(facts), rule)
            return _of_moments(query, rest, facts.unit, name)

        return after_bounds(bounds, column, facts, budget, held)

    return after_contributions(contributions, facts_of(about, unit), epsilon, planned)


def _of_moments(query: Moments, epsilon: Fraction, unit: Unit, name: str) -> Derived[Table]:
    parts = Measure.calibrated(query, epsilon=epsilon, unit=unit, name=f"{name}.sum")
    rest, part = map(Cell, parts.names)
    held = query.bounds
    count = Plus(rest, part)
    total = Plus(Times(Number(held.lower), count), Times(Number(held.width), part))
    question = f"mean of {query.column}, the middle of {held} without rows"
    return made(parts, {name: Ratio(total, count, held.lower, held.upper)}, question, held.width, 2)


def _of_public_rows(
    column: str, ends: Ends, missing: Missing, rows: int, epsilon: Fraction, unit: Unit, name: str
) -> Derived[Table]:
    query = CenteredMoments(column, ends, 1, missing)
    measured = Measure.calibrated(query, epsilon=epsilon, unit=unit, name=f"{name}.sum")
    held = query.bounds
    middle, half = (held.lower + held.upper) / 2, held.width / 2
    formula = Plus(Number(middle), Times(Number(half / rows), Cell(measured.names[0])))
    question = f"mean of {column} over {rows} rows"
    return made(measured, {name: _held(formula, held)}, question, half, 1, rows)


def _held(formula: Formula, bounds: Bounds) -> Formula:
    return Held(formula, bounds.lower, bounds.upper)
