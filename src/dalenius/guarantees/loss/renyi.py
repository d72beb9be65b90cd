"""Rényi divergence of a composition from its moments."""

import math
from fractions import Fraction

from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.rounding import Uncertified
from dalenius.guarantees.loss.tilt import tilt
from dalenius.numerics import float_above

_NEAR_ONE = Fraction(1, 10**6)


def renyi_bound(composition: LossComposition, order: Fraction | float) -> float:
    """Upper bound on D_α = log E e^((α−1)L)/(α − 1); D₁ by a slightly larger order, as D rises in α  [vEH14, Thm 3]."""
    if composition.infinite[1] > 0:
        return math.inf
    if order == math.inf:
        return composition.largest
    s = float(max(Fraction(order) - 1, _NEAR_ONE))
    s = s if Fraction(s) >= order - 1 else math.nextafter(s, math.inf)
    total = float_above(composition.gaussian_square * (Fraction(s) + 1) / 2)
    try:
        for pair, count in composition.others:
            one = tilt(pair, s)
            total += count * (one.log_moment + one.log_moment_error) / s * (1 + 1e-14)
    except Uncertified:
        return composition.largest
    return min(total * (1 + 1e-14), composition.largest)
