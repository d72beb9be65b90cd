"""The mean of a population whose values are held in public bounds."""

import math
from typing import Any

import numpy as np
from scipy import special
from scipy.optimize import brentq, minimize_scalar

from dalenius.calls import named_arguments
from dalenius.errors import UnprovenClaim
from dalenius.inference.arguments import key_label, privacy_of
from dalenius.inference.noise import Floats
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.summary import Summary, summaries
from dalenius.numerics import Number

_GRID = 801
_SIZE_DOUBT = 0.002


@named_arguments
def mean(
    release: Any, level: Number = 0.95, *, column: str | None = None, key: Any = None, guaranteed: bool = False
) -> Estimate:
    """The mean of a population, values held in public bounds, with an interval that knows sampling and noise.

    release: a release of a mean: `statistics.mean`, AVG in SQL, or AVG beside VARIANCE or STDDEV of the same column.
    level: how often the interval holds the population's mean, over draws of people and noise.
    column: which mean, where the answer shows several.
    key: whose mean, where the answer has one for each key; (None,) is the group whose key is NULL.
    guaranteed: True for an interval that is proved at every sample size; it is about 1.4 times as wide.

    m stays in if |Σ(x − m)| is within z standard errors, those of the draw of people and of the noise at m. The spread
    of people is the released one, where a variance was released with the mean, else n(m − L)(U − m), which no law on
    [L, U] with mean m exceeds [BD00]. z is raised for the fourth cumulant of the noise [CF38]. With `guaranteed`, the
    tails are bounded by their moment generating functions instead: of all laws on [L, U] with mean m that on {L, U} has
    the largest  [Hoe63].
    """
    wanted = float(checked_level(level))
    summary = one_of(summaries(release, column, "a mean"), key)
    ends = chernoff_ends(summary, wanted) if guaranteed else score_ends(summary, wanted)
    return mean_estimate(summary, ends, wanted, privacy_of(release), guaranteed)


def one_of(by_key: dict[Any, Summary], key: Any) -> Summary:
    """The summary of a key, or the only one."""
    if key is None and len(by_key) == 1:
        return next(iter(by_key.values()))
    return by_key[key_label(key, list(by_key), "mean")]


def mean_estimate(
    summary: Summary, ends: tuple[float, float], level: float, privacy: str, guaranteed: bool, quantity: str = "mean"
) -> Estimate:
    """What is said of a mean."""
    spread = "released variance" if summary.squares is not None else "largest variance that the bounds allow"
    clusters = summary.contributions > 1
    return Estimate(
        estimate=summary.estimate,
        interval=ends,
        level=level,
        method="moment generating functions of the worst law" if guaranteed else f"noise-aware score, {spread}",
        coverage="guaranteed" if guaranteed else "asymptotic",
        target="clamped population",
        quantity=quantity,
        rows=max(0.0, summary.size),
        privacy=privacy,
        limits=(summary.low, summary.high),
        remark=f"A person is one draw, with up to {summary.contributions} rows." if clusters else "",
    )


def score_ends(summary: Summary, level: float) -> tuple[float, float]:
    """The hull of the m with excess(m)² ≤ z²·(spread + noise), z with the correction for fat tails of the noise."""
    z = float(special.ndtri((1 + level) / 2))

    def margin(m: Floats) -> Floats:
        noise = summary.noise_variance(m)
        variance = summary.spread(m) + noise
        kurtosis = summary.noise_cumulant(m) / np.maximum(variance, 1e-300) ** 2
        reach = z + (z**3 - 3 * z) * np.minimum(kurtosis, 3.0) / 24
        return np.asarray(reach**2 * variance - summary.excess(m) ** 2)

    return hull(margin, summary.low, summary.high, summary.estimate)


def hull(margin: Any, low: float, high: float, start: float) -> tuple[float, float]:
    """The least and the largest m in [low, high] with margin(m) ≥ 0, the `start` among them."""
    grid = np.unique(np.concatenate([np.linspace(low, high, _GRID), _near(start, low, high)]))
    inside = np.flatnonzero(margin(grid) >= 0)
    if not inside.size:
        return start, start
    first, last = int(inside[0]), int(inside[-1])

    def at(m: float) -> float:
        return float(margin(np.array([m]))[0])

    left = float(grid[0]) if first == 0 else float(brentq(at, grid[first - 1], grid[first], xtol=1e-14))
    right = float(grid[-1]) if last == grid.size - 1 else float(brentq(at, grid[last], grid[last + 1], xtol=1e-14))
    return min(left, start), max(right, start)


