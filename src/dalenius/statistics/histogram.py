"""Plan a histogram: rows by public key, or by public bin."""

from collections.abc import Iterable
from fractions import Fraction

from dalenius.calls import shown
from dalenius.curator import Facts, Measure, Plan
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Bins, Count, Key, Keys, Table
from dalenius.statistics.about import About, bounded, facts_of
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


@takes_data
def histogram(
    column: str,
    keys: Iterable[Key] | None = None,
    *,
    edges: Iterable[Number] | None = None,
    epsilon: Number,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "count",
) -> Plan[Table]:
    """A count for each declared key, present or not, or for each bin between `edges`, for one price  [A Ex 3.4].

    A bin holds its left edge, the last one both; numbers outside, and what is no number, are in none.

    Args:
        column: the column that is asked about.
        keys: the public keys; left out, those that were declared of the column.
        edges: the public edges of bins, in place of keys.
        epsilon: what the answer costs.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> print(histogram("sex", ["Female", "Male"], epsilon=1).guarantee)
    1-differential privacy for add-remove neighbors, by a bound on every privacy loss
    >>> print(histogram("age", edges=range(0, 101, 10), epsilon=1).explain().cells)
    10
    """
    if keys is not None and edges is not None:
        raise InvalidParameter("a histogram is over keys or over edges, not both: leave one out")
    given_keys = None if keys is None else Keys(column, keys).values
    given_edges = None if edges is None else _edges(column, edges)

    def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
        query: Bins | Count
        if given_edges is not None:
            query = Bins(column, given_edges, bounded(facts))
        else:
            query = Count(facts.keys_of(column, given_keys), bounded(facts))
        return Measure.calibrated(query, epsilon=budget, unit=facts.unit, name=name)

    return after_contributions(contributions, facts_of(about, unit), epsilon, planned)


def _edges(column: str, edges: object) -> list[Number]:
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise InvalidParameter(f"edges of {column!r} must be a list such as range(0, 101, 10), got {shown(edges)}")
    return list(edges)
