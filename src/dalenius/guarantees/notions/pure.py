"""Pure differential privacy."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from dalenius.guarantees.curves.functionals import LossMoments, response_moments
from dalenius.guarantees.curves.inversion import width
from dalenius.guarantees.curves.pure_profile import pure_delta, pure_epsilon, pure_to_mu, pure_to_rho
from dalenius.guarantees.curves.renyi_curves import ResponseCurve
from dalenius.guarantees.guarantee import ConcentratedForm, Guarantee, Part, count
from dalenius.guarantees.sampling import Sampling, amplified_epsilon
from dalenius.neighbors import Relation
from dalenius.numerics import (
    Number,
    ball,
    digits_above,
    lower,
    nonnegative,
    precision,
    probability,
)

if TYPE_CHECKING:
    from dalenius.guarantees.convert import LossDistribution, TradeOff


@dataclass(frozen=True, slots=True, init=False)
class PureDP(Guarantee):
    """ε-differential privacy: no event is more than e^ε times as likely under a neighbor  [A Def 3.3, D Def 1.1].

    >>> PureDP(0.1).repeat(10).epsilon(0)
    1.0
    """

    budget: Fraction
    relation: Relation

    proof: ClassVar[str] = "a bound on every privacy loss"

    def __init__(self, epsilon: Number, relation: Relation = Relation.ADD_REMOVE) -> None:
        object.__setattr__(self, "budget", nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "relation", Relation.of(relation))

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """Smallest δ at ε: (e^ε₀ − e^ε)⁺ / (1 + e^ε₀)  [KOV15, Thm 3.2]."""
        return pure_delta(self.budget, nonnegative(epsilon, "epsilon"))

    def epsilon_interval(self, delta: float = 0.0, rtol: float = 1e-6) -> tuple[float, float]:
        """Smallest ε at δ: log(e^ε₀ − δ(1 + e^ε₀)), at least 0  [KOV15, Thm 3.2]."""
        width(rtol)
        return pure_epsilon(self.budget, probability(delta, "delta"))

    def epsilon(self, delta: float = 0.0) -> float:
        """Smallest ε proved at δ, rounded up  [KOV15, Thm 3.2]."""
        return self.epsilon_interval(delta)[1]

    def beta(self, alpha: float) -> float:
        """Type II error is at least max(0, 1 − e^ε α, e^−ε (1 − α)), rounded down  [A Thm 3.4]."""
        level = probability(alpha, "alpha")
        if level == 0:
            return 1.0  # e^ε may be too large even for a ball, and ∞·0 is no number
        with precision(128):
            growth = ball(self.budget).exp()
            return max(0.0, lower(1 - growth * ball(level)), lower((1 - ball(level)) / growth))

    def renyi(self, order: Number) -> float:
        """Divergence of randomized response, which every ε-DP mechanism stays below  [KOV15, Thm 3.2; A Thm 12.1]."""
        return ResponseCurve(self.budget)(order)

    def loss_moments(self) -> LossMoments:
        """Of randomized response, the worst case."""
        return response_moments(self.budget)

    def repeat(self, times: int) -> "Guarantee":
        """`times` releases: the optimal composition; at δ = 0 the budgets add.

        [A Thm 3.3; D Thm 1.3; KOV15, Thm 3.3]
        """
        from dalenius.guarantees import convert

        return convert.compose_parts([Part(self.budget, Fraction(0), count(times, "times"))], self.relation)

    def group(self, size: int) -> "PureDP":
        """A group of k units is protected with kε  [A Prop 3.2]."""
        return PureDP(self.budget * count(size, "size"), self.relation)

    def amplify(self, sampling: Sampling) -> "PureDP":
        """log(1 + q(e^ε − 1)) on a secret sample at rate q, never qε  [A Prop 11.1, A Rem 13.10]."""
        return PureDP(amplified_epsilon(self.budget, sampling.rate_for(self.relation)), self.relation)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Itself, once."""
        return (Part(self.budget, Fraction(0), 1),)

    @property
    def sum_form(self) -> tuple[Fraction, Fraction]:
        """(ε, 0)."""
        return self.budget, Fraction(0)

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """ρ = ε·tanh(ε/2), the least."""
        return ConcentratedForm(pure_to_rho(self.budget), Fraction(0))

    @property
    def gaussian_form(self) -> Fraction:
        """μ² for the least μ."""
        return pure_to_mu(self.budget) ** 2

    @property
    def strength(self) -> tuple[str, Fraction]:
        """Ordered by ε."""
        return "PureDP", self.budget

    def loss(self) -> "LossDistribution":
        """Randomized response  [KOV15, Thm 3.2]."""
        from dalenius.guarantees import convert

        return convert.response_loss(self.parts, self.relation)

    def tradeoff(self) -> "TradeOff":
        """f_(ε,δ)  [A Rem 13.3]."""
        from dalenius.guarantees import convert

        return convert.TradeOff.of_profile([(self.budget, 0)], self.relation)

    def _with_alike(self, others: Sequence[Guarantee]) -> "Guarantee | None":
        from dalenius.guarantees import convert

        return convert.compose_alike((self, *others))

    def _under(self, relation: Relation) -> "PureDP":
        return PureDP(self.budget, relation)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        return f"PureDP({self.budget}{suffix})"

    def _claim(self) -> str:
        return f"{digits_above(self.budget)}-differential privacy"
