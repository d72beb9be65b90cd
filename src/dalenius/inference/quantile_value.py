"""How far a chosen quantile lies off on the scale of values, given a declared lower bound on the density."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from scipy import special

from dalenius.calls import named_arguments
from dalenius.curator import Choose, Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import privacy_of
from dalenius.inference.result import Estimate, checked_level, checked_rows
from dalenius.mechanisms import Quantile
from dalenius.numerics import Number, positive, rational


@dataclass(frozen=True, slots=True)
class Density:
    """The declared fact that the population's density is at least `least` everywhere in [lower, upper].

    >>> Density("0.01", 20, 60).least
    Fraction(1, 100)
    """

    least: Fraction
    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, rational(getattr(self, name), name))
        object.__setattr__(self, "least", positive(self.least, "least"))
        if not self.lower < self.upper or self.least * (self.upper - self.lower) > 1:
            raise InvalidParameter("a density lies above `least` between lower < upper, with a mass of 1 at most there")


@named_arguments
def quantile_value(
    release: Release,
    plan: Choose,  # type: ignore[type-arg]
    density: Density,
    rows: int,
    level: Number = 0.95,
    target: Literal["population", "sample"] = "population",
) -> Estimate:
    """A quantile of the population, or of the rows, with an interval on the scale of its values  [A Thm 7.6].

    release: a release of `statistics.quantile` or `median`.
    plan: the plan that was released; it is public.
    density: what is declared of the population's density near the quantile.
    rows: a number of rows with a value that is not above the true one: the public one, or the lower end of a count's
        interval.
    level: how often the interval holds the quantile, over draws of people and noise.
    target: the quantile of the population, or that of the rows at hand.

    The chosen cell misses the quantile by at most r ranks, but for a part of 1 − level  [A Thm 7.2]. In the population
    that is r/n + d of its mass, d = √(log(2/β)/(2n)) off by the draw  [Mas90]; in the sample r + 2 neighboring order
    statistics span a mass of law Beta(r + 2, n − r − 1)  [A Lem 5]. A mass η spans at most η/density. An end that
    leaves the declared interval, or of a choice at an end of the grid, is not known: it is infinite.
    """
    wanted, n = checked_level(level), checked_rows(rows)
    mechanism = plan.mechanism
    if not isinstance(mechanism, Quantile) or mechanism.shift != 0 or plan.unit.column is not None:
        raise UnprovenClaim("this is about statistics.quantile or median with one row for each person")
    if target not in ("population", "sample"):
        raise InvalidParameter(f'target must be "population" or "sample", got {target!r}')
    doubt = (1 - wanted) / 2
    ranks = plan.query.expected("", mechanism).accuracy(doubt)
    mass = (
        ranks / n + _draw(n, float(doubt)) if target == "population" else spacing(n, math.floor(ranks) + 2, doubt / 2)
    )
    low, high = _ends(mechanism, float(release.value), mass / float(density.least), density)
    return Estimate(
        estimate=float(release.value),
        interval=(low, high),
        level=float(wanted),
        method="ranks of the choice over the least density",
        coverage="guaranteed",
        target=target,
        quantity=f"{float(mechanism.level):g} quantile",
        rows=float(n),
        privacy=privacy_of(release),
        remark=f"This holds if the density is at least {float(density.least):g} from {float(density.lower):g} to "
        f"{float(density.upper):g}, which was declared and cannot be checked.",
    )


def spacing(rows: int, ranks: int, beta: Number) -> float:
    """A mass of the population that `ranks` neighboring order statistics span, but for a chance of beta  [A Lem 5].

    The spacing U₍s₎ − U₍r₎ has the law Beta(s − r, n − s + r + 1); 1 where there are not as many rows.
    """
    if ranks > rows:
        return 1.0
    return float(special.betaincinv(ranks, rows - ranks + 1, float(1 - rational(beta, "beta"))))


def _draw(rows: int, beta: float) -> float:
    """How far the empirical cdf may lie off anywhere, but for a chance of beta: 2e^(−2nd²) = beta  [Mas90]."""
    return math.sqrt(math.log(2 / beta) / (2 * rows))


def _ends(mechanism: Quantile, value: float, reach: float, density: Density) -> tuple[float, float]:
    width = float(mechanism.upper - mechanism.lower) / mechanism.cells
    low, high = value - width / 2 - reach, value + width / 2 + reach
    at_least, at_most = value - width < float(mechanism.lower), value + width > float(mechanism.upper)
    return (
        -math.inf if at_least or low < float(density.lower) else low,
        math.inf if at_most or high > float(density.upper) else high,
    )
