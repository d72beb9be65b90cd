"""The discrete Gaussian mechanism: integer noise for integer answers."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from dalenius import noise
from dalenius.errors import InvalidParameter
from dalenius.guarantees import ZCDP, Guarantee
from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.mechanisms.shifted import DiscreteGaussianLoss
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.numerics import positive

_LARGEST_EXACT = 2000


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(AdditiveMechanism):
    """Release x + Z with P[Z = z] ∝ exp(−z² / 2 scale²), one independent Z for each coordinate  [CKS20, Def 1].

    >>> DiscreteGaussian(Fraction(2)).guarantee(Sensitivity(1, Metric.L2))
    ZCDP(1/8)
    """

    scale: Fraction

    name: ClassVar[str] = "discrete_gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        noise.DiscreteGaussian(self.scale)  # a scale too large to draw is refused here, before anything is charged

    @property
    def noise(self) -> noise.DiscreteGaussian:
        """The Gaussian law on the integers."""
        return noise.DiscreteGaussian(self.scale)

    def guarantee(
        self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE
    ) -> ZCDP | DiscreteGaussianLoss:
        """ρ = Δ₂² / 2 scale² in ℓ2; in ℓ1, up to a scale of 2000, the exact loss  [CKS20, Thm 4, CKS20, Thm 7].

        The law does not turn as the Gaussian's does, so its loss at one number is the worst over ℓ1 balls only: see
        `shifted`. Integer answers move by whole steps in ℓ1, ⌊Δ₁⌋ at most. A single number is the same in both norms;
        state its sensitivity in ℓ1 for the exact loss.
        """
        if sensitivity.metric is not Metric.L1:
            sensitivity.l2  # noqa: B018 refuses another norm; the square is what is kept exactly
            return ZCDP(sensitivity.square / (2 * self.scale**2), relation)
        steps = math.floor(sensitivity.l1)
        if steps and self.scale <= _LARGEST_EXACT:
            return DiscreteGaussianLoss(self.scale, steps, Relation.of(relation))
        return ZCDP(Fraction(steps**2) / (2 * self.scale**2), relation)

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Δ₂ / √(2ρ); for (ε, δ) by what `guarantee` proves  [CKS20, Thm 4]."""
        moved(sensitivity)
        if isinstance(target, ZCDP):
            if target.rho == 0:
                raise InvalidParameter("no finite noise hides everything: the target must be > 0")
            return cls(Sensitivity.root(sensitivity.to(Metric.L2).square / (2 * target.rho), Metric.L2).value)
        return super(DiscreteGaussian, cls).least(sensitivity, target)
