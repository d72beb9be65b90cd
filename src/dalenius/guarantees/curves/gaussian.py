"""The pair N(0, 1), N(μ, 1): its profile and trade-off function, in enclosures."""

import math
from fractions import Fraction

from flint import arb
from scipy.special import log_ndtr

from dalenius.numerics import ball, settled


def gaussian_profile(square: Fraction, epsilon: Fraction) -> arb:
    """δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), with μ = √square > 0  [BW18, Thm 8; A Prop 13.9]."""

    def difference() -> arb:
        mu = ball(square).sqrt()
        ratio = ball(epsilon) / mu
        return normal_cdf(mu / 2 - ratio) - ball(epsilon).exp() * normal_cdf(-mu / 2 - ratio)

    return settled(difference)


def gaussian_tradeoff(square: Fraction, alpha: Fraction) -> arb:
    """G_μ(α) = Φ(Φ⁻¹(1 − α) − μ) for 0 < α < 1  [A Ex 13.3]."""
    return settled(lambda: normal_cdf(upper_quantile(ball(alpha)) - ball(square).sqrt()), limit=2048)


def normal_cdf(x: arb) -> arb:
    """Φ(x) = erfc(−x/√2)/2: no cancellation in either tail."""
    return (-x / arb(2).sqrt()).erfc() / 2


def upper_quantile(tail: arb) -> arb:
    """Z with P[N(0, 1) > z] = tail."""
    return arb(2).sqrt() * (2 * tail).erfcinv()


def guess_gaussian_epsilon(mu: float, delta: float) -> float | None:
    """ε(δ) of the pair in floats, by bisection of log δ: a start for the search, no proof."""
    if not (1e-150 < mu < 1e150 and 0 < delta < 1):
        return None
    goal = math.log(delta)
    low, high = 0.0, 1.0
    while _log_profile(mu, high) > goal:
        low, high = high, high * 2
        if high > 1e300:
            return None
    for _ in range(80):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _log_profile(mu, middle) > goal:
            low = middle
        else:
            high = middle
    return high


def _log_profile(mu: float, epsilon: float) -> float:
    first = float(log_ndtr(mu / 2 - epsilon / mu))
    second = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    gap = second - first
    return first + math.log(-math.expm1(gap)) if gap < 0 else -math.inf
