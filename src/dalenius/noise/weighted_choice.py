"""An exact choice over log weights, against a base measure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.noise.choice import Choice
from dalenius.noise.finite import FiniteLaw
from dalenius.noise.law import checked_size
from dalenius.noise.pieces import Pieces
from dalenius.numerics import Number, ball, nonnegative


@dataclass(frozen=True, slots=True, init=False, eq=False)
class WeightedChoice(FiniteLaw):
    """Index i with probability ∝ weights[i] · exp(rate · scores[i]); a weight of 0 is never drawn  [A Thm 7.1].

    >>> from math import exp
    >>> round(exp(WeightedChoice([0, 0], 1, [1, 3]).log_mass(1)), 6)
    0.75
    """

    scores: tuple[int, ...] = field(repr=False)
    rate: Fraction
    weights: tuple[Fraction, ...] = field(repr=False)

    def __init__(
        self, scores: Sequence[int] | NDArray[np.int64], rate: Number = 1, weights: Sequence[Number] = ()
    ) -> None:
        plain = Choice(scores, rate)
        exact = tuple(nonnegative(weight, "weight") for weight in weights)
        if len(exact) != len(plain.scores):
            raise InvalidParameter("weights must be as many as the scores")
        if not any(exact):
            raise InvalidParameter("weights must have a positive sum")
        object.__setattr__(self, "scores", plain.scores)
        object.__setattr__(self, "rate", plain.rate)
        object.__setattr__(self, "weights", exact)

    def sample(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws of an index."""
        support = np.flatnonzero(np.array([weight > 0 for weight in self.weights]))
        if len(support) == 1:
            return np.repeat(support, checked_size(size))
        pieces = Pieces(lambda: [masses[i] for masses in [self._unnormalised()] for i in support])
        drawn = pieces.resolve(bits, pieces.cells[bits.words(np.uint16, checked_size(size))])
        return support[drawn]

    def masses(self) -> list[arb]:
        """All of weight · exp(rate (score − max)), normalised."""
        weights = self._unnormalised()
        total = sum(weights, arb(0))
        return [weight / total for weight in weights]

    def _unnormalised(self) -> list[arb]:
        best = max(score for score, weight in zip(self.scores, self.weights, strict=True) if weight)
        grown = {score: ball(self.rate * (score - best)).exp() for score in set(self.scores)}
        return [
            ball(weight) * grown[score] if weight else arb(0)
            for score, weight in zip(self.scores, self.weights, strict=True)
        ]
