"""The geometric mechanism: integer noise for integer answers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.mechanisms.shifted import GeometricLoss
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import DiscreteLaplace
from dalenius.numerics import positive


@dataclass(frozen=True, slots=True)
class Geometric(AdditiveMechanism):
    """Release x + Z with P[Z = z] ∝ exp(−|z| / scale), one independent Z for each coordinate.

    Privacy [D Thm 2.8], accuracy [D Thm 2.7].

    >>> from dalenius.neighbors import Metric
    >>> Geometric(Fraction(10)).guarantee(Sensitivity(1, Metric.L1))
    PureDP(1/10)
    """

    scale: Fraction

    name: ClassVar[str] = "geometric"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        DiscreteLaplace(self.scale)  # a scale too large to draw is refused here, before anything is charged

    @property
    def noise(self) -> DiscreteLaplace:
        """Two-sided geometric law  [D Def 2.6]."""
        return DiscreteLaplace(self.scale)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> PureDP | GeometricLoss:
        """ε = Δ₁ / scale, exactly, for every ε > 0 and every dimension; for whole Δ₁ ≥ 2 its exact loss  [D Thm 2.8].

        P[x + Z = y] / P[x' + Z = y] = exp(Σ(|yᵢ − x'ᵢ| − |yᵢ − xᵢ|) / scale) ≤ exp(‖x − x'‖₁ / scale). That one number
        moving by Δ₁ is the worst of all is shown in `shifted`.
        """
        distance = sensitivity.l1
        if distance.denominator == 1 and distance >= 2:
            return GeometricLoss(1 / self.scale, int(distance), Relation.of(relation))
        return PureDP(distance / self.scale, relation)

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Δ₁ / ε for a pure target: any smaller scale has a larger loss at y = x; else a search  [D Thm 2.8]."""
        if isinstance(target, PureDP):
            return cls(moved(sensitivity) / positive(target.budget, "epsilon"))
        return super(Geometric, cls).least(sensitivity, target)
