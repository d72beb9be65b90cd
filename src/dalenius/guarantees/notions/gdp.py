"""Gaussian differential privacy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from dalenius.guarantees.curves.functionals import LossMoments, gaussian_moments
from dalenius.guarantees.curves.gaussian import gaussian_profile, gaussian_tradeoff, guess_gaussian_epsilon
from dalenius.guarantees.curves.inversion import width
from dalenius.guarantees.curves.renyi_curves import LinearCurve
from dalenius.guarantees.guarantee import SHOWN_DELTA, ConcentratedForm, Guarantee, count
from dalenius.guarantees.sampling import Sampling
from dalenius.neighbors import Relation
from dalenius.numerics import (
    Number,
    ball,
    digits_above,
    digits_below,
    ends,
    float_below,
    fraction_above,
    nonnegative,
    precision,
    probability,
)

if TYPE_CHECKING:
    from dalenius.guarantees.convert import LossDistribution


@dataclass(frozen=True, slots=True, init=False)
class GDP(Guarantee):
    """μ-Gaussian differential privacy: neighbors are as hard to tell apart as N(0, 1) and N(μ, 1)  [A Def 13.3].

    μ² is kept, so that composition stays exact.

    >>> round(GDP(1).epsilon(1e-6), 6)
    4.886554
    """

    square: Fraction
    relation: Relation

    proof: ClassVar[str] = "the exact Gaussian profile (Balle and Wang 2018)"

    def __init__(self, mu: Number, relation: Relation = Relation.ADD_REMOVE) -> None:
        object.__setattr__(self, "square", nonnegative(mu, "mu") ** 2)
        object.__setattr__(self, "relation", Relation.of(relation))

    @classmethod
    def root(cls, square: Number, relation: Relation = Relation.ADD_REMOVE) -> "GDP":
        """The guarantee whose μ² is given."""
        new = cls(0, relation)
        object.__setattr__(new, "square", nonnegative(square, "squared mu"))
        return new

    @property
    def mu(self) -> Fraction:
        """μ: exact where it is rational, else rounded up."""
        n, d = self.square.numerator, self.square.denominator
        if math.isqrt(n) ** 2 == n and math.isqrt(d) ** 2 == d:
            return Fraction(math.isqrt(n), math.isqrt(d))
        with precision(192):
            return fraction_above(ball(self.square).sqrt(), 128)

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), to the last bits of a float  [BW18, Thm 8; A Prop 13.9]."""
        at = nonnegative(epsilon, "epsilon")
        if self.square == 0:
            return 0.0, 0.0
        low, high = ends(gaussian_profile(self.square, at))
        return max(0.0, low), min(1.0, high)

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Inverse of the profile; infinite at δ = 0, for the loss is unbounded  [BW18, Thm 8]."""
        width(rtol)
        if probability(delta, "delta") == 0 and self.square > 0:
            return math.inf, math.inf
        return Guarantee.epsilon_interval(self, delta, rtol)

    def beta(self, alpha: float) -> float:
        """G_μ(α) = Φ(Φ⁻¹(1 − α) − μ), rounded down  [A Ex 13.3]."""
        level = probability(alpha, "alpha")
        if level in (0, 1) or self.square == 0:
            return float_below(1 - level)
        return max(0.0, ends(gaussian_tradeoff(self.square, level))[0])

    def renyi(self, order: Number) -> float:
        """αμ²/2  [A Cor 13.1, A Prop 12.2]."""
        return LinearCurve(self.square / 2)(order)

    def loss_moments(self) -> LossMoments:
        """Of N(μ²/2, μ²)."""
        return gaussian_moments(self.square)

    def repeat(self, times: int) -> "GDP":
        """√k·μ  [A §13.8 GDP composition]."""
        return GDP.root(self.square * count(times, "times"), self.relation)

    def group(self, size: int) -> "GDP":
        """kμ for groups of k units  [A Thm 13.3]."""
        return GDP.root(self.square * count(size, "size") ** 2, self.relation)

    def amplify(self, sampling: Sampling) -> "LossDistribution":
        """The loss of the sampled Gaussian, directions apart; for a fixed size, of C_p(G_μ) itself.

        [A Thm 14.3, A Thm 13.7]
        """
        return self.loss().amplify(sampling)

    def loss(self) -> "LossDistribution":
        """N(μ, 1) against N(0, 1)  [A Ex 13.3]."""
        from dalenius.guarantees import convert

        return convert.gaussian_loss(self.square, self.relation)

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """ρ = μ²/2  [A Cor 13.1]."""
        return ConcentratedForm(self.square / 2, Fraction(0))

    @property
    def gaussian_form(self) -> Fraction:
        """μ²."""
        return self.square

    @property
    def strength(self) -> tuple[str, Fraction]:
        """Ordered by μ²."""
        return "GDP", self.square

    def _with_alike(self, others: Sequence[Guarantee]) -> "GDP | None":
        """√(Σμ²)  [A §13.8 GDP composition]."""
        gaussians = [other for other in others if isinstance(other, GDP)]
        if len(gaussians) < len(others):
            return None
        return GDP.root(self.square + sum((other.square for other in gaussians), Fraction(0)), self.relation)

    def _near(self, delta: float) -> float | None:
        return guess_gaussian_epsilon(float(self.mu), float(delta))

    def _under(self, relation: Relation) -> "GDP":
        return GDP.root(self.square, relation)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        if self.mu**2 == self.square:
            return f"GDP({self.mu}{suffix})"
        return f"GDP.root({self.square}{suffix})"

    def _claim(self) -> str:
        low, high = self.epsilon_interval(SHOWN_DELTA)
        return (
            f"{digits_above(self.mu)}-Gaussian differential privacy, which is ({digits_above(high)}, {SHOWN_DELTA:g})-"
            f"differential privacy (tight ε in [{digits_below(low)}, {digits_above(high)}])"
        )
