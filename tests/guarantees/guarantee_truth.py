"""Truth from elsewhere: mpmath at 60 digits, and enumeration. Shares nothing with the package."""

from collections.abc import Sequence
from itertools import product

import mpmath as mp

mp.mp.dps = 60


def number(value) -> mp.mpf:
    return mp.mpf(str(value))


def gaussian_delta(mu, epsilon) -> mp.mpf:
    mu, epsilon = number(mu), number(epsilon)
    with mp.workdps(120):
        return mp.ncdf(mu / 2 - epsilon / mu) - mp.e**epsilon * mp.ncdf(-mu / 2 - epsilon / mu)


def gaussian_epsilon(mu, delta) -> mp.mpf:
    """By bisection of the profile."""
    low, high = mp.mpf(0), mp.mpf(1)
    while gaussian_delta(mu, high) > number(delta):
        high *= 2
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(mu, middle) > number(delta) else (low, middle)
    return high


def equal_responses_delta(each, times: int, epsilon) -> mp.mpf:
    """Σ C(k,l)(e^lε₀ − e^(ε+(k−l)ε₀))⁺/(1+e^ε₀)^k, term by term."""
    each, epsilon = number(each), number(epsilon)
    total = mp.mpf(0)
    for l in range(times + 1):  # noqa: E741
        gap = mp.e ** (l * each) - mp.e ** (epsilon + (times - l) * each)
        if gap > 0:
            total += mp.binomial(times, l) * gap
    return total / (1 + mp.e**each) ** times


def responses_delta(budgets: Sequence, epsilon, deltas: Sequence = ()) -> mp.mpf:
    """All 2^k answers of randomized responses one by one, and the chance that nothing was given away."""
    epsilon = number(epsilon)
    truths = [mp.e ** number(b) / (1 + mp.e ** number(b)) for b in budgets]
    total = mp.mpf(0)
    for answers in product((0, 1), repeat=len(truths)):
        p = mp.fprod(t if a else 1 - t for a, t in zip(answers, truths, strict=True))
        q = mp.fprod(1 - t if a else t for a, t in zip(answers, truths, strict=True))
        total += max(mp.mpf(0), p - mp.e**epsilon * q)
    kept = mp.fprod(1 - number(d) for d in deltas)
    return 1 - kept * (1 - total)


def hockey_stick(p: Sequence, q: Sequence, epsilon) -> mp.mpf:
    """Σ (p − e^ε q)⁺, which counts p's mass where q is 0."""
    factor = mp.e ** number(epsilon)
    return mp.fsum(max(mp.mpf(0), number(x) - factor * number(y)) for x, y in zip(p, q, strict=True))


def renyi(p: Sequence, q: Sequence, order) -> mp.mpf:
    order = number(order)
    total = mp.mpf(0)
    for x, y in zip(p, q, strict=True):
        if x and not y:
            return mp.inf
        if x:
            total += number(y) * (number(x) / number(y)) ** order
    return mp.log(total) / (order - 1)


def between(interval: tuple[float, float], truth, width: float = 1e-6) -> bool:
    """The truth lies in the interval, and the interval is narrow."""
    low, high = interval
    return low <= truth <= high and high - low <= width * high
