"""Choose the best of public candidates by a utility of one's own."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.curator import Blocked, Choose, Result
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms import MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Key, Keys, Table
from dalenius.statistics.about import About, facts_of
from dalenius.statistics.given_data import refuse_data
from dalenius.statistics.scored import BlockScores, Scale, Score, UnitScores

_ANSWER = Unit.row(Relation.CHANGE_ONE)
"""What a choice among the answers of blocks protects: one of them."""


@named_arguments
def choose(
    candidates: Iterable[Key],
    utility: Score,
    columns: Sequence[str],
    most: Number,
    *,
    epsilon: Number,
    version: str,
    blocks: int | None = None,
    unit: Unit | str | None = None,
    about: About = None,
    name: str = "choice",
) -> Choose[Table] | Blocked:
    """The candidate of about the largest utility, where a utility is a sum over people  [A Thm 7.1, S Def 2.5].

    `utility(rows, candidate)` is asked about each unit by itself, with the rows of that unit alone, and what it gives
    is held in [0, most]: so one person moves each candidate's sum by at most `most`, whatever the function is. A
    function of many people's rows together, such as a median or a model's score, has no such bound: give `blocks`, and
    it is asked of each of so many random blocks of units, held in [0, most], and summed over the blocks
    [A Alg 1, A Thm 8.2].

    Chosen by permute and flip, which is never worse than the exponential mechanism  [MS20]. The function runs in this
    process: side effects, memory of rows it saw earlier, and timing are outside the guarantee. Where it fails, or gives
    no number, it counts 0.

    Args:
        candidates: what may be chosen: public texts or numbers.
        utility: a function of a dict with the columns of one unit (or of one block) and a candidate, to one number.
        columns: the names of the columns that it reads.
        most: the most that one unit (or one block) may count for a candidate; the least is 0.
        epsilon: what the answer costs.
        version: a name for `utility`: change it when the function changes.
        blocks: how many random blocks the units are divided into, for a function of many people's rows.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        about: declared facts, or a curator that has them.
        name: what the released candidate is called.

    >>> plan = choose([1, 2], lambda rows, p: p * (rows["bid"] >= p).any(), ["bid"], 2, epsilon=1, version="revenue")
    >>> print(plan.guarantee)
    1-differential privacy for add-remove neighbors, by a bound on every privacy loss
    """
    facts = facts_of(about, unit)
    refuse_data(columns)
    if isinstance(columns, str) or not columns:
        raise InvalidParameter(f"columns must be a list of names, got {columns!r}")
    if not callable(utility) or not isinstance(version, str) or not version:
        raise InvalidParameter("utility must be a function of rows and a candidate, and version a name for it")
    if None in (among := Keys(name, candidates)).values:
        raise InvalidParameter("a candidate must be a value, got None")
    scale, budget = Scale(positive(most, "most")), positive(epsilon, "epsilon")
    if blocks is not None:
        return _of_blocks(among, utility, tuple(columns), scale, budget, version, blocks, facts.unit, name)
    query = UnitScores(among, utility, tuple(columns), scale, facts.unit, version)
    # an added unit lowers no sum, so half the noise is enough; a changed one raises one and lowers another
    family = MonotonePermuteAndFlip if facts.unit.relation is Relation.ADD_REMOVE else PermuteAndFlip
    target = PureDP(budget, facts.unit.relation)
    return Choose(query, family.least(query.sensitivity(facts.unit), target), facts.unit, name)


def _of_blocks(
    among: Keys,
    utility: Score,
    columns: tuple[str, ...],
    scale: Scale,
    epsilon: Fraction,
    version: str,
    blocks: int,
    unit: Unit,
    name: str,
) -> Blocked:
    """One changed block moves some scores up and others down, so the noise is that for any utilities  [A Thm 7.1]."""
    query = BlockScores(among, scale, version)
    mechanism = PermuteAndFlip.least(query.sensitivity(_ANSWER), PureDP(epsilon, _ANSWER.relation))
    results = tuple(Result(column, Fraction(0), scale.most, Fraction(0)) for column in query.columns)

    def scores(rows: dict[str, NDArray[Any]]) -> list[float]:
        own = [{column: values.copy() for column, values in rows.items()} for _ in among.values]
        given = zip(own, among.values, strict=True)
        return [float(np.asarray(utility(block, candidate), np.float64).reshape(1)[0]) for block, candidate in given]

    return Blocked(scores, columns, blocks, results, Choose(query, mechanism, _ANSWER, name), unit, version)
