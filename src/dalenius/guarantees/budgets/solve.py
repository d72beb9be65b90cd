"""The other two questions of an accountant: how much noise, and how many releases."""

import math
from collections.abc import Callable
from fractions import Fraction

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees.guarantee import Guarantee, check_guarantee
from dalenius.numerics import Number, float_below, nonnegative, probability

MOST = 10**9
_START = 1024
_LEAST_SCALE, _LARGEST_SCALE = 2.0**-40, 2.0**60
_DIGITS = 12
_FAR = 0.05
"""How far from the δ wanted rough bounds decide a step of the search; nearer, and at both ends found, full ones do."""


@named_arguments
def most_repetitions(guarantee: Guarantee, epsilon: Number, delta: Number) -> int:
    """The largest n for which n releases are proved (ε, δ)-DP; at most 10⁹, which stands for "any number" too.

    δ grows with n, so the last n that is proved is found by doubling and bisection.
    """
    check_guarantee(guarantee)
    at, slack = _target(epsilon, delta)

    def holds(n: int) -> bool:
        repeated = guarantee.repeat(n)
        low, high = repeated.rough_delta_interval(at)
        return high <= slack or (low <= slack and repeated.delta(at) <= slack)

    low, high = 0, _START  # not from 1: few releases with a tiny δ are the slowest to certify
    while holds(high):
        low, high = high, 2 * high
        if low >= MOST:
            return MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@named_arguments
def least_scale(
    build: Callable[[Fraction], Guarantee], epsilon: Number, delta: Number, rtol: float = 1e-6
) -> tuple[Fraction, Fraction]:
    """Scales (below, above): `above` is proved to give (ε, δ)-DP, within rtol of `below`, which is not.

    `build` makes a guarantee from a noise scale, and more noise must give a smaller δ. Noise comes as a decimal of 12
    digits, so what is printed is what is proved.
    """
    at, slack = _target(epsilon, delta)
    if not 0 < rtol < 1:
        raise InvalidParameter(f"rtol must lie in (0, 1), got {rtol}")

    def gap(scale: float) -> float:
        """log(δ at this scale / δ wanted): positive where the noise is too small."""
        guarantee = build(_decimal(scale))
        low, high = guarantee.rough_delta_interval(at)
        near = not (high < slack * (1 - _FAR) or low > slack * (1 + _FAR))
        delta = guarantee.delta(at) if near else high if high <= slack else low
        if delta <= slack:
            return min(0.0, math.log(delta / slack)) if delta > 0 and slack > 0 else -1.0
        return math.log(delta / slack) if slack > 0 else 1.0

    low, high = _ends(gap)
    last, before = (low if abs(low[1]) < abs(high[1]) else high), (high if abs(low[1]) < abs(high[1]) else low)
    while high[0] > low[0] * (1 + rtol):
        scale = _next(low[0], high[0], last, before, rtol)
        last, before = (scale, gap(scale)), last
        low, high = (low, last) if last[1] <= 0 else (last, high)
    return _decimal(low[0]), _decimal(high[0])


def _target(epsilon: Number, delta: Number) -> tuple[float, float]:
    """(ε, δ) as floats at or below what was asked, so that what is proved for them holds for that."""
    return _read_below(nonnegative(epsilon, "epsilon")), _read_below(probability(delta, "delta"))


def _read_below(number: Fraction) -> float:
    """A float whose shortest decimal, which is what a guarantee reads, is at most the number."""
    near = float_below(number)
    return near if Fraction(repr(near)) <= number else math.nextafter(near, 0.0)


def _decimal(scale: float) -> Fraction:
    return Fraction(f"{scale:.{_DIGITS - 1}e}")


Point = tuple[float, float]
"""A scale, and log(δ there / δ wanted)."""


def _ends(gap: Callable[[float], float]) -> tuple[Point, Point]:
    """Two scales a factor 2 apart with the answer between them."""
    point = (1.0, gap(1.0))
    factor = 2.0 if point[1] > 0 else 0.5
    while True:
        scale = point[0] * factor
        if not _LEAST_SCALE <= scale <= _LARGEST_SCALE:
            raise InvalidParameter("no scale between 2^-40 and 2^60 meets this target")
        following = (scale, gap(scale))
        if (following[1] > 0) != (point[1] > 0):
            return (point, following) if point[1] > 0 else (following, point)
        point = following


def _next(low: float, high: float, last: Point, before: Point, rtol: float) -> float:
    """The secant of the last two points in (log scale, log δ).

    Put a third of rtol past the root so that it closes the bracket.

    Past it is on the side of the end that is further away. A secant that leaves the bracket gives way to its middle.
    """
    x, y = math.log(last[0]), math.log(before[0])
    slope = (last[1] - before[1]) / (x - y) if x != y else 0.0
    root = x - last[1] / slope if slope < 0 else math.inf
    left, right = math.log(low), math.log(high)
    root += rtol / 3 if right - root > root - left else -rtol / 3
    return math.exp(root) if left < root < right else math.exp((left + right) / 2)
