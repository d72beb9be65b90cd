"""The mean of a population with a declared moment, from a release of `statistics.heavy_tailed_mean`."""

import math
from fractions import Fraction

from dalenius.calls import named_arguments
from dalenius.curator import Measured, Release
from dalenius.errors import UnprovenClaim
from dalenius.inference.arguments import privacy_of
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.sampling import check_one_draw
from dalenius.numerics import Number
from dalenius.queries.moment_bound import MOMENT, MomentBound

_NOISE, _COUNT = Fraction(1, 2), Fraction(1, 20)
"""The shares of what may fail that are left to the noise of the mean and of the number of rows."""


@named_arguments
def heavy_tailed_mean(release: Release, level: Number = 0.95) -> Estimate:
    """The mean of the population, with an interval that holds at every sample size if the declared moment does.

    release: a release of `statistics.heavy_tailed_mean`.
    level: how often the interval holds the population's mean, over draws of people and noise.

    Three errors add up: the noise, about the mean m of the held rows; the draw of n people, by Bernstein's inequality
    with the largest variance that the moment allows, [L·b/3 + √((L·b/3)² + 2·V·L·n)]/n with L = log(2/β) and |Y − EY| ≤
    b  [BLM13, Thm 2.10]; and what the clamp cuts off the population's mean, B·(k − 1)^(k−1)/(k^k·τ^(k−1)). A private n
    is taken as the least that its noise allows, which makes the second one larger  [A Thm 4.2].
    """
    wanted = checked_level(level)
    noted = release.notes.get(MOMENT)
    if not isinstance(noted, dict):
        raise UnprovenClaim("no moment was declared with this release: ask statistics.heavy_tailed_mean")
    check_one_draw(release)
    moment, clamp = MomentBound(noted["order"], noted["bound"]), Fraction(noted["clamp"])
    doubt = 1 - wanted
    low, high = release.interval(1 - doubt * _NOISE)
    estimate, size = release.value, noted.get("rows")
    rows = size if size is not None else _least_rows(release, doubt * _COUNT)
    beyond = moment.bias(clamp) + _sampling(moment, float(clamp), rows, float(doubt * (1 - _NOISE - _COUNT)))
    most = float(moment.bound) ** (1 / float(moment.order))
    return Estimate(
        estimate=min(max(float(estimate), -most), most),
        interval=(max(low - beyond, -most), min(high + beyond, most)),
        level=float(wanted),
        method="noise, Bernstein's inequality and the largest bias of the clamp",
        coverage="guaranteed",
        target="population",
        quantity="mean",
        rows=float(rows),
        privacy=privacy_of(release),
        limits=(-most, most),
        remark=f"This holds if {moment}, which was declared and cannot be checked.",
    )


def _least_rows(release: Release, doubt: Fraction) -> int:
    """At most the number of rows, but for a chance of `doubt`: both noisy parts of it as far down as that allows."""
    parts = [column for column in release.outcome.columns if isinstance(column, Measured)]
    return max(0, math.floor(sum(part.interval(1 - doubt, len(parts))[0][0] for part in parts)))


def _sampling(moment: MomentBound, clamp: float, rows: int, beta: float) -> float:
    if rows < 1:
        return math.inf
    mean = min(clamp, math.pow(float(moment.bound), 1 / float(moment.order)))
    log = math.log(2 / beta)
    linear = log * (clamp + mean) / 3
    return (linear + math.sqrt(linear**2 + 2 * moment.variance(clamp) * log * rows)) / rows
