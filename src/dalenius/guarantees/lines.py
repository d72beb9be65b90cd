"""From the (ε, δ) profile to the trade-off function: the best supporting line."""

import math
from collections.abc import Callable
from fractions import Fraction

from dalenius.numerics import ball, lower, precision


def best_line(delta: Callable[[float], float], alpha: Fraction) -> float:
    """Largest max(0, 1 − δ(ε) − e^ε α, e^−ε (1 − δ(ε) − α)) found over ε ≥ 0, rounded down  [A Thm 3.4, A Prop 13.8].

    Every ε gives a true bound, so the search proves nothing and need not.
    """
    steep = _climb(lambda epsilon: _steep_line(epsilon, delta(epsilon), alpha))
    flat = _climb(lambda epsilon: _flat_line(epsilon, delta(epsilon), alpha))
    return max(0.0, steep, flat)


def _steep_line(epsilon: float, delta: float, alpha: Fraction) -> float:
    with precision(96):
        return lower(1 - ball(delta) - ball(epsilon).exp() * ball(alpha))


def _flat_line(epsilon: float, delta: float, alpha: Fraction) -> float:
    with precision(96):
        return lower((-ball(epsilon)).exp() * (1 - ball(delta) - ball(alpha)))


def _climb(line: Callable[[float], float]) -> float:
    """The best value on a scan of log ε, then by golden section around it."""
    scan = [0.0, *(2.0**exponent for exponent in range(-20, 10))]
    values = [line(epsilon) for epsilon in scan]
    best = max(range(len(scan)), key=values.__getitem__)
    low, high = scan[max(0, best - 1)], scan[min(len(scan) - 1, best + 1)]
    ratio = (math.sqrt(5) - 1) / 2
    peak = values[best]
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = line(left), line(right)
    for _ in range(48):
        peak = max(peak, at_left, at_right)
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = line(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = line(right)
    return peak
