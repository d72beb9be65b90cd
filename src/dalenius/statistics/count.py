"""Plan a count of rows."""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.calls import named_arguments
from dalenius.curator import Facts, Measure, Plan
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Count, Keys, Table
from dalenius.statistics.about import About, bounded, facts_of, keys_by
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


@named_arguments
def count(
    *,
    epsilon: Number,
    by: str | Keys | Sequence[str] | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "count",
) -> Plan[Table]:
    """The number of rows, in all or by public keys, with geometric noise of scale 1/ε  [A Ex 3.3, A Ex 3.4].

    Args:
        epsilon: what the answer costs.
        by: a column with declared keys, a list of such columns, or Keys: one answer for each key.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> print(count(epsilon=0.5).guarantee)
    0.5-differential privacy for add-remove neighbors, by a bound on every privacy loss
    """

    def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
        query = Count(keys_by(facts, by), bounded(facts))
        return Measure.calibrated(query, epsilon=budget, unit=facts.unit, name=name)

    return after_contributions(contributions, facts_of(about, unit), epsilon, planned)
