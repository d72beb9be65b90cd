"""The Gaussian mechanism."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, Guarantee
from dalenius.mechanisms.rounded import RoundedMechanism
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import RoundedGaussian
from dalenius.numerics import Number, ball, fraction_above, positive, precision, rational


@dataclass(frozen=True, slots=True, init=False)
class Gaussian(RoundedMechanism):
    """Release x + Z with Z normal of standard deviation `scale`, one independent Z for each coordinate.

    Privacy [A Thm 13.1, A §9.3 Gaussian mechanism, BW18, Thm 8]. Z is rounded to the lattice of x, which is free.

    >>> from dalenius.neighbors import Metric
    >>> Gaussian(2).guarantee(Sensitivity(1, Metric.L2))
    GDP(1/2)
    """

    name: ClassVar[str] = "gaussian"
    law: ClassVar[type[RoundedGaussian]] = RoundedGaussian

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> GDP:
        """μ = Δ₂ / scale, exactly, for every dimension  [A Thm 13.1].

        Turned so that x' − x lies along one axis, only that coordinate tells the two apart.
        """
        sensitivity.l2  # noqa: B018 refuses another norm; the square is what is kept exactly
        return GDP.root(sensitivity.square / self.scale**2, relation)

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Δ₂ / μ, Δ₂ / √(2ρ), and by the exact profile for (ε, δ)  [A Thm 13.1, BW18, Thm 8]."""
        moved(sensitivity)
        if isinstance(target, GDP | ZCDP):
            square = target.square if isinstance(target, GDP) else 2 * target.rho
            if square == 0:
                raise InvalidParameter("no finite noise hides everything: the target must be > 0")
            return cls(Sensitivity.root(sensitivity.square / square, sensitivity.metric).l2)
        return super(Gaussian, cls).least(sensitivity, target)


@named_arguments
def classic_gaussian_scale(epsilon: Number, delta: Number, sensitivity: Sensitivity) -> Fraction:
    """σ = c·Δ₂/ε, c² = max(2 log(1.32/δ), 9/4), for 0 < ε < 1, rounded up  [A Thm 9.3, A Rem 9.3].

    The printed floor 3/2 for c² is a slip: the proof needs c ≥ 3/2. `calibrate` needs less noise and has no such limit.
    """
    budget, slack = positive(epsilon, "epsilon"), rational(delta, "delta")
    if budget >= 1:
        raise InvalidParameter(f"the classic rule is proved for epsilon < 1 only, got {epsilon}: use calibrate")
    if not 0 < slack < 1:
        raise InvalidParameter(f"delta must lie in (0, 1), got {delta}")
    with precision(128):
        c = (2 * ball(Fraction(132, 100) / slack).log()).max(ball(Fraction(9, 4))).sqrt()
        return fraction_above(c * ball(sensitivity.l2 / budget), 64)
