"""The aggregates that there are: reading, refusals, pages and the contract suite derive from this one list."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from sqlglot import exp


class MeasuredBy(Enum):
    """What is measured for an aggregate."""

    SUMS = "sums over rows, weighted by unit"
    DISTINCT = "values, of each unit its first"
    RANKS = "weights at the places of a public grid"
    MODE = "weights of public values"


class Argument(Enum):
    """What an aggregate takes."""

    ANY = "an expression of any kind, or *"
    CONDITION = "a condition"
    NUMBER = "a number with bounds"
    VALUES = "an expression with public values"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate: its name in SQL and the nodes it is read as, what it takes, what is measured, how that moves.

    `want` names the formula over what was measured, see `aggregates`; `level` is that of a quantile that has one of its
    own. `change` says how far one unit moves what is measured, T the rows of a unit that count, R a number's range.
    `alike` is the same question in other words, for an aggregate that has no formula of its own.
    """

    name: str
    nodes: tuple[type[exp.Expr], ...]
    takes: Argument
    measured: MeasuredBy
    change: str
    says: str
    example: str
    want: str = ""
    level: Fraction | None = None
    alike: str = ""


_SUM = "at most T·R in ℓ1 over all parts and cells"
_RANK = "weights of at most T over all cells and places"
CATALOG: tuple[Aggregate, ...] = (
    Aggregate(
        *("COUNT", (exp.Count,), Argument.ANY, MeasuredBy.SUMS, "at most T"),
        *("the number of rows, or of those where x is not NULL", "COUNT(amount)", "count"),
    ),
    Aggregate(
        *("COUNT_IF", (exp.CountIf,), Argument.CONDITION, MeasuredBy.SUMS, "at most T"),
        *("the number of rows of which a condition is true", "COUNT_IF(amount > 100)"),
        alike="COUNT(CASE WHEN c THEN 1 END)",
    ),
    Aggregate(
        *("COUNT(DISTINCT)", (), Argument.ANY, MeasuredBy.DISTINCT, "at most T"),
        *("the number of different values, or of units", "COUNT(DISTINCT amount)"),
    ),
    Aggregate(
        *("SUM", (exp.Sum,), Argument.NUMBER, MeasuredBy.SUMS, _SUM, "the sum", "SUM(amount)", "sum"),
    ),
    Aggregate(
        *("AVG", (exp.Avg,), Argument.NUMBER, MeasuredBy.SUMS, _SUM, "the mean", "AVG(amount)", "avg"),
    ),
    Aggregate(
        *("VARIANCE", (exp.Variance,), Argument.NUMBER, MeasuredBy.SUMS, _SUM),
        *("the variance of a sample", "VARIANCE(amount)", "var_samp"),
    ),
    Aggregate(
        *("VAR_POP", (exp.VariancePop,), Argument.NUMBER, MeasuredBy.SUMS, _SUM),
        *("the variance of all", "VAR_POP(amount)", "var_pop"),
    ),
    Aggregate(
        *("STDDEV", (exp.Stddev, exp.StddevSamp), Argument.NUMBER, MeasuredBy.SUMS, _SUM),
        *("the root of the variance of a sample", "STDDEV(amount)", "stddev_samp"),
    ),
    Aggregate(
        *("STDDEV_POP", (exp.StddevPop,), Argument.NUMBER, MeasuredBy.SUMS, _SUM),
        *("the root of the variance of all", "STDDEV_POP(amount)", "stddev_pop"),
    ),
    Aggregate(
        *("MEDIAN", (exp.Median,), Argument.NUMBER, MeasuredBy.RANKS, _RANK, "the middle value", "MEDIAN(amount)"),
        level=Fraction(1, 2),
    ),
    Aggregate(
        *("QUANTILE_CONT", (exp.PercentileCont, exp.WithinGroup), Argument.NUMBER, MeasuredBy.RANKS, _RANK),
        *("the value at a level", "QUANTILE_CONT(amount, 0.9)"),
    ),
    Aggregate(
        *("MIN", (exp.Min,), Argument.NUMBER, MeasuredBy.RANKS, _RANK, "the least value", "MIN(amount)"),
        level=Fraction(0),
    ),
    Aggregate(
        *("MAX", (exp.Max,), Argument.NUMBER, MeasuredBy.RANKS, _RANK, "the largest value", "MAX(amount)"),
        level=Fraction(1),
    ),
    Aggregate(
        *("MODE", (exp.Mode,), Argument.VALUES, MeasuredBy.MODE, _RANK),
        *("the most frequent of public values", "MODE(category)"),
    ),
)


def nodes_of(measured: MeasuredBy) -> dict[type[exp.Expr], Aggregate]:
    """The aggregates that are measured in one way, by the nodes they are read as; those in other words left out."""
    return {node: one for one in CATALOG if one.measured is measured and not one.alike for node in one.nodes}


def there_are() -> str:
    """All names, for a refusal."""
    return f"there are {', '.join(one.name for one in CATALOG)}"
