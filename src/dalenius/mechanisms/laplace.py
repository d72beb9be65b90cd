"""The Laplace mechanism."""

from dataclasses import dataclass
from typing import ClassVar, Self

from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.rounded import RoundedMechanism
from dalenius.mechanisms.shifted import LaplaceLoss
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import RoundedLaplace
from dalenius.numerics import positive


@dataclass(frozen=True, slots=True, init=False)
class Laplace(RoundedMechanism):
    """Release x + Z with Z of density exp(−|z| / scale) / (2 scale), one independent Z for each coordinate.

    Privacy [A Thm 3.2, D Thm 2.5, L §4 proof], accuracy [D Thm 2.5]. Z is rounded to the lattice of x, which is free.

    >>> from dalenius.neighbors import Metric
    >>> Laplace(10).guarantee(Sensitivity(1, Metric.L1)).epsilon(0)
    0.1
    """

    name: ClassVar[str] = "laplace"
    law: ClassVar[type[RoundedLaplace]] = RoundedLaplace

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> LaplaceLoss:
        """ε = Δ₁ / scale, and the exact δ below it, for every dimension  [A Thm 3.2, D Thm 2.5, L §4 proof].

        The ratio of densities at y is exp(Σ(|yᵢ − x'ᵢ| − |yᵢ − xᵢ|) / scale) ≤ exp(‖x − x'‖₁ / scale). That one number
        moving by Δ₁ is the worst of all is shown in `shifted`.
        """
        return LaplaceLoss(sensitivity.l1 / self.scale, Relation.of(relation))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Δ₁ / ε for a pure target: any smaller scale has a larger loss at y = x; else a search  [L §3.3 scale]."""
        if isinstance(target, PureDP):
            return cls(moved(sensitivity) / positive(target.budget, "epsilon"))
        return super(Laplace, cls).least(sensitivity, target)
