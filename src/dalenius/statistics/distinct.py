"""Plan a count of different values, or of units."""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.curator import Facts, Measure, Plan
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Contributions, Distinct, DistinctUnits, Keys, Table
from dalenius.statistics.about import About, bounded, facts_of, keys_by
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


@takes_data
def count_distinct(
    column: str | None = None,
    *,
    epsilon: Number,
    by: str | Keys | Sequence[str] | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "distinct",
    salt: str = "",
) -> Plan[Table]:
    """How many different values a column holds; without a column, or of the unit's own, how many units there are.

    A unit counts with `contributions` values at most, its first by a public hash; of groups, with so many in full.
    The number of all units needs no contributions: each counts as 1.

    Args:
        column: the column that is asked about.
        epsilon: what the answer costs.
        by: a column with declared keys, a list of such columns, or Keys: one answer for each key.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: how many values of a unit count at most; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.
        salt: text that changes the public hash by which some values of a unit are taken.

    >>> print(count_distinct(unit="user_id", epsilon=1).explain().sensitivity.value)
    1
    """

    def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
        keys, who = keys_by(facts, by), facts.unit
        query: Distinct | DistinctUnits
        if column is not None and column != who.column:
            query = Distinct(column, keys, bounded(facts), salt)
        elif who.column is None:
            raise InvalidParameter("name the column whose values are counted: here each row is a unit, see count")
        else:
            query = DistinctUnits(Contributions(who.column, 1) if keys is None else _groups(facts), keys)
        return Measure.calibrated(query, epsilon=budget, unit=who, name=name)

    return after_contributions(contributions, facts_of(about, unit), epsilon, planned)


def _groups(facts: Facts) -> Contributions:
    groups = bounded(facts)
    assert groups is not None  # the unit is a column
    return groups