def _near(start: float, low: float, high: float) -> Floats:
    """Points that are closer together near the estimate, so that no short interval slips between two of the grid."""
    steps = (high - low) * np.geomspace(1e-9, 1, 60)
    return np.asarray(np.clip(np.concatenate([[start], start - steps, start + steps]), low, high))


def chernoff_ends(summary: Summary, level: float) -> tuple[float, float]:
    """Ends that hold the mean at every sample size: exponential bounds on both tails at the largest n  [Hoe63, BB94].

    For independent x in [L, U] with mean m, E e^(λΣ(x − m)) ≤ ((1 − q)e^(λ(L − m)) + q·e^(λ(U − m)))^n, q = (m − L)/(U
    − L), and it grows with n. So n may be the largest of a set that holds it but for a chance of 0.002.
    """
    if summary.contributions > 1:
        raise UnprovenClaim("the guaranteed form is for one row a person: ask with contributions=1")
    doubt = 0.0 if not summary.count.any() else min(_SIZE_DOUBT, (1 - level) / 10)
    half = math.log((1 - level - doubt) / 2)
    n = max(0, math.floor(summary.size + (_reach_of_size(summary, doubt / 2) if doubt else 0.0)))

    def margin(grid: Floats) -> Floats:
        return np.array([_log_tail(summary, n, m) - half for m in grid.tolist()])

    start = min(max(summary.estimate, summary.low + 1e-12), summary.high - 1e-12)
    low = summary.low if _at(margin, summary.low + 1e-12) >= 0 else _crossing(margin, summary.low + 1e-12, start)
    high = summary.high if _at(margin, summary.high - 1e-12) >= 0 else _crossing(margin, summary.high - 1e-12, start)
    return low, high


def _at(margin: Any, m: float) -> float:
    return float(margin(np.array([m]))[0])


def _crossing(margin: Any, outside: float, inside: float) -> float:
    if _at(margin, inside) < 0:
        return inside
    return float(brentq(lambda m: _at(margin, m), outside, inside, xtol=1e-12))


def _reach_of_size(summary: Summary, beta: float) -> float:
    """How far the noise can carry the number of rows to one side, but for a chance of beta: a Chernoff bound."""
    weights = np.abs(summary.count)

    def bound(rate: float) -> float:
        return (_log_mgf(summary, rate * weights) - math.log(beta)) / rate

    return _least(bound, summary, weights)


def _log_tail(summary: Summary, n: int, m: float) -> float:
    """The least log of e^(−λ|excess|) E e^(λ·T) over λ, T the excess at the mean m."""
    observed = float(summary.excess(np.array([m]))[0])
    side = 1.0 if observed >= 0 else -1.0
    weights = side * summary.weights(np.array([m]))[:, 0]
    up, down = (summary.high - m, summary.low - m) if side > 0 else (m - summary.low, m - summary.high)
    share = -down / (up - down)

    def bound(rate: float) -> float:
        people = n * float(np.logaddexp(math.log1p(-share) + rate * down, math.log(share) + rate * up))
        return people + _log_mgf(summary, rate * weights) - rate * abs(observed)

    return min(0.0, _least(bound, summary, weights))


def _least(bound: Any, summary: Summary, weights: Floats) -> float:
    """The least value over the rates at which the noise has a moment generating function."""
    limits = [
        noise.largest_rate / abs(weight)
        for weight, noise in zip(weights.tolist(), summary.noises, strict=True)
        if weight != 0
    ]
    most = min([*limits, 1e3 / (summary.high - summary.low)])
    top = math.log(most * (1 - 1e-9))
    minimum = minimize_scalar(lambda log: bound(math.exp(log)), method="bounded", bounds=(top - 18, top))
    return float(minimum.fun)


def _log_mgf(summary: Summary, rates: Floats) -> float:
    """Log E e^(Σ rateᵢ·noiseᵢ), at most."""
    return sum(noise.log_mgf(rate) for rate, noise in zip(rates.tolist(), summary.noises, strict=True))
