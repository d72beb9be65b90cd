"""Quantiles of numbers with noise, of rows that are there or may be.

A quantile of n numbers is a number among them in their order, or a mean of two: it grows with each of them. So where
the rows are known its ends are the quantiles of the ends. Where some may be there: for each number j of those, the
least quantile is that of the j whose lower ends are least, for no other j numbers are smaller, one by one in their
order; so the least of all is the least over j.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from dalenius.sql.after.regions.values import Between, Exact, Value

_MOST = 4_000_000
Ends = tuple[float, float]


def quantile_between(
    sure: Sequence[Ends], perhaps: Sequence[Ends], point: object, part: Fraction, discrete: bool
) -> Value | None:
    """QUANTILE_CONT or QUANTILE_DISC of numbers that are surely there and others that may be; None if too many."""
    if not sure and not perhaps:
        return Exact(None)
    if len(perhaps) * (len(sure) + len(perhaps)) > _MOST:
        return None
    low = _least([a for a, _ in sure], sorted(a for a, _ in perhaps), part, discrete)
    # the largest quantile, by the same choice of what may be there seen from above
    high = -_least([-b for _, b in sure], sorted(-b for _, b in perhaps), part, discrete, upside_down=True)
    return Between(low, high, point, nullable=not sure)


def _least(sure: list[float], perhaps: list[float], part: Fraction, discrete: bool, upside_down: bool = False) -> float:
    best, size = math.inf, max(map(abs, (*sure, *perhaps)))
    for taken in range(len(perhaps) + 1):
        if sure or taken:
            best = min(best, quantile([*sure, *perhaps[:taken]], part, discrete, upside_down))
    return best if discrete or not math.isfinite(size) else best - 2.0**-50 * size


def quantile(numbers: Sequence[float], part: Fraction, discrete: bool, upside_down: bool = False) -> float:
    """What DuckDB gives; of numbers that were negated, so that it is the negated one of the others.

    QUANTILE_DISC(p) is number ⌈pn⌉ in order, the first at least. QUANTILE_CONT(p) lies at p(n − 1), between two.
    """
    ordered = sorted(numbers, reverse=upside_down)
    if discrete:
        return ordered[max(0, math.ceil(part * len(ordered)) - 1)]
    place = part * (len(ordered) - 1)
    first, share = math.floor(place), float(place - math.floor(place))
    if not share or ordered[first] == ordered[first + 1]:
        return ordered[first]
    mixed = ordered[first] * (1 - share) + ordered[first + 1] * share
    return -math.inf if math.isnan(mixed) else mixed
