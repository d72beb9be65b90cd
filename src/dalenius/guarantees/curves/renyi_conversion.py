"""From Rényi divergence to (ε, δ): every order gives a true bound, the best one found is taken."""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dalenius.guarantees.curves.pure_profile import pure_delta
from dalenius.guarantees.curves.renyi_curves import Curve
from dalenius.numerics import ball, precision, upper

_SCAN = tuple(Fraction(2) ** exponent for exponent in range(-10, 21))
_GOLDEN = (math.sqrt(5) - 1) / 2


def renyi_delta(curve: Curve, epsilon: Fraction) -> float:
    """δ at ε: least over orders of e^((α−1)(D_α − ε))·(1 − 1/α)^(α−1)/α, and the bounds by D_∞ and D₁.

    [CKS20, Prop 12]
    """
    limit = curve(math.inf)
    if limit <= epsilon:
        return 0.0
    best = _least_over_orders(lambda order: delta_at_order(order, curve(order), epsilon))
    return min(best, _by_divergence(curve(1)), _by_range(limit, epsilon))


def renyi_epsilon(curve: Curve, delta: Fraction) -> float:
    """ε at δ: least over orders of D_α + log(1 − 1/α) − log(δα)/(α−1), at least 0, at most D_∞  [CKS20, Prop 12]."""
    limit = curve(math.inf)
    if delta == 0 or limit == 0:
        return limit
    if delta >= 1 or _by_divergence(curve(1)) <= delta:
        return 0.0
    best = _least_over_orders(lambda order: epsilon_at_order(order, curve(order), delta))
    return max(0.0, min(best, limit))


def delta_at_order(order: Fraction, divergence: float, epsilon: Fraction) -> float:
    """e^((α−1)(D − ε))·(1 − 1/α)^(α−1)/α, rounded up, at most 1  [CKS20, Prop 12]."""
    if math.isinf(divergence):
        return 1.0
    with precision(96):
        tilt = ball(order - 1)
        exponent = tilt * (ball(divergence) - ball(epsilon) + ball(1 - 1 / order).log()) - ball(order).log()
        return min(1.0, upper(exponent.exp()))


def epsilon_at_order(order: Fraction, divergence: float, delta: Fraction) -> float:
    """D + log(1 − 1/α) − log(δα)/(α − 1), rounded up  [CKS20, Prop 12]."""
    if math.isinf(divergence):
        return math.inf
    with precision(96):
        return upper(ball(divergence) + ball(1 - 1 / order).log() - (ball(delta) * ball(order)).log() / ball(order - 1))


def classic_epsilon_at_order(order: Fraction, divergence: float, delta: Fraction) -> float:
    """D + log(1/δ)/(α − 1), rounded up: the bound of the notes, never below the tight one  [A Thm 12.2]."""
    if math.isinf(divergence):
        return math.inf
    with precision(96):
        return upper(ball(divergence) - ball(delta).log() / ball(order - 1))


def _by_divergence(divergence: float) -> float:
    """Total variation, δ(0), is at most √(D₁/2) and √(1 − e^−D₁): Pinsker, and Bretagnolle and Huber."""
    if math.isinf(divergence):
        return 1.0
    with precision(96):
        pinsker = (ball(divergence) / 2).sqrt()
        huber = (-(-ball(divergence)).expm1()).sqrt() if divergence > 0 else arb(0)
        return min(1.0, upper(pinsker), upper(huber))


def _by_range(limit: float, epsilon: Fraction) -> float:
    return 1.0 if math.isinf(limit) else pure_delta(Fraction(limit), epsilon)[1]


def _least_over_orders(value: Callable[[Fraction], float]) -> float:
    """Smallest value on a scan of α − 1 over powers of two, then by golden section of log(α − 1) around the best."""
    values: list[float] = []
    for tilt in _SCAN:
        values.append(value(1 + tilt))
        if len(values) > 5 and min(values[-5:]) > min(values):  # past the valley
            break
    best = min(range(len(values)), key=values.__getitem__)
    least = values[best]
    low, high = math.log(_SCAN[max(0, best - 1)]), math.log(_SCAN[min(len(_SCAN) - 1, best + 1)])
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = value(_order(left)), value(_order(right))
    for _ in range(16):
        least = min(least, at_left, at_right)
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = value(_order(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = value(_order(right))
    return least


def _order(log_tilt: float) -> Fraction:
    """1 + e^log_tilt to 10 bits: short fractions keep the arithmetic of a curve cheap."""
    mantissa, exponent = math.frexp(math.exp(log_tilt))
    return 1 + Fraction(round(mantissa * 2**10)) * Fraction(2) ** (exponent - 10)
