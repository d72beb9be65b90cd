"""What a survey by randomized response says of the population."""

import numpy as np
from scipy import special

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.inference.noise import Floats
from dalenius.inference.result import Estimate, checked_level, checked_rows
from dalenius.mechanisms import RandomizedResponse, TunedResponse
from dalenius.numerics import Number, precision

Response = RandomizedResponse | TunedResponse


@named_arguments
def randomized_response(
    reported: int, rows: int, mechanism: Response, level: Number = 0.95, *, values: int = 1
) -> Estimate:
    """The share of a population that has a value, or one of several, from reports by randomized response.

    reported: how many reports have the value.
    rows: how many reports there are.
    mechanism: how people reported, `RandomizedResponse(coin)` or `TunedResponse(epsilon)`, with two values or more.
    level: how often the interval holds the share.
    values: how many of the mechanism's values are counted together in `reported`.

    Reports are independent, so their number is binomial with the chance λ = v·f + (s − f)·θ, s the chance to stay with
    the truth, f that of each other value, v the number of values. The ends for λ of Clopper and Pearson are mapped
    back and held in [0, 1]  [A Ex 3.2, CP34].

    >>> randomized_response(412, 1000, TunedResponse(1)).interval
    (0.243120367..., 0.377148277...)
    """
    n, wanted = checked_rows(rows), float(checked_level(level))
    if isinstance(reported, bool) or not isinstance(reported, int) or not 0 <= reported <= n:
        raise InvalidParameter(f"reported must be a whole number from 0 to rows, got {reported!r}")
    if isinstance(values, bool) or not isinstance(values, int) or not 1 <= values < mechanism.values:
        raise InvalidParameter(f"values must be from 1 to {mechanism.values - 1}, got {values!r}")
    floor, slope = _line(mechanism, values)
    low, high = binomial_clopper_pearson(reported, n, wanted)

    def share(seen: float) -> float:
        return min(1.0, max(0.0, (seen - floor) / slope))

    return Estimate(
        estimate=share(reported / n),
        interval=(share(low), share(high)),
        level=wanted,
        method="Clopper–Pearson interval of the reported share, mapped back",
        coverage="guaranteed",
        target="population",
        quantity="proportion",
        rows=n,
        privacy=f"ε = {float(mechanism.cost):.4g} local differential privacy (randomized response)",
        limits=(0.0, 1.0),
    )


def binomial_clopper_pearson(x: int, n: int, level: float) -> tuple[float, float]:
    """Ends for p of Binomial(n, p) without noise: beta quantiles, which invert both tails  [CP34]."""
    half = (1 - level) / 2
    low = 0.0 if x == 0 else float(special.betaincinv(x, n - x + 1, half))
    high = 1.0 if x == n else float(special.betainccinv(x + 1, n - x, half))
    return max(0.0, low * (1 - 1e-13)), min(1.0, high + 1e-13 * high)


@named_arguments
def local_mean(estimates: Floats, bounds: tuple[Number, Number], level: Number = 0.95, *, epsilon: Number) -> Estimate:
    """The mean of a population from unbiased local reports, one a person.

    estimates: what each person's report says of their own number, without bias: Laplace noise on it, or the like.
    bounds: the bounds in which each person's own number was held.
    level: how often the interval holds the mean.
    epsilon: the ε of one report, for the sentence.

    Reports are independent and carry their own noise, so the t interval of their mean needs nothing else.
    """
    values = np.asarray(estimates, np.float64)
    wanted = float(checked_level(level))
    low, high = (float(end) for end in bounds)
    if values.ndim != 1 or values.size < 2 or not np.isfinite(values).all():
        raise InvalidParameter("estimates must be a vector of two or more finite numbers")
    mean, spread = float(values.mean()), float(values.std(ddof=1)) / values.size**0.5
    reach = float(special.stdtrit(values.size - 1, (1 + wanted) / 2)) * spread
    return Estimate(
        estimate=min(high, max(low, mean)),
        interval=(min(high, max(low, mean - reach)), max(low, min(high, mean + reach))),
        level=wanted,
        method="t interval of independent local reports",
        coverage="asymptotic",
        target="clamped population",
        quantity="mean",
        rows=values.size,
        privacy=f"ε = {float(epsilon):.4g} local differential privacy",
        limits=(low, high),
    )


def _line(mechanism: Response, values: int) -> tuple[float, float]:
    """P[report] = floor + slope · θ: the chance of a report by others, and by how much one's own value raises it."""
    with precision(128):
        stay = mechanism.stay()
        other = (1 - stay) / (mechanism.values - 1)
        floor, slope = float((values * other).mid()), float((stay - other).mid())
    if slope <= 0:
        raise InvalidParameter("reports by coin alone say nothing: there is no interval at ε = 0")
    return floor, slope
