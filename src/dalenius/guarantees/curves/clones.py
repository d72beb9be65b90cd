"""The pair that hides one report among its clones, and its profile from both sides.

Shuffled reports of n people, each ε₀-DP, are a processing of this pair: C ~ Bin(n − 1, s) of the others send a clone of
one of the two reports in question, A ~ Bin(C, ½) of the first and C − A of the second; the person in question adds
one to the first count with probability α = e^ε₀/(1 + e^ε₀) under P, with 1 − α under Q  [FMT21, Thm 3.1]. s is
e^−ε₀ there, and 2/(e^ε₀ + 1) in the stronger form  [FMT23, WPW24].

Given C = c the first count is a with P(a) − e^ε Q(a) = k₁ b(a − 1) − k₂ b(a), b the masses of Bin(c, ½),
k₁ = α − e^ε(1 − α), k₂ = e^ε α − (1 − α). As b(a − 1)/b(a) = a/(c − a + 1), that is positive above
a₀ = ⌊(c + 1) k₂/(k₁ + k₂)⌋, and since k₂ − k₁ = e^ε − 1 the divergence is

    δ(ε) = Σ_c P[C = c] g(c),   g(c) = k₁ b(a₀) − (e^ε − 1) P[B > a₀],   B ~ Bin(c, ½).

From c to c + 1 the step of a₀ is 0 or 1, and b(a₀), P[B > a₀] and P[C = c] follow by ratios and sums of floats from
one c, where they are enclosed. Each step rounds a few times, and the bounds below count every rounding.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.numerics import ball, ends, floor_of, lower, precision, upper

Vector = NDArray[np.float64]

_UNIT = 2.0**-53
_WIDER = 1 + 2.0**-20  # covers the roundings of the error bounds themselves
_NEGLIGIBLE = 28.0  # what is left out of C is below e^−28 of what is summed
_DEEPEST = 250.0
_BITS = 128


@dataclass(frozen=True, slots=True)
class Coefficients:
    """k₁, k₂ and e^ε − 1 at a working precision."""

    k1: arb
    k2: arb
    growth: arb

    @classmethod
    def at(cls, local: Fraction, epsilon: Fraction) -> "Coefficients":
        """Those of ε₀ and ε < ε₀; k₁ = (e^ε₀ − e^ε)/(1 + e^ε₀) keeps its digits as ε nears ε₀."""
        down = (-ball(local)).exp()
        grown = ball(epsilon).exp()
        return cls(-ball(epsilon - local).expm1() / (1 + down), (grown - down) / (1 + down), ball(epsilon).expm1())


def clone_profile(others: int, rate: arb, local: Fraction, epsilon: Fraction) -> tuple[float, float]:
    """Bounds on δ(ε) of the pair with C ~ Bin(others, rate)."""
    if epsilon >= local:
        return 0.0, 0.0
    with precision(_BITS):
        k = Coefficients.at(local, epsilon)
        share = k.k2 / (k.k1 + k.k2)
        mode = min(others, floor_of((others + 1) * rate)[0])
        first = _thresholds(np.array([mode]), share)[0]
        above, above_error = tail_ratio(mode, int(first), arb(1))
        at_mode = k.k1 - k.growth * arb(above)
        log_anchor = log_binomial(mode, int(first), arb("0.5"))
        depth = _NEGLIGIBLE - float((log_anchor + _positive(at_mode).log()).mid())
        if depth > _DEEPEST:  # below 1e-90: δ at a smaller ε, which is no less, will do
            return 0.0, clone_profile(others, rate, local, _nearer(epsilon, depth))[1]
        low, high, outside = range_of(others, rate, mode, depth)
        counts = np.arange(low, high + 1, dtype=np.float64)
        total, error = _sum(counts, mode - low, others, rate, share, k, (above, above_error))
        scale = (log_binomial(others, mode, rate) + log_anchor).exp()
        inside = ends(scale * arb(max(total - error, 0.0)))[0], ends(scale * arb(total + error))[1]
        return max(0.0, inside[0]), min(1.0, upper(ball(inside[1]) + outside * k.k1))


def response_profile(others: int, local: Fraction, epsilon: Fraction, values: int = 2) -> float:
    """A lower bound on δ(ε) of n shuffled k-ary responses, by how many reports are one value.

    With two values it is a bound that none for all ε₀-DP reports can be below. No other person holds the value, so
    their reports of it are Bin(n − 1, q), q = 1/(e^ε₀ + k − 1); the person in question reports it with p = e^ε₀ q under
    P and q under Q. P(s) − e^ε Q(s) is k₁ b(s − 1) − k₂ b(s) with k₁ = p − e^ε q, k₂ = e^ε(1 − q) − (1 − p), and the
    divergence of any event is a bound. The other direction counts the reports that are not the value.
    """
    if epsilon >= local:
        return 0.0
    with precision(_BITS):
        grown, e, growth = ball(local).exp(), ball(epsilon).exp(), ball(epsilon).expm1()
        other = 1 / (grown + values - 1)
        truth = grown * other
        one = Coefficients(truth - e * other, e * (1 - other) - (1 - truth), growth)
        rest = Coefficients((1 - other) - e * (1 - truth), e * truth - other, growth)
        delta = _response_direction(others, other, one)
        return max(delta, _response_direction(others, 1 - other, rest) if rest.k1 > 0 else 0.0)


def tail_ratio(trials: int, at: int, odds: arb) -> tuple[float, float]:
    """Σ_{j>at} b(j)/b(at) for a binomial with these odds, where the ratios are below 1; and a bound on its error.

    The j-th term is a product of ratios (trials − at − i)/(at + 1 + i)·odds, which fall: what is beyond the last one
    kept is below a geometric series.
    """
    left, factor = trials - at, float(odds.mid())
    total, size, last = 0.0, 0, 1.0
    while left > size:
        steps = np.arange(size, min(left, size + 2048), dtype=np.float64)
        ratios = (trials - at - steps) / (at + 1 + steps) * factor
        with np.errstate(under="ignore"):
            terms = last * np.cumprod(ratios)
        total, size, last = total + float(terms.sum()), size + len(steps), float(terms[-1])
        if last <= 1e-22 * total:
            ratio = min(float(ratios[-1]), 1 - 1e-9)
            beyond = last * ratio / (1 - ratio)
            break
    else:
        beyond = 0.0
    # each term has at most five roundings a step, and the sum one a term
    return total, (total * 8 * (size + 4) * _UNIT + 2 * beyond + size * 2.0**-1000) * _WIDER


def log_binomial(trials: int, at: int, chance: arb) -> arb:
    """The logarithm of P[Bin(trials, chance) = at]."""
    choose = ball(trials + 1).lgamma() - ball(at + 1).lgamma() - ball(trials - at + 1).lgamma()
    return choose + _times(at, chance) + _times(trials - at, 1 - chance)


def _nearer(epsilon: Fraction, depth: float) -> Fraction:
    """A smaller ε: the logarithm of δ is about −ε², and four fifths at least get there soon."""
    return epsilon * Fraction(min(0.8, 0.9 * (_DEEPEST / depth) ** 0.5)).limit_denominator(1000)


def _times(count: int, chance: arb) -> arb:
    return count * chance.log() if count else arb(0)


def _positive(number: arb) -> arb:
    """The number, or where it is not proved positive its upper end: used for a range, not for a bound."""
    return number if number > 0 else arb(max(upper(abs(number)), 1e-300))


def _response_direction(others: int, chance: arb, k: Coefficients) -> float:
    weight = k.k2 * chance
    at = min(others, floor_of((others + 1) * weight / (k.k1 * (1 - chance) + weight))[0])
    above, error = tail_ratio(others, at, chance / (1 - chance))
    gain = k.k1 - k.growth * (ball(above) + ball(error))
    return max(0.0, lower(log_binomial(others, at, chance).exp() * gain))


def _thresholds(counts: NDArray[np.int64], share: arb) -> NDArray[np.int64]:
    """⌊(c + 1)·share⌋, where a float cannot tell by the enclosure."""
    points = (counts + 1.0) * float(share.mid())
    nearest = np.rint(points)
    floors: NDArray[np.int64] = np.floor(points).astype(np.int64)
    for at in np.flatnonzero(np.abs(points - nearest) <= 16 * _UNIT * (points + 1)):
        floors[at] = floor_of((int(counts[at]) + 1) * share)[0]  # an exact tie's term is 0: either will do
    return floors


def range_of(others: int, rate: arb, mode: int, depth: float) -> tuple[int, int, arb]:
    """(low, high, bound): C lies outside of [low, high] with at most this probability, about e^−depth."""
    spread = float((others * rate * (1 - rate)).mid()) ** 0.5 + 1
    reach = int(spread * (2 * depth) ** 0.5 + depth) + 1
    low, high = max(0, mode - reach), min(others, mode + reach)
    bound = arb(0)
    if low > 0:
        bound += (-_divergence(others, low - 1, rate)).exp()
    if high < others:
        bound += (-_divergence(others, high + 1, rate)).exp()
    return low, high, bound


def _divergence(trials: int, at: int, chance: arb) -> arb:
    """KL(at/trials, chance), times the trials: both tails of a binomial are below e to the minus it  [Hoe63, Thm 1]."""
    share = ball(Fraction(at, trials))
    own = at * (share / chance).log() if at else arb(0)
    return own + ((trials - at) * ((1 - share) / (1 - chance)).log() if at < trials else arb(0))


def _sum(
    counts: Vector,
    anchor: int,
    others: int,
    rate: arb,
    share: arb,
    k: Coefficients,
    above: tuple[float, float],
) -> tuple[float, float]:
    """Σ_c g(c) P[C = c], divided by b(a₀) and P[C = c] at the anchor, and a bound on its error."""
    thresholds = _thresholds(counts.astype(np.int64), share)
    stays = np.diff(thresholds) == 0
    c, a = counts[:-1], thresholds[:-1].astype(np.float64)
    with np.errstate(under="ignore"):
        masses = walk((c + 1) / (2 * np.where(stays, c + 1 - a, a + 1)), anchor)
        odds = float((rate / (1 - rate)).mid())
        weights = walk((others - c) / (c + 1) * odds, anchor)
        steps = 0.5 * masses[:-1] * np.where(stays, 1.0, -(c - a) / (a + 1))
        sums = np.concatenate([[0.0], np.cumsum(steps)])
        tails = above[0] + (sums - sums[anchor])
        k1, growth = float(k.k1.mid()), float(k.growth.mid())
        gains = k1 * masses - growth * tails
        total = float((weights * np.maximum(gains, 0.0)).sum())
    distance = np.abs(np.arange(len(counts)) - anchor) + 4.0
    moved = np.concatenate([[0.0], np.cumsum(np.abs(steps))])
    # a mass or weight has six roundings a step, a sum one a term besides those of its terms
    tail_error = above[1] + 8 * _UNIT * len(counts) * (above[0] + 2 * moved[-1])
    each = k1 * masses * 8 * distance * _UNIT + growth * (tail_error + 4 * _UNIT * np.abs(tails))
    error = float((weights * each).sum()) + float((weights * np.abs(gains) * 10 * distance * _UNIT).sum())
    sunk = len(counts) * 2.0**-1000 * (float(masses.max()) + 1)
    return total, (error + len(counts) * _UNIT * total + sunk) * _WIDER


def walk(ratios: Vector, anchor: int) -> Vector:
    """Products of ratios of neighbors from the anchor, which is 1, to both sides."""
    right = np.cumprod(ratios[anchor:])
    left = np.cumprod(1 / ratios[:anchor][::-1])[::-1]
    return np.concatenate([left, [1.0], right])
