"""The privacy blanket of k-ary randomized response, and its profile from both sides.

Each report is a uniform value with probability γ = k/(e^ε₀ + k − 1), whatever the person holds: those reports are the
blanket. With L(w) = (R₀(w) − e^ε R₁(w))·k for two values 0 and 1, shuffled reports have
δ(ε) ≤ E[(Σ_{i≤M} L(W_i))₊]/(γn), M ~ Bin(n, γ), W_i uniform  [BBGN19, Lem 5.3].

L takes three values: l₀ at 0, l₁ at 1, l₂ elsewhere. Of the n people c are blankets at 0 or 1, with probability 2γ/k
each, r are blankets elsewhere, and u ~ Bin(c, ½) of the c stand at 0. Given c, sums over u from the top give the
expectation for every r at once; a float's error in them is counted.
"""

from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.guarantees.curves.clones import log_binomial, range_of, walk
from dalenius.numerics import ball, floor_of, lower, precision, upper

Vector = NDArray[np.float64]
_UNIT = 2.0**-53
_WIDER = 1 + 2.0**-20
_DEPTH = 60.0


def blanket_profile(reports: int, values: int, local: Fraction, epsilon: Fraction) -> tuple[float, float]:
    """Bounds on the blanket's δ(ε) for n reports over k values."""
    if epsilon >= local:
        return 0.0, 0.0
    with precision(128):
        grown = ball(local).exp()
        whole = grown + values - 1
        truth, other = values * grown / whole, values / whole
        blanket, e = ball(values) / whole, ball(epsilon).exp()
        gains = truth - e * other, other - e * truth, -other * ball(epsilon).expm1()
        near, far = 2 * blanket / values, blanket * (values - 2) / values
        counts, weights, missed = _masses(reports, near)
        total = error = 0.0
        for c, weight in zip(counts.tolist(), weights.tolist(), strict=True):
            value, slack = _given(int(c), reports, far / (1 - near), values > 2, gains)
            total += weight * value
            error += weight * (slack + value * 16 * (len(counts) + 4) * _UNIT)
        scale = 1 / (blanket * reports)
        outside = (missed + 8 * (-ball(Fraction(int(_DEPTH)))).exp()) * gains[0] / blanket
        low = lower(scale * ball(max(0.0, total - error * _WIDER)))
        return max(0.0, low), min(1.0, upper(scale * ball(total + error * _WIDER) + outside))


def _given(c: int, reports: int, chance: arb, several: bool, gains: tuple[arb, arb, arb]) -> tuple[float, float]:
    """E[(u l₀ + (c − u) l₁ + r l₂)₊] over u ~ Bin(c, ½) and r ~ Bin(n − c, chance), and a bound on its error."""
    l0, l1, l2 = (float(gain.mid()) for gain in gains)
    u, masses, _ = _masses(c, arb("0.5"))
    tops = np.concatenate([np.cumsum(masses[::-1])[::-1], [0.0]])  # Σ over u from each place on
    sums = np.concatenate([np.cumsum((masses * u)[::-1])[::-1], [0.0]])
    r, weights = (np.zeros(1), np.ones(1))
    if several:
        r, weights, _ = _masses(reports - c, chance)
    first = np.clip(np.floor((-c * l1 - r * l2) / (l0 - l1)) + 1 - u[0], 0, len(u)).astype(np.int64)
    held, mass = sums[first], tops[first]
    values = np.maximum(l0 * held + l1 * (c * mass - held) + l2 * r * mass, 0.0)
    size = abs(l0) * held + abs(l1) * (c * mass + held) + abs(l2) * r * mass
    rounding = 16 * _UNIT * (len(u) + len(r) + 8)
    return float((weights * values).sum()), float((weights * size).sum()) * rounding * _WIDER + 2.0**-900


def _masses(trials: int, chance: arb) -> tuple[Vector, Vector, arb]:
    """Counts of a binomial but for e^−60 of it, their masses, and a bound on what is left out."""
    mode = min(trials, floor_of((trials + 1) * chance)[0])
    low, high, missed = range_of(trials, chance, mode, _DEPTH)
    counts = np.arange(low, high + 1, dtype=np.float64)
    odds = float((chance / (1 - chance)).mid())
    with np.errstate(under="ignore"):
        masses = walk((trials - counts[:-1]) / (counts[:-1] + 1) * odds, mode - low)
    return counts, masses * float(log_binomial(trials, mode, chance).exp().mid()), missed
