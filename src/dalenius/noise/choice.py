"""An exact choice over log weights: what adding Gumbel noise and taking the largest would give.

If G_i are independent standard Gumbel variables, argmax (w_i + G_i) is i with probability exp(w_i) / Σ exp(w_l).
Floats cannot draw a Gumbel variable exactly, nor compare two sums of them; but the index alone is asked for, and its
law is a finite one that inversion draws exactly.

With w_i = rate · score_i and the largest score m, let e_i = exp(rate (score_i − m)) and c_i = e_0 + … + e_i. A uniform
U picks the first i with U c_{n−1} < c_i. Floats compute c̃_i. Each exponent is one quotient of whole numbers, rounded
once, so it is off by less than 2⁻⁵² of itself; cut at −700 it is off by less than 2⁻⁴², and exp by 2⁻⁴⁵ of itself
[assumption EXP], so ẽ_i = e_i (1 ± 2⁻⁴⁰), or both are below e⁻⁶⁹⁹. A sum of n such terms adds a relative n · 2⁻⁵³. With
η = 2⁻³⁹ + n · 2⁻⁵² every c̃_i is c_i up to η c̃_{n−1} (the cut adds n e⁻⁶⁹⁹, far less), and so is the product U
c̃_{n−1}; where the two differ by more than 4 η c̃_{n−1} the floats decide. Else enclosures of all c_i and fresh digits
of U do. Both sides of every comparison are covered, so the index has the law claimed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.noise.finite import FiniteLaw, refuse_empty
from dalenius.noise.law import checked_size
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.numerics import Number, ball, nonnegative, precision, rational

_CUT = -700


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Choice(FiniteLaw):
    """Index i with probability ∝ exp(rate · scores[i]), for integer scores and a rational rate ≥ 0  [A Prop 7.1].

    >>> Choice([0, 0]).log_mass(0)
    -0.6931471805599453
    """

    scores: tuple[int, ...] = field(repr=False)
    rate: Fraction

    def __init__(self, scores: Sequence[int] | NDArray[np.int64], rate: Number = 1) -> None:
        whole = _whole(scores)
        refuse_empty(len(whole), "scores")
        object.__setattr__(self, "scores", whole)
        object.__setattr__(self, "rate", nonnegative(rate, "rate"))

    def sample(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws of an index."""
        count = len(self.scores)
        sums = np.cumsum(self.weights())
        slack = 4 * (2.0**-39 + count * 2.0**-52) * sums[-1]
        digits = bits.words(np.uint64, checked_size(size))
        point = digits * 2.0**-64 * sums[-1]
        index: NDArray[np.int64] = np.minimum(np.searchsorted(sums, point, side="right"), count - 1)
        near_above = (index < count - 1) & (sums[index] - point <= slack)
        near_below = (index > 0) & (point - sums[index - 1] <= slack)
        for at in np.flatnonzero(near_above | near_below):
            index[at] = self._settle(LazyUniform(bits, int(digits[at]), 64))
        return index

    def masses(self) -> list[arb]:
        """exp(rate (score − max)), normalised."""
        weights = self._balls()
        total = sum(weights, arb(0))
        return [weight / total for weight in weights]

    def log_mass(self, value: Number) -> float:
        """Rate (score − max) − log Σ exp(rate (score − max)), to the nearest float."""
        at = rational(value, "value")
        if at.denominator != 1 or not 0 <= at < len(self.scores):
            return -math.inf
        with precision(256):
            gap = ball(self.rate * (self.scores[int(at)] - max(self.scores)))
            return float((gap - sum(self._balls(), arb(0)).log()).mid())

    def weights(self) -> NDArray[np.float64]:
        """exp(rate (score − max)) in floats: within 2⁻⁴⁰ of itself, or both are below e⁻⁶⁹⁹."""
        best, (n, d) = max(self.scores), self.rate.as_integer_ratio()
        cut = _CUT * d
        weights: NDArray[np.float64] = np.exp(np.array([max(n * (score - best), cut) / d for score in self.scores]))
        return weights

    def _balls(self) -> list[arb]:
        best = max(self.scores)
        return [ball(self.rate * (score - best)).exp() for score in self.scores]

    def _settle(self, uniform: LazyUniform) -> int:
        def question() -> int | None:
            weights = self._balls()
            point, reached = uniform.ball * sum(weights, arb(0)), arb(0)
            for index, weight in enumerate(weights[:-1]):
                reached += weight
                if point < reached:
                    return index
                if not point >= reached:
                    return None
            return len(weights) - 1

        return settle([uniform], question)


def _whole(scores: Sequence[int] | NDArray[np.int64]) -> tuple[int, ...]:
    """The scores as Python's integers, of any size: no array in between, which would make floats of a wide list."""
    listed = scores.tolist() if isinstance(scores, np.ndarray) else scores
    if not isinstance(listed, Sequence) or not all(
        type(score) is int or (isinstance(score, Integral) and not isinstance(score, bool)) for score in listed
    ):
        raise InvalidParameter("scores must be a list of whole numbers; put real utilities on a lattice first")
    return tuple(map(int, listed))
