"""Permute and flip: a choice that is never worse than the exponential mechanism's.

Go through the candidates in a random order; stop at candidate i with probability p_i = exp((u_i − max u) / scale). The
place of i in the order is a uniform time t, and each other j stands before it with probability t and is then passed
over with probability 1 − p_j. So

    P[i] = p_i ∫₀¹ Π_{j≠i} (1 − p_j t) dt.

Report noisy max with exponential noise has the same law  [DKX+21]. Let X_j = E_j − (max u − u_j)/scale with E_j
standard exponential. Candidates with the largest score have X ≥ 0, so the largest X is some x ≥ 0, where X_i has
density p_i e^−x and P[X_j < x] = 1 − p_j e^−x; with t = e^−x, P[i has the largest] is the integral above. Hence one
sampler serves both, and no exponential variable has to be drawn or compared.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.guarantees import PureDP
from dalenius.mechanisms.selection import (
    AnyUtilities,
    MonotoneUtilities,
    Scores,
    Selection,
    counted,
    level,
    whole_scores,
)
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits, Choice
from dalenius.noise.lazy import LazyUniform, below
from dalenius.numerics import Number, ball, fraction_above, positive, precision

_MARGIN = 2.0**-38


class Flips(Selection):
    """Candidate i with probability p_i ∫₀¹ Π_{j≠i} (1 − p_j t) dt, p_i = exp((score_i − best) / scale)."""

    __slots__ = ()

    def release(self, answer: Scores, bits: Bits) -> int:
        """The first candidate, in a uniform order, whose coin of chance p_i falls  [MS20]."""
        whole = whole_scores(answer)
        order = uniform_order(bits, len(whole))
        digits = bits.words(np.uint64, len(whole))
        chance, drawn = Choice(whole, 1 / self.scale).weights(), digits * 2.0**-64
        # the float chance is off by less than 2⁻⁴⁰, and the word by less than 2⁻⁵²
        certain, open_ = drawn < chance - _MARGIN, np.abs(drawn - chance) <= _MARGIN
        best = max(whole)
        for at in order:
            if certain[at] or whole[at] == best:
                return int(at)
            if open_[at]:
                gap = (best - whole[at]) / self.scale
                if below(LazyUniform(bits, int(digits[at]), 64), lambda gap=gap: (-ball(gap)).exp()):  # type: ignore[misc]
                    return int(at)
        raise AssertionError("the best candidate's coin always falls")  # pragma: no cover

    def probabilities(self, scores: Scores) -> list[arb]:
        """All P[i], as enclosures at the working precision: the integral of a polynomial  [MS20, DKX+21]."""
        whole = whole_scores(scores)
        best = max(whole)
        p = [ball(Fraction(score - best) / self.scale).exp() for score in whole]
        return [
            p[i] * sum((c / (k + 1) for k, c in enumerate(_product(p[:i] + p[i + 1 :]))), arb(0)) for i in range(len(p))
        ]

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> PureDP:
        """ε = 2Δ/scale, for monotone utilities Δ/scale  [MS20].

        As noisy max: fix the noise of all but i. Then i wins when E_i ≥ r for some r, and on the neighbor when E_i ≥
        r + c at the latest, c the spread over the scale; P[E_i ≥ r + c] ≥ e^−c P[E_i ≥ r], whatever the sign of r.
        """
        return PureDP(self.spread(sensitivity, relation) / self.scale, relation)

    def accuracy(self, beta: Number, candidates: int, optima: int = 1) -> Fraction:
        """An r for which P[the best score − that of the chosen > r] ≤ beta, rounded up  [MS20, A Thm 7.2].

        A candidate at gap g can win only if its E exceeds the largest of the m optima's by g/scale, which has chance
        e^(−g/scale)/(m + 1); so r = scale · log((n − m)/((m + 1)·beta)), below that of the exponential mechanism.
        """
        (n, m), chance = counted(candidates, optima), level(beta)
        odds = Fraction(n - m, m + 1) / chance
        if odds <= 1:
            return Fraction(0)
        with precision(128):
            return fraction_above(ball(self.scale) * ball(odds).log())

    def expected_gap(self, candidates: int) -> Fraction:
        """At least E[the best score − that of the chosen]: scale · (1/2 + … + 1/n)  [MS20].

        The gap is at most scale · (E of the winner − E of an optimum), and the largest of n has mean 1 + 1/2 + … + 1/n.
        """
        n, _ = counted(candidates)
        return self.scale * sum((Fraction(1, k) for k in range(2, n + 1)), Fraction(0))


@dataclass(frozen=True, slots=True)
class PermuteAndFlip(Flips, AnyUtilities):
    """Permute and flip: ε = 2Δ/scale; its expected gap is never above the exponential mechanism's  [MS20].

    >>> from dalenius.neighbors import Metric
    >>> PermuteAndFlip(Fraction(2)).guarantee(Sensitivity(1, Metric.LINF))
    PureDP(1)
    """

    scale: Fraction

    name: ClassVar[str] = "permute and flip"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))


@dataclass(frozen=True, slots=True)
class MonotonePermuteAndFlip(Flips, MonotoneUtilities):
    """Permute and flip for utilities that no added unit lowers, under ADD_REMOVE: ε = Δ/scale  [MS20]."""

    scale: Fraction

    name: ClassVar[str] = "monotone permute and flip"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))


def uniform_order(bits: Bits, size: int) -> NDArray[np.int64]:
    """A permutation, uniform: the order of independent words, drawn again if two are equal.

    Given that all differ, every order of them is equally likely.
    """
    while True:
        keys = bits.words(np.uint64, size)
        order = np.argsort(keys, kind="stable")
        if not (np.diff(keys[order]) == 0).any():
            return order


def _product(p: list[arb]) -> list[arb]:
    """The coefficients of Π (1 − p_j t)."""
    coefficients = [arb(1)]
    for chance in p:
        shifted = [arb(0), *coefficients]
        coefficients = [c - chance * s for c, s in zip([*coefficients, arb(0)], shifted, strict=True)]
    return coefficients
