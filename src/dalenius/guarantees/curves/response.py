"""Products of randomized responses: the worst case of composing (ε, 0)-DP mechanisms.

Every ε-DP mechanism is a processing of randomized response with p = e^ε/(1+e^ε)  [KOV15, Thm 3.2], so the profile of
the product is the tight profile of the composition.
"""

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb
from scipy.special import bdtrc

from dalenius.guarantees.curves.lattice import LossLattice
from dalenius.numerics import ball, ends, precision, settled

_FEW = 48
Responses = tuple[tuple[Fraction, int], ...]
"""(ε, count) with ε > 0 and count ≥ 1, each ε once, in growing order."""


def response_profile(responses: Responses, epsilon: Fraction) -> tuple[float, float]:
    """Bounds on H_{e^ε} between the two products."""
    if epsilon >= sum(each * times for each, times in responses):
        return 0.0, 0.0
    if len(responses) == 1:
        return ends(equal_responses(*responses[0], epsilon))
    return _lattice(responses).profile(epsilon)


def equal_responses(each: Fraction, times: int, epsilon: Fraction) -> arb:
    """H_{e^ε} for `times` equal responses: P[X ≥ l] − e^ε P[times − X ≥ l], X ~ Bin(times, p)  [KOV15, Thm 3.3].

    l is the first count with (2l − times)·each > ε; both tails are regularized incomplete beta functions.
    """
    first = math.floor((epsilon / each + times) / 2) + 1
    if first > times:
        return arb(0)
    if times - first < _FEW:
        return settled(lambda: _few_terms(each, times, epsilon, first))

    def difference() -> arb:
        p, rest = _odds(each)
        a, b = ball(first), ball(times - first + 1)
        return p.beta_lower(a, b, True) - ball(epsilon).exp() * rest.beta_lower(a, b, True)

    return settled(difference)


def _few_terms(each: Fraction, times: int, epsilon: Fraction, first: int) -> arb:
    """Σ C(k,l) p^l r^(k−l) (1 − e^(ε − (2l−k)ε₀)) from the top down: no term is negative, so nothing cancels."""
    p, rest = _odds(each)
    total, weight = arb(0), p**times
    for count in range(times, first - 1, -1):
        total -= weight * ball(epsilon - (2 * count - times) * each).expm1()
        weight *= ball(Fraction(count, times - count + 1)) * rest / p
    return total


def guess_epsilon(each: Fraction, times: int, delta: float) -> float:
    """ε at which `times` equal responses reach delta, in floats: a start for the search, no proof."""
    step = float(each)
    p = 1 / (1 + math.exp(-step)) if step < 700 else 1.0
    low, high = times // 2, times  # δ at the breakpoint (2·low − times)·each is above delta, at high below
    while high - low > 1:
        middle = (low + high) // 2
        at = (2 * middle - times) * step
        if at > 700 or bdtrc(middle, times, p) - math.exp(at) * bdtrc(middle, times, 1 - p) <= delta:
            high = middle
        else:
            low = middle
    above, below = bdtrc(low, times, p) - delta, bdtrc(low, times, 1 - p)
    if not (above > 0 and below > 0):
        return times * step  # out of the floats' range: start from the sum
    return float(min(max(math.log(above) - math.log(below), 0.0), times * step))


def _odds(each: Fraction) -> tuple[arb, arb]:
    down = (-ball(each)).exp()
    return 1 / (1 + down), down / (1 + down)


@lru_cache(maxsize=64)
def _lattice(responses: Responses) -> LossLattice:
    lattice = LossLattice.fitting(responses)
    for each, times in responses:
        with precision(128):
            lattice = lattice.with_responses(each, times, ends(_odds(each)[0]), ends(_odds(each)[1]))
    return lattice
