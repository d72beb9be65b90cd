"""The sum of a column."""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.curator import Facts, Measure, Plan
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Keys, Sum, Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.statistics.about import About, bounded, facts_of, keys_by, missing_rule
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.private_bounds import WantedBounds, after_bounds
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


@takes_data
def sum(
    column: str,
    bounds: WantedBounds = None,
    *,
    epsilon: Number,
    by: str | Keys | Sequence[str] | None = None,
    missing: Missing | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "sum",
) -> Plan[Table]:
    """The sum of a column, each row held in `bounds`  [A Rem 3.9].

    Bounds written as whole numbers declare a column of whole numbers.

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

    >>> print(sum("age", (0, 100), epsilon=1).explain().sensitivity.value)
    100
    """

    def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
        def held(ends: Ends, rest: Fraction) -> Plan[Table]:
            query = Sum(column, ends, keys_by(facts, by), bounded(facts), missing_rule(facts, missing))
            return Measure.calibrated(query, epsilon=rest, unit=facts.unit, name=name)

        return after_bounds(bounds, column, facts, budget, held)

    return after_contributions(contributions, facts_of(about, unit), epsilon, planned)
