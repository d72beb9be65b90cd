"""The sum of a column."""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.curator import Facts, Measure, Plan
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Keys, Sum, Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.statistics.about import About, bounded, facts_of, keys_by, missing_rule
from dalenius.statistics.private_bounds import WantedBounds, after_bounds
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


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

    >>> print(sum("age", (0, 100), epsilon=1).explain().sensitivity.value)
    100
    """

    def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
        def held(ends: Ends, rest: Fraction) -> Plan[Table]:
            query = Sum(column, ends, keys_by(facts, by), bounded(facts), missing_rule(facts, missing))
            return Measure.calibrated(query, epsilon=rest, unit=facts.unit, name=name)

        return after_bounds(bounds, column, facts, budget, held)

    return after_contributions(contributions, facts_of(about, unit), epsilon, planned)
