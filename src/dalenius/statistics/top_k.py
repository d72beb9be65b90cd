"""The most frequent keys."""

from collections.abc import Iterable

from dalenius.curator import Choose
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms import Exponential, MonotoneExponential, TopK
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Key, Table
from dalenius.statistics.about import About, bounded, facts_of
from dalenius.statistics.frequent import Frequent
from dalenius.statistics.given_data import takes_data


@takes_data
def top_k(
    column: str,
    keys: Iterable[Key] | None = None,
    k: int = 10,
    *,
    epsilon: Number,
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "key",
) -> Choose[Table]:
    """The k public keys that most rows have, in the order chosen, each by the exponential mechanism  [DR19, A Thm 3.3].

    Args:
        column: the column that is asked about.
        keys: the public keys; left out, those that were declared of the column.
        k: how many keys are chosen.
        epsilon: what the answer costs.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> plan = top_k("color", ["red", "green", "blue"], 2, epsilon=1)
    >>> plan.guarantee.epsilon(0), plan.mechanism.selection.scale
    (1.0, Fraction(2, 1))
    """
    facts = facts_of(about, unit, contributions)
    among = facts.keys_of(column, keys)
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= len(among):
        raise InvalidParameter(f"k must be a whole number from 1 to the {len(among)} keys, got {k!r}")
    query = Frequent(among, bounded(facts), k)
    family = MonotoneExponential if facts.unit.relation is Relation.ADD_REMOVE else Exponential
    target = PureDP(positive(epsilon, "epsilon") / k, facts.unit.relation)
    return Choose(query, TopK(family.least(query.sensitivity(facts.unit), target), k), facts.unit, name)
