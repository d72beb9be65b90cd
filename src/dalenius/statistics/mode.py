"""The most frequent key."""

from collections.abc import Iterable

from dalenius.curator import Choose
from dalenius.guarantees import PureDP
from dalenius.mechanisms import MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Key, Table
from dalenius.statistics.about import About, bounded, facts_of
from dalenius.statistics.frequent import Frequent
from dalenius.statistics.given_data import takes_data


@takes_data
def mode(
    column: str,
    keys: Iterable[Key] | None = None,
    *,
    epsilon: Number,
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "mode",
) -> Choose[Table]:
    """The public key that most rows have, by permute and flip, which is never worse than the exponential  [MS20].

    Under ADD_REMOVE all counts move the same way, so half the noise is enough; under CHANGE_ONE they do not
    [A §5.1 report noisy max].

    Args:
        column: the column that is asked about.
        keys: the public keys; left out, those that were declared of the column.
        epsilon: what the answer costs.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> mode("sex", ["Female", "Male"], epsilon=1).mechanism.scale
    Fraction(1, 1)
    """
    facts = facts_of(about, unit, contributions)
    query = Frequent(facts.keys_of(column, keys), bounded(facts))
    family = MonotonePermuteAndFlip if facts.unit.relation is Relation.ADD_REMOVE else PermuteAndFlip
    target = PureDP(positive(epsilon, "epsilon"), facts.unit.relation)
    return Choose(query, family.least(query.sensitivity(facts.unit), target), facts.unit, name)
