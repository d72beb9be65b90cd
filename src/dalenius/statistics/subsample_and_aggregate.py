"""Any function of the data, made private by asking it of random blocks."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from dalenius.calls import named_arguments
from dalenius.curator import ColumnPlan, Derived, Measure, Plan, Shown, Together
from dalenius.curator.facts import ordered
from dalenius.curator.formula import Cell, Held, Plus, Times
from dalenius.curator.formula import Number as Constant
from dalenius.curator.plans.blocked import Blocked, Function, Result
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number, positive, rational
from dalenius.queries import Bounds, CenteredMoments, Table
from dalenius.queries.bounds import Ends
from dalenius.statistics.about import About, facts_of
from dalenius.statistics.given_data import refuse_data
from dalenius.statistics.quantile import CELLS
from dalenius.statistics.winsorized_mean import WinsorizedPart, widened

_ANSWER = Unit.row(Relation.CHANGE_ONE)
"""What the aggregate protects: the answer of one block."""
Aggregate = Literal["winsorized mean", "mean"]


@named_arguments
def subsample_and_aggregate(
    f: Function,
    columns: Sequence[str],
    blocks: int,
    bounds: Ends | Mapping[str, Ends],
    *,
    epsilon: Number,
    version: str,
    aggregate: Aggregate = "winsorized mean",
    default: Number | None = None,
    unit: Unit | str | None = None,
    about: About = None,
    name: str = "value",
) -> Blocked:
    """A private mean of f(block) over `blocks` random blocks of units, whatever f is  [A Alg 1, A Thm 8.2, A Rem 8.1].

    `f` takes a dict of the named columns of one block and gives one number, or one for each name of `bounds`; where it
    fails `default` stands in, or the middle of the bounds. One unit changes one block's answer, so this costs ε however
    f behaves, as long as what f gives depends on its block alone. It runs in this process: side effects, memory of an
    earlier block, and timing are outside the guarantee. `version` names f: change it when f changes.

    "winsorized mean" has noise in proportion to the spread of the answers  [A Alg 2], "mean" in proportion to the
    bounds, and suits few blocks and narrow bounds.

    Args:
        f: a function of a dict with the columns of one block.
        columns: the names of the columns.
        blocks: how many random blocks the units are divided into.
        bounds: (lowest, highest) of what `f` gives, or a dict of them, one for each number that it gives.
        epsilon: what the answer costs.
        version: a name for `f`: change it when `f` changes.
        aggregate: "winsorized mean" or "mean" of the answers of the blocks.
        default: what stands in for a block on which `f` fails; left out, the middle of the bounds.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> plan = subsample_and_aggregate(lambda b: b["x"].mean(), ["x"], 50, (0, 1), epsilon=1, version="mean of x, 1")
    >>> print(plan.guarantee.epsilon(0))
    1.0
    """
    refuse_data(columns)
    facts = facts_of(about, unit)
    if isinstance(columns, str):
        raise InvalidParameter(f"columns must be a list of names, got {columns!r}")
    wanted = bounds if isinstance(bounds, Mapping) else {name: bounds}
    results = tuple(_result(each, ends, default) for each, ends in wanted.items())
    if isinstance(blocks, bool) or not isinstance(blocks, int) or blocks < 1:
        raise InvalidParameter(f"blocks must be a whole number ≥ 1, got {blocks!r}")
    if not results:
        raise InvalidParameter("bounds must be a pair, or a pair for each number that the function gives")
    plan = _aggregated(results, blocks, positive(epsilon, "epsilon"), aggregate)
    return Blocked(f, tuple(columns), blocks, results, plan, facts.unit, version)


def _result(name: str, ends: Ends, default: Number | None) -> Result:
    low, high = ordered(name, ends)
    return Result(name, low, high, (low + high) / 2 if default is None else rational(default, "default"))


def _aggregated(results: tuple[Result, ...], blocks: int, epsilon: Fraction, aggregate: str) -> Plan[Table]:
    """The aggregate over one row for each block, ε shared evenly by the numbers of an answer  [A Alg 1]."""
    if aggregate == "winsorized mean":
        parts = [
            WinsorizedPart(each.name, Bounds(each.name, (each.lower, each.upper), each.default), each.name)
            for each in results
        ]
        return widened(parts, _ANSWER, None, epsilon, blocks, CELLS)
    if aggregate != "mean":
        raise InvalidParameter(f'aggregate must be "winsorized mean" or "mean", got {aggregate!r}')
    plans: list[ColumnPlan[Table]] = [_mean(each, blocks, epsilon / len(results)) for each in results]
    return plans[0] if len(plans) == 1 else Together(plans)


def _mean(result: Result, blocks: int, epsilon: Fraction) -> Derived[Table]:
    """The noisy mean of a public number of values  [L §5.1]."""
    query = CenteredMoments(result.name, (result.lower, result.upper), 1, result.default)
    plan = Measure.calibrated(query, epsilon=epsilon, unit=_ANSWER, name=f"{result.name}: noisy sum")
    middle, half = (result.lower + result.upper) / 2, (result.upper - result.lower) / 2 / blocks
    mean = Plus(Constant(middle), Times(Constant(half), Cell(plan.names[0])))
    shown = Shown(result.name, Held(mean, result.lower, result.upper))
    return Derived(plan, [shown], question=f"mean of {result.name} over {blocks} blocks")
