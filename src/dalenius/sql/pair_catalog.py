"""The aggregates of two numbers: covariances, correlation and the line of least squares."""

from collections.abc import Callable

from sqlglot import exp

from dalenius.curator.formula import Formula
from dalenius.sql.aggregate import Aggregate, Argument, Bounding, ByWeight, MeasuredBy
from dalenius.sql.moments import PairMoments

_TOGETHER = Bounding(
    "products of Bernstein polynomials of both numbers, which sum to 1 in a row that has both",
    "T·R_x·R_y for all, whatever is asked of the two",
    "geometric noise",
)


def _of(
    node: type[exp.Func],
    says: str,
    degrees: tuple[int, int],
    formula: Callable[[PairMoments], Formula],
) -> Aggregate:
    """An aggregate that needs the moments of both numbers up to these degrees."""
    name = node.sql_name()
    return Aggregate(
        *(name, (node,), Argument.PAIR, MeasuredBy.SUMS, _TOGETHER, says),
        *(f"{name}(amount, ABS(amount - 60))", (f"{name}(y, x)",)),
        degrees=degrees,
        of_pair=formula,
    )


_WEIGHTED = Bounding(
    "as of two numbers, w being a weight ≥ 0 in its bounds; never divided by an exact sum of weights",
    "T·R_x·R_w, so it grows with the largest weight",
    "geometric noise",
)
PAIRS: tuple[Aggregate, ...] = (
    _of(exp.CovarPop, "the covariance of all", (1, 1), lambda pair: pair.covariance),
    _of(exp.CovarSamp, "the covariance of a sample", (1, 1), lambda pair: pair.sample_covariance),
    _of(exp.Corr, "the correlation", (2, 2), lambda pair: pair.correlation),
    _of(exp.RegrSlope, "the slope of the line of least squares, of y on x", (1, 2), lambda pair: pair.slope),
    _of(exp.RegrIntercept, "where that line meets x = 0", (1, 2), lambda pair: pair.intercept),
    _of(exp.RegrR2, "the share of the variance of y that the line explains", (2, 2), lambda pair: pair.determination),
    _of(exp.RegrCount, "the number of rows that have both", (0, 0), lambda pair: pair.first.count),
    _of(exp.RegrAvgx, "the mean of x in them", (0, 1), lambda pair: pair.second.mean),
    _of(exp.RegrAvgy, "the mean of y in them", (1, 0), lambda pair: pair.first.mean),
    Aggregate(
        *("WEIGHTED_AVG", (), Argument.PAIR, MeasuredBy.SUMS, _WEIGHTED, "the mean of x by a weight w"),
        *("WEIGHTED_AVG(amount, ABS(amount - 60))", ("WEIGHTED_AVG(x, w)",)),
        degrees=(1, 1),
        of_pair=lambda pair: pair.weighted_mean,
        by_weight=ByWeight.ROWS,  # it names its own weight
    ),
)
