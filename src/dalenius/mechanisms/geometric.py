"""The geometric mechanism: integer noise for integer answers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.mechanism import AdditiveMechanism
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

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> PureDP:
        """ε = Δ₁ / scale, exactly, for every ε > 0 and every dimension  [D Thm 2.8].

        P[x + Z = y] / P[x' + Z = y] = exp(Σ(|yᵢ − x'ᵢ| − |yᵢ − xᵢ|) / scale) ≤ exp(‖x − x'‖₁ / scale).
        """
        return PureDP(sensitivity.l1 / self.scale, relation)

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Δ₁ / ε: any smaller scale has a larger loss at y = x  [D Thm 2.8]."""
        if not isinstance(target, PureDP):
            raise UnprovenClaim(f"Geometric is calibrated to PureDP, got {type(target).__name__}")
        if sensitivity.l1 == 0:
            raise InvalidParameter("sensitivity is 0: no unit moves the answer, so it needs no noise")
        return cls(sensitivity.l1 / positive(target.budget, "epsilon"))
