"""From δ(ε) to ε(δ): a monotone search whose two ends are each proved by one evaluation."""

import math
from collections.abc import Callable
from fractions import Fraction

from dalenius.errors import InvalidParameter

Profile = Callable[[float], tuple[float, float]]
"""ε to proven bounds (lower, upper) on δ(ε), which falls as ε grows."""

_LARGEST = math.nextafter(math.inf, 0.0)
_TINY = 2.0**-1074
_STEPS = 2300  # bisection of the positive floats, doubling included, ends long before


def invert_profile(profile: Profile, delta: Fraction, rtol: float, guess: float | None = None) -> tuple[float, float]:
    """(low, high) with δ(low) > delta (or low = 0) and δ(high) ≤ delta proved, within rtol where it can be.

    δ falls in ε, so the smallest ε lies between. A profile that cannot decide between the two leaves the interval
    wider.
    """
    width(rtol)
    at_zero = profile(0.0)
    if at_zero[1] <= delta:
        return 0.0, 0.0
    start = guess if guess is not None and 0.0 < guess < math.inf else 1.0
    spread = min(rtol / 4, 1e-12) if start is guess else 1.0
    high = _upper_end(profile, delta, start, spread)
    low = _lower_end(profile, delta, min(start, high), spread) if at_zero[0] > delta else 0.0
    if high == math.inf:
        return low, high
    undecided = high
    for _ in range(_STEPS):
        if undecided - low <= rtol * undecided:
            break
        middle = _between(low, undecided)
        if not low < middle < undecided:
            break
        below, above = profile(middle)
        if above <= delta:
            high = undecided = middle
        elif below > delta:
            low = middle
        else:
            undecided = middle
    return low, _shrunk(profile, delta, max(low, undecided), high, rtol)


def width(rtol: float) -> float:
    """A relative width in (0, 1), or a named refusal."""
    if not 0.0 < rtol < 1.0:
        raise InvalidParameter(f"rtol must lie in (0, 1), got {rtol}")
    return rtol


def _upper_end(profile: Profile, delta: Fraction, start: float, spread: float) -> float:
    """An ε with δ(ε) ≤ delta proved, growing from `start`; infinity if there is none below the largest float."""
    epsilon = start * (1 + spread)
    while epsilon < _LARGEST:
        if profile(epsilon)[1] <= delta:
            return epsilon
        spread = min(1.0, spread * 8)
        epsilon = min(_LARGEST, epsilon * (1 + spread))
        if epsilon > 1e15 and spread == 1.0:
            epsilon = min(_LARGEST, epsilon * epsilon)
    return epsilon if profile(epsilon)[1] <= delta else math.inf


def _lower_end(profile: Profile, delta: Fraction, start: float, spread: float) -> float:
    """An ε with δ(ε) > delta proved, falling from `start`; 0 is known to be one."""
    epsilon = start * (1 - min(spread, 0.5))
    while epsilon > _TINY:
        if profile(epsilon)[0] > delta:
            return epsilon
        spread = min(0.5, spread * 8)
        epsilon *= 1 - spread
        if epsilon < 1e-15:
            epsilon *= epsilon
    return 0.0


def _between(low: float, high: float) -> float:
    if low > 0 and high > 4 * low:
        return math.sqrt(low) * math.sqrt(high)
    return low / 2 + high / 2 if low > 0 else high / 16


def _shrunk(profile: Profile, delta: Fraction, low: float, high: float, rtol: float) -> float:
    """The smallest proved upper end between an undecided ε and a proved one."""
    for _ in range(_STEPS):
        if high - low <= rtol * high:
            break
        middle = _between(low, high)
        if not low < middle < high:
            break
        if profile(middle)[1] <= delta:
            high = middle
        else:
            low = middle
    return high
