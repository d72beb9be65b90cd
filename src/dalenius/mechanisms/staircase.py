"""The staircase mechanism: the least expected error of all ε-DP additive noise for one number."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from flint import arb

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.scalar import ScalarMechanism
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Lattice
from dalenius.noise.inverted import FAR, InvertedLaw, lattice_for
from dalenius.numerics import Number, ball, fraction_above, positive, precision, rational


@dataclass(frozen=True, slots=True, init=False)
class Staircase(ScalarMechanism):
    """Release x + Z, Z with a density that falls by e^−loss at (k + share)·width, k = 0, 1, …, on either side  [GV16].

    >>> from dalenius.neighbors import Metric
    >>> Staircase.least(Sensitivity(2, Metric.L1), PureDP(1)).guarantee(Sensitivity(2, Metric.L1))
    PureDP(1)
    """

    width: Fraction
    loss: Fraction
    share: Fraction
    lattice: Lattice

    name: ClassVar[str] = "staircase"

    def __init__(self, width: Number, loss: Number, share: Number, lattice: Lattice | None = None) -> None:
        object.__setattr__(self, "width", positive(width, "width"))
        object.__setattr__(self, "loss", positive(loss, "loss"))
        object.__setattr__(self, "share", rational(share, "share"))
        if not 0 <= self.share <= 1:
            raise InvalidParameter(f"share must lie in [0, 1], got {share}")
        object.__setattr__(self, "lattice", lattice_for(self.width, FAR * self.width * (1 + 1 / self.loss), lattice))

    @property
    def noise(self) -> "StaircaseLaw":
        """The staircase law  [GV16]."""
        return StaircaseLaw(self.width, self.loss, self.share, self.lattice)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> PureDP:
        """ε = loss · ⌈Δ / width⌉: a move by one width crosses one stair at any point  [GV16]."""
        return PureDP(self.loss * math.ceil(sensitivity.l1 / self.width), relation)

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Width Δ, share 1/(1 + e^(ε/2)): the least E|Z| of all ε-DP additive noise  [GV16]."""
        if not isinstance(target, PureDP):
            raise UnprovenClaim(f"Staircase is calibrated to PureDP, got {type(target).__name__}")
        budget = positive(target.budget, "epsilon")
        with precision(128):
            share = fraction_above(1 / (1 + ball(budget / 2).exp()), 40)
        return cls(moved(sensitivity), budget, share)


@dataclass(frozen=True, slots=True)
class StaircaseLaw(InvertedLaw):
    """step · round(Z / step), Z of the staircase density  [GV16]."""

    width: Fraction
    loss: Fraction
    share: Fraction
    lattice: Lattice

    def beyond(self, z: Fraction) -> arb:
        """b^k (1 − (1 − b)(min(r, γ) + b (r − γ)⁺) / (γ + b(1 − γ))), z = (k + r) widths, b = e^−loss."""
        stairs = math.floor(z / self.width)
        r, b = z / self.width - stairs, (-ball(self.loss)).exp()
        passed = ball(min(r, self.share)) + b * ball(max(r - self.share, Fraction(0)))
        whole = ball(self.share) + b * ball(1 - self.share)
        return (-ball(self.loss * stairs)).exp() * (1 - (1 - b) * passed / whole)

    def second_moment(self) -> arb:
        """Over the two parts of every stair, with Σ kʲ bᵏ for j = 0, 1, 2."""
        b, γ = (-ball(self.loss)).exp(), ball(self.share)
        s0, s1, s2 = 1 / (1 - b), b / (1 - b) ** 2, b * (1 + b) / (1 - b) ** 3
        first, second, third = ((γ**j + b * (1 - γ**j)) for j in (1, 2, 3))
        return ball(self.width) ** 2 * (1 - b) / first * (first * s2 + second * s1 + third / 3 * s0)
