"""ε-differential privacy in numbers: its δ at any ε, its ε at any δ, and the ρ and μ that follow from it."""

import math
from fractions import Fraction

from flint import arb

from dalenius.numerics import ball, ends, float_above, float_below, fraction_above, precision


def pure_delta(budget: Fraction, epsilon: Fraction) -> tuple[float, float]:
    """(e^ε₀ − e^ε)⁺ / (1 + e^ε₀)  [KOV15, Thm 3.2]."""
    if epsilon >= budget:
        return 0.0, 0.0
    with precision(128):
        # divided by e^ε₀ above and below, so that a large ε₀ cannot overflow
        gap = -(ball(epsilon - budget)).expm1()
        low, high = ends(gap / (1 + (-ball(budget)).exp()))
    return max(0.0, low), min(1.0, high)


def pure_epsilon(budget: Fraction, delta: Fraction) -> tuple[float, float]:
    """log(e^ε₀ − δ(1 + e^ε₀)), at least 0  [KOV15, Thm 3.2]."""
    if delta == 0:
        return float_below(budget), float_above(budget)
    if budget == 0:
        return 0.0, 0.0
    with precision(192 + _magnitude(budget)):
        # ε₀ + log(1 − δ − δe^−ε₀), the logarithm of each end: bounds even where the ball holds 0
        inside = ball(1 - delta) - ball(delta) * (-ball(budget)).exp()
        if not inside.upper() > 0:
            return 0.0, 0.0
        low = _logarithm(budget, inside.lower())[0] if inside.lower() > 0 else 0.0
        high = min(_logarithm(budget, inside.upper())[1], float_above(budget))
    return max(0.0, low), max(0.0, high)


def _logarithm(budget: Fraction, inside: arb) -> tuple[float, float]:
    enclosure = ball(budget) + inside.log()
    low, high = ends(enclosure)
    # a float given back to us means its shortest decimal, which may lie half an ulp to the wrong side
    if math.isfinite(high) and ball(Fraction(repr(high))) < enclosure.upper():
        high = math.nextafter(high, math.inf)
    if math.isfinite(low) and ball(Fraction(repr(low))) > enclosure.lower():
        low = math.nextafter(low, -math.inf)
    return low, high


def _magnitude(number: Fraction) -> int:
    """How many bits the number is away from 1."""
    return abs(number.numerator.bit_length() - number.denominator.bit_length())


def pure_to_rho(epsilon: Fraction) -> Fraction:
    """Least ρ for which ε-DP gives ρ-zCDP: ε·tanh(ε/2) ≤ ε²/2, rounded up  [A Thm 12.1; HM25].

    Randomized response is the worst case; with x = ε/2 its divergence of order α is
    (log cosh((2α−1)x) − log cosh x)/(α−1). As log cosh √t is concave in t, the numerator is at most its slope
    tanh(x)/(2x) at x² times (2α−1)²x² − x² = 4α(α−1)x²: so at most 2αx·tanh x = α·ε·tanh(ε/2), with equality as α
    → 1.
    """
    if epsilon == 0:
        return Fraction(0)
    with precision(160):
        return min(fraction_above(ball(epsilon) * (ball(epsilon) / 2).tanh()), epsilon * epsilon / 2)


def pure_to_mu(epsilon: Fraction) -> Fraction:
    """Least μ for which ε-DP gives μ-GDP: 2·Φ⁻¹(e^ε/(1+e^ε)), rounded up  [DRS22].

    f_ε is the polyline through (0, 1), (a, a) and (1, 0) with a = 1/(1+e^ε). G_μ is convex and passes through
    both ends, so it lies below f_ε everywhere exactly when G_μ(a) ≤ a.
    """
    if epsilon == 0:
        return Fraction(0)
    working = 256 + 3 * math.ceil(epsilon)
    with precision(working):
        down = (-ball(epsilon)).exp()
        tail: arb = 2 * down / (1 + down)
        return fraction_above(2 * arb(2).sqrt() * tail.erfcinv())
