"""The Tulap mechanism: the noise that attains (ε, δ)-differential privacy at every ε' for one number."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from flint import arb

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import ApproxDP, Guarantee, PureDP
from dalenius.mechanisms.scalar import ScalarMechanism
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Lattice
from dalenius.noise.inverted import FAR, InvertedLaw, lattice_for
from dalenius.numerics import Number, ball, positive, rational


@dataclass(frozen=True, slots=True, init=False)
class Tulap(ScalarMechanism):
    """Release x + width·N with N ~ Tulap(0, b, q), b = e^−ε, q = 2δb/(1 − b + 2δb)  [AS18, AV23].

    The canonical noise of f_(ε,δ): a uniform number added to two-sided geometric noise, its tails cut.

    >>> from dalenius.neighbors import Metric
    >>> Tulap(1, 1, "1e-6").guarantee(Sensitivity(1, Metric.L1))
    ApproxDP(1, 1/1000000)
    """

    width: Fraction
    epsilon: Fraction
    delta: Fraction
    lattice: Lattice

    name: ClassVar[str] = "tulap"

    def __init__(self, width: Number, epsilon: Number, delta: Number = 0, lattice: Lattice | None = None) -> None:
        object.__setattr__(self, "width", positive(width, "width"))
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "delta", rational(delta, "delta"))
        if not 0 <= self.delta < 1:
            raise InvalidParameter(f"delta must lie in [0, 1), got {delta}")
        reach = FAR * self.width * (1 + 1 / self.epsilon)
        object.__setattr__(self, "lattice", lattice_for(self.width, reach, lattice))

    @property
    def noise(self) -> "TulapLaw":
        return TulapLaw(self.width, self.epsilon, self.delta, self.lattice)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> ApproxDP:
        """(ε, δ) for a move of at most one width, and a group of ⌈Δ / width⌉ beyond  [AV23, A Prop 3.2]."""
        claim, widths = ApproxDP(self.epsilon, self.delta, relation), math.ceil(sensitivity.l1 / self.width)
        return claim if widths == 1 else claim.group(widths)

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Width Δ: f_(ε,δ) is attained everywhere, so less noise breaks it  [AV23]."""
        if isinstance(target, PureDP):
            return cls(moved(sensitivity), target.budget)
        if not isinstance(target, ApproxDP):
            raise UnprovenClaim(f"Tulap is calibrated to (ε, δ), got {type(target).__name__}")
        return cls(moved(sensitivity), target.budget, target.slack)


@dataclass(frozen=True, slots=True)
class TulapLaw(InvertedLaw):
    """step · round(width · N / step), N ~ Tulap(0, b, q)."""

    width: Fraction
    epsilon: Fraction
    delta: Fraction
    lattice: Lattice

    def beyond(self, z: Fraction) -> arb:
        """2 (F₀(−x) − q/2)⁺ / (1 − q), F₀(−x) = b^[x] (b + (1 − b)(½ + [x] − x))/(1 + b), x = z / width.

        [x] is the nearest integer. 1 − q = (1 − b)/(1 − b + 2δb).
        """
        x, b = z / self.width, (-ball(self.epsilon)).exp()
        near = math.floor(x + Fraction(1, 2))
        untruncated = (-ball(self.epsilon * near)).exp() * (b + (1 - b) * ball(Fraction(1, 2) + near - x)) / (1 + b)
        if self.delta == 0:
            return 2 * untruncated
        cut = 2 * ball(self.delta) * b
        return ((2 * untruncated * (1 - b + cut) - cut) / (1 - b)).max(arb(0))

    def second_moment(self) -> arb:
        """(2b/(1 − b)² + 1/12) widths², a geometric and a uniform number; truncation takes from it, at most."""
        b = (-ball(self.epsilon)).exp()
        return ball(self.width) ** 2 * (2 * b / (1 - b) ** 2 + ball(Fraction(1, 12)))
