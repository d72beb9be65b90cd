"""From the (ε, δ) profile to the trade-off function: the best supporting line."""

import math
from collections.abc import Callable
from fractions import Fraction

from dalenius.numerics import ball, lower, precision


def best_line(delta: Callable[[float], float], alpha: Fraction) -> float:
    """Largest max(0, 1 − δ(ε) − e^ε α, e^−ε (1 − δ(ε) − α)) found over ε ≥ 0, rounded down  [A Thm 3.4, A Prop 13.8].

    Every ε gives a true bound, so the search proves nothing and need not.
    """
    if alpha == 1:
        return 0.0
    return max(0.0, _climb(lambda tilt: _line(tilt, delta(abs(tilt)), alpha)))


def _line(tilt: float, delta: float, alpha: Fraction) -> float:
    """The line of slope −e^tilt that δ(|tilt|) proves, at alpha."""
    with precision(96):
        if tilt >= 0:
            return lower(1 - ball(delta) - ball(tilt).exp() * ball(alpha))
        return lower(ball(tilt).exp() * (1 - ball(delta) - ball(alpha)))


def _climb(line: Callable[[float], float]) -> float:
    """The largest value found by golden section: the height of a supporting line is concave in its slope."""
    low, high, peak = _bracket(line)
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = line(left), line(right)
    for _ in range(24):
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


def _bracket(line: Callable[[float], float]) -> tuple[float, float, float]:
    """(low, high, a value between): uphill from 0 in doubling steps, until it falls."""
    ahead = 0.25 if line(0.25) >= line(-0.25) else -0.25
    previous, best, peak = -ahead, 0.0, line(0.0)
    for _ in range(14):
        value = line(ahead)
        if value <= peak:  # also where floats can tell no more
            break
        previous, best, peak = best, ahead, value
        ahead *= 2
    return min(previous, ahead), max(previous, ahead), peak
