"""The aggregates that there are: reading, formulas, refusals, subqueries, pages and tests derive from this one list."""

from fractions import Fraction

from sqlglot import exp

from dalenius.curator import formula
from dalenius.sql.aggregate import Aggregate, Argument, Bounding, ByWeight, Exactly, MeasuredBy
from dalenius.sql.pair_catalog import PAIRS

__all__ = [
    "CATALOG",
    "ONLY_IN_SUBQUERIES",
    "VARIANTS",
    "Aggregate",
    "Argument",
    "Bounding",
    "ByWeight",
    "Exactly",
    "MeasuredBy",
    "by_name",
    "nodes_exactly",
    "nodes_of",
    "there_are",
    "there_are_in_subqueries",
]
_COUNTED = Bounding(
    "each row weighs least(1, T/n), n the unit's final rows",
    "T [A Ex 3.4, G complaints count]",
    "geometric noise [D Thm 2.8]",
)
_CONDITIONAL = Bounding(
    "FILTER may stand after any of these; as over CASE: `COUNT(CASE WHEN x > 1 THEN 1 END)`, "
    "`SUM(CASE WHEN x > 1 THEN x END)`",
    "as theirs",
    "as theirs",
)
_SAME = Bounding(
    "as its exact kin, which it is read as; a list of levels gives a column for each", "as theirs", "as theirs"
)
_DISTINCT = Bounding(
    "each unit's first T pairs of cell and value, by a hash of both and the unit; weights would be wrong",
    "T [A Ex 3.4]",
    "geometric noise",
)
_SUMMED = Bounding(
    "held in the bounds, then weighted", "T · the largest of the bounds", "geometric noise on a fixed-point grid"
)
_AVERAGED = Bounding(
    "Σ(x − l) and Σ(u − x), which sum to R in every row",
    "T·R for both, and the count comes with them",
    "geometric noise",
)
_SQUARED = Bounding(
    "three Bernstein polynomials of (x − l)/R, which sum to 1",
    "T·R² for all, and count, sum and mean come with them",
    "geometric noise",
)
_RANKED = Bounding(
    "weights on a public grid of the bounds",
    "T · max(q, 1 − q) ranks, whatever the number of cells [A Thm 7.1]",
    "the exponential mechanism on ranks [A Alg 4]",
)
_ENDS = Bounding("as quantiles 0 and 1, aimed a little inside the data", "T ranks", "the exponential mechanism")
_CHOSEN = Bounding(
    "weights of each public value in each cell",
    "T, no added unit lowers one [A §5.1 report noisy max]",
    "permute and flip [MS20]",
)
CATALOG: tuple[Aggregate, ...] = (
    Aggregate(
        *("COUNT", (exp.Count,), Argument.ANY, MeasuredBy.SUMS, _COUNTED),
        *("the number of rows, or of those where x is not NULL", "COUNT(amount)", ("COUNT(*)", "COUNT(x)")),
        formula=lambda moments: moments.count,
        exactly=Exactly.COUNTED,
        by_weight=ByWeight.POPULATION,
    ),
    Aggregate(
        *("COUNT_IF", (exp.CountIf,), Argument.CONDITION, MeasuredBy.SUMS, _CONDITIONAL),
        *("the number of rows of which a condition is true", "COUNT_IF(amount > 100)"),
        ("COUNT_IF(x > 1)", "SUM(x) FILTER (WHERE x > 1)"),
        alike="COUNT(CASE WHEN c THEN 1 END)",
        by_weight=ByWeight.POPULATION,
    ),
    Aggregate(
        *("COUNT(DISTINCT)", (), Argument.ANY, MeasuredBy.DISTINCT, _DISTINCT),
        *("the number of different values, or of units", "COUNT(DISTINCT amount)", ("COUNT(DISTINCT x)",)),
        exactly=Exactly.COUNTED,
        by_weight=ByWeight.ROWS,
    ),
    Aggregate(
        *("APPROX_COUNT_DISTINCT", (exp.ApproxDistinct,), Argument.ANY, MeasuredBy.DISTINCT, _SAME),
        *("what COUNT(DISTINCT) counts", "APPROX_COUNT_DISTINCT(category)", ("APPROX_COUNT_DISTINCT(x)",)),
        alike="COUNT(DISTINCT x)",
        by_weight=ByWeight.ROWS,
    ),
    Aggregate(
        *("SUM", (exp.Sum,), Argument.NUMBER, MeasuredBy.SUMS, _SUMMED, "the sum", "SUM(amount)", ("SUM(x)",)),
        degree=1,
        formula=lambda moments: moments.total,
        exactly=Exactly.SUMMED,
        by_weight=ByWeight.POPULATION,
    ),
    Aggregate(
        *("AVG", (exp.Avg,), Argument.NUMBER, MeasuredBy.SUMS, _AVERAGED, "the mean", "AVG(amount)", ("AVG(x)",)),
        degree=1,
        formula=lambda moments: moments.mean,
        exactly=Exactly.AVERAGED,
        by_weight=ByWeight.POPULATION,
    ),
    Aggregate(
        *("VARIANCE", (exp.Variance,), Argument.NUMBER, MeasuredBy.SUMS, _SQUARED),
        *("the variance of a sample", "VARIANCE(amount)", ("VARIANCE(x)",)),
        degree=2,
        formula=lambda moments: moments.sample_variance,
    ),
    Aggregate(
        *("VAR_POP", (exp.VariancePop,), Argument.NUMBER, MeasuredBy.SUMS, _SQUARED),
        *("the variance of all", "VAR_POP(amount)", ("VAR_POP(x)",)),
        degree=2,
        formula=lambda moments: moments.variance,
    ),
    Aggregate(
        *("STDDEV", (exp.Stddev, exp.StddevSamp), Argument.NUMBER, MeasuredBy.SUMS, _SQUARED),
        *("the root of the variance of a sample", "STDDEV(amount)", ("STDDEV(x)", "STDDEV_SAMP(x)")),
        degree=2,
        formula=lambda moments: formula.Root(moments.sample_variance),
    ),
    Aggregate(
        *("STDDEV_POP", (exp.StddevPop,), Argument.NUMBER, MeasuredBy.SUMS, _SQUARED),
        *("the root of the variance of all", "STDDEV_POP(amount)", ("STDDEV_POP(x)",)),
        degree=2,
        formula=lambda moments: formula.Root(moments.variance),
    ),
    Aggregate(
        *("MEDIAN", (exp.Median,), Argument.NUMBER, MeasuredBy.RANKS, _RANKED),
        *("the middle value", "MEDIAN(amount)", ("MEDIAN(x)",)),
        level=Fraction(1, 2),
        exactly=Exactly.MIDDLE,
    ),
    Aggregate(
        *("QUANTILE_CONT", (exp.PercentileCont, exp.WithinGroup), Argument.NUMBER, MeasuredBy.RANKS, _RANKED),
        *("the value at a level", "QUANTILE_CONT(amount, 0.9)"),
        ("QUANTILE_CONT(x, 0.9)", "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)"),
    ),
    Aggregate(
        *("QUANTILE_DISC", (exp.PercentileDisc,), Argument.NUMBER, MeasuredBy.RANKS, _SAME),
        *("the value at a level, as QUANTILE_CONT gives it", "QUANTILE_DISC(amount, 0.25)"),
        ("QUANTILE_DISC(x, 0.25)", "PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY x)", "QUANTILE_CONT(x, [0.1, 0.9])"),
        alike="QUANTILE_CONT(x, q)",
    ),
    Aggregate(
        *("APPROX_QUANTILE", (exp.ApproxQuantile, exp.Quantile), Argument.NUMBER, MeasuredBy.RANKS, _SAME),
        *("the value at a level, as QUANTILE_CONT gives it", "APPROX_QUANTILE(amount, 0.75)"),
        ("APPROX_QUANTILE(x, 0.75)",),
        alike="QUANTILE_CONT(x, q)",
    ),
    Aggregate(
        *("MIN", (exp.Min,), Argument.NUMBER, MeasuredBy.RANKS, _ENDS, "the least value", "MIN(amount)", ("MIN(x)",)),
        level=Fraction(0),
        exactly=Exactly.ENDS,
        by_weight=ByWeight.ROWS,
    ),
    Aggregate(
        *("MAX", (exp.Max,), Argument.NUMBER, MeasuredBy.RANKS, _ENDS, "the largest value", "MAX(amount)", ("MAX(x)",)),
        level=Fraction(1),
        exactly=Exactly.ENDS,
        by_weight=ByWeight.ROWS,
    ),
    Aggregate(
        *("MODE", (exp.Mode,), Argument.VALUES, MeasuredBy.MODE, _CHOSEN),
        *("the most frequent of public values", "MODE(category)", ("MODE(x)",)),
        exactly=Exactly.OFTENEST,
    ),
    *PAIRS,
)
VARIANTS: dict[str, tuple[str, Bounding]] = {
    "COUNT(DISTINCT)": (
        "`COUNT(DISTINCT user_id)` of the unit",
        Bounding(
            "presence in g cells weighs least(1, G/g), G the lesser of T and C", "G; 1 in one cell", "geometric noise"
        ),
    ),
    "QUANTILE_CONT": (
        "three and more quantiles of one x",
        Bounding("as one", "T · Σ max(α, 1 − α) over ⌈log₂(m + 1)⌉ rounds [KSS22]", "halving"),
    ),
}
"""Questions that an aggregate answers in a way of their own, as the page on SQL describes them."""
ONLY_IN_SUBQUERIES: dict[str, type[exp.Expr]] = {"BOOL_OR": exp.LogicalOr, "BOOL_AND": exp.LogicalAnd}
"""Aggregates of one unit's rows that nothing measures over all units: a number that is one person's is no statistic."""


def nodes_of(measured: MeasuredBy) -> dict[type[exp.Expr], Aggregate]:
    """The aggregates that are measured in one way, by the nodes they are read as; those in other words left out."""
    return {node: one for one in CATALOG if one.measured is measured and not one.alike for node in one.nodes}


def by_name() -> dict[str, Aggregate]:
    """The aggregates that the parser does not know, by their names."""
    return {one.name: one for one in CATALOG if not one.nodes and one.measured is not MeasuredBy.DISTINCT}


def nodes_exactly() -> dict[type[exp.Expr], Exactly]:
    """How a subquery computes aggregates of one unit's rows, by the nodes they are read as."""
    known = {node: one.exactly for one in CATALOG if one.exactly is not None for node in one.nodes}
    return known | dict.fromkeys(ONLY_IN_SUBQUERIES.values(), Exactly.LOGICAL)


def there_are() -> str:
    """All names, for a refusal."""
    return f"there are {', '.join(one.name for one in CATALOG)}"


def there_are_in_subqueries() -> str:
    """All names of what a subquery computes, for a refusal."""
    names = [one.name for one in CATALOG if one.exactly is not None]
    return f"a subquery has {', '.join([*names, *ONLY_IN_SUBQUERIES])}"
