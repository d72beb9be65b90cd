"""How many canaries of one run a claim lets anyone guess, for a claim with a whole trade-off curve  [MMC25].

Canary i is in by a fair coin Sᵢ; of m canaries exactly r are guessed from the output, W of them right; p_w = P[W = w].
Let g be the ceiling of the claim: P[E | x] ≤ g(P[E | x2]) for neighbors and every event E, with g concave and growing.
Fix i, the other coins, and a value s of Sᵢ. The event "i is guessed to be s, and at least v − 1 of the others are
right" has on Sᵢ = s the probability that i is right and W ≥ v, and on Sᵢ = 1 − s that i is wrong and W ≥ v − 1. The
ceiling holds between the two. Averaged over i, the other coins and s, by Jensen's inequality for the concave g:

    Σ_{w≥v} w·p_w / m  ≤  g( Σ_{j≥v−1} (r − j)·p_j / m )        for every v ≥ 1.                              (*)

The p-value of v₀ right guesses is the largest Σ_{w≥v₀} p_w that (*) allows. Mass above v₀ may be moved to v₀, and mass
at any place beyond what (*) asks for one place down: the left sides fall, the right sides of all lower v grow. So the
least total mass for a given τ = p_{v₀} puts at each place, from the top down, just what (*) asks, and τ is possible
exactly when that total is at most 1; the possible τ are an interval.
"""

import math

import numpy as np

from dalenius.audit.claim import Ceiling

_BELOW = 1 - 1e-12  # what a place must hold is rounded down, so that the p-value is rounded up


def tail_bound(claim: Ceiling, canaries: int, guesses: int, correct: int) -> float:
    """The most likely that a run under the claim has so many right of so many guesses, rounded up."""
    if correct <= 0:
        return 1.0
    low, high = 0.0, 1.0
    inverse = _Inverse(claim)
    if _possible(inverse, canaries, guesses, correct, high):
        return 1.0
    while high - low > 1e-9 + 1e-4 * high:
        middle = math.sqrt(low * high) if low > 0 else high / 8
        if middle < 1e-15:
            break
        if _possible(inverse, canaries, guesses, correct, middle):
            low = middle
        else:
            high = middle
    return high


class _Inverse:
    """The least P[E | x2] that a ceiling allows for a given P[E | x], rounded down."""

    def __init__(self, claim: Ceiling) -> None:
        self._growth = np.exp(np.array(claim.epsilons))
        self._slack = np.array(claim.deltas)

    def __call__(self, first: float) -> float:
        """Of every line, P ≤ e^ε Q + δ and P ≤ 1 − e^−ε (1 − δ − Q), solved for Q."""
        least = np.maximum((first - self._slack) / self._growth, 1 - self._slack - (1 - first) * self._growth)
        return max(0.0, float(least.max()) * _BELOW - 1e-15)


def _possible(inverse: _Inverse, canaries: int, guesses: int, correct: int, share: float) -> bool:
    """Whether P[W = correct] = share leaves a distribution that (*) allows, all places above being empty."""
    right, wrong, total = correct * share, (guesses - correct) * share, share
    for place in range(correct - 1, -1, -1):
        if right > canaries:
            return False
        missing = canaries * inverse(right / canaries) - wrong
        if missing > 0:
            mass = missing / (guesses - place)
            right, wrong, total = right + place * mass, wrong + missing, total + mass
            if total > 1:
                return False
    return True
