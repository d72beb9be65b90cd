"""Approximate differential privacy."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dalenius.guarantees.curves.inversion import width
from dalenius.guarantees.curves.orders import order_of
from dalenius.guarantees.curves.pure_profile import pure_epsilon, pure_to_rho
from dalenius.guarantees.guarantee import ConcentratedForm, Guarantee, Part, count
from dalenius.guarantees.notions.pure import PureDP
from dalenius.guarantees.sampling import Sampling, amplified_epsilon
from dalenius.neighbors import Relation
from dalenius.numerics import (
    Number,
    ball,
    digits_above,
    ends,
    float_above,
    float_below,
    fraction_above,
    lower,
    nonnegative,
    precision,
    probability,
)

if TYPE_CHECKING:
    from dalenius.guarantees.convert import LossDistribution, TradeOff


@dataclass(frozen=True, slots=True, init=False)
class ApproxDP(Guarantee):
    """(ε, δ)-differential privacy: P[S] ≤ e^ε P'[S] + δ for every event and all neighbors  [A Def 3.3].

    δ = 0 is pure; ε = 0 makes δ a bound on the total variation  [A Rem 3.1].
    """

    budget: Fraction
    slack: Fraction
    relation: Relation

    def __init__(self, epsilon: Number, delta: Number, relation: Relation = Relation.ADD_REMOVE) -> None:
        object.__setattr__(self, "budget", nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "slack", probability(delta, "delta"))
        object.__setattr__(self, "relation", Relation.of(relation))

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """Smallest δ' at ε': δ + (1 − δ)(e^ε − e^ε')⁺ / (1 + e^ε)  [KOV15, Thm 3.2]."""
        at = nonnegative(epsilon, "epsilon")
        if at >= self.budget:
            return float_below(self.slack), float_above(self.slack)
        with precision(160):
            gap = -(ball(at - self.budget)).expm1() / (1 + (-ball(self.budget)).exp())
            low, high = ends(ball(self.slack) + (1 - ball(self.slack)) * gap)
        return max(0.0, low), min(1.0, high)

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Smallest ε' at δ': that of ε-DP at (δ' − δ)/(1 − δ), none below δ  [KOV15, Thm 3.2]."""
        width(rtol)
        target = probability(delta, "delta")
        if target >= 1:
            return 0.0, 0.0
        if target < self.slack:
            return float("inf"), float("inf")
        return pure_epsilon(self.budget, (target - self.slack) / (1 - self.slack))

    def beta(self, alpha: float) -> float:
        """Type II error is at least max(0, 1 − δ − e^ε α, e^−ε (1 − δ − α)), rounded down.

        [A Thm 3.4, A Rem 13.3]
        """
        level = ball(1 - self.slack - probability(alpha, "alpha"))
        with precision(160):
            growth = ball(self.budget).exp()
            steep = ball(1 - self.slack) - growth * ball(probability(alpha, "alpha"))
            return max(0.0, lower(steep), lower(level / growth))

    def renyi(self, order: Number) -> float:
        """Finite for δ = 0 only: with probability δ anything may happen."""
        order_of(order)
        return PureDP(self.budget).renyi(order) if self.slack == 0 else float("inf")

    def repeat(self, times: int) -> Guarantee:
        """`times` releases: the optimal composition  [KOV15, Thm 3.3; A Rem 10.1]."""
        from dalenius.guarantees import convert

        return convert.compose_parts([Part(self.budget, self.slack, count(times, "times"))], self.relation)

    def group(self, size: int) -> "ApproxDP":
        """K units: (kε, δ·(e^kε − 1)/(e^ε − 1)), by k steps of the definition  [A Prop 3.2]."""
        k = count(size, "size")
        return ApproxDP(self.budget * k, group_delta(self.budget, self.slack, k), self.relation)

    def amplify(self, sampling: Sampling) -> "ApproxDP":
        """(log(1 + q(e^ε − 1)), qδ) on a secret sample at rate q  [A §11.1 approximate case, A Cor 13.2]."""
        rate = sampling.rate_for(self.relation)
        return ApproxDP(amplified_epsilon(self.budget, rate), rate * self.slack, self.relation)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Itself, once."""
        return (Part(self.budget, self.slack, 1),)

    @property
    def sum_form(self) -> tuple[Fraction, Fraction]:
        """(ε, δ)."""
        return self.budget, self.slack

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """δ-approximate zCDP: outside an event of probability δ it is a processing of randomized response.

        [KOV15, Thm 3.2]
        """
        return ConcentratedForm(pure_to_rho(self.budget), self.slack)

    @property
    def gaussian_form(self) -> Fraction | None:
        """None unless δ = 0: G_μ(0) = 1."""
        return PureDP(self.budget).gaussian_form if self.slack == 0 else None

    def loss(self) -> "LossDistribution":
        """Randomized response that gives all away with probability δ  [KOV15, Thm 3.2]."""
        from dalenius.guarantees import convert

        return convert.response_loss(self.parts, self.relation)

    def tradeoff(self) -> "TradeOff":
        """f_(ε,δ)  [A Rem 13.3]."""
        from dalenius.guarantees import convert

        return convert.TradeOff.of_profile([(self.budget, self.slack)], self.relation)

    def _with_alike(self, others: Sequence[Guarantee]) -> Guarantee | None:
        from dalenius.guarantees import convert

        return convert.compose_alike((self, *others))

    def _under(self, relation: Relation) -> "ApproxDP":
        return ApproxDP(self.budget, self.slack, relation)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        return f"ApproxDP({self.budget}, {self.slack}{suffix})"

    def _claim(self) -> str:
        return f"({digits_above(self.budget)}, {digits_above(self.slack)})-differential privacy"


def group_delta(epsilon: Fraction, delta: Fraction, size: int) -> Fraction:
    """δ·(1 + e^ε + … + e^(k−1)ε) = δ·(e^kε − 1)/(e^ε − 1), rounded up, at most 1."""
    if delta == 0 or size == 0:
        return Fraction(0)
    if epsilon == 0:
        return min(Fraction(1), delta * size)
    if epsilon * (size - 1) > 2000 and delta > Fraction(1, 10**800):
        return Fraction(1)
    with precision(192):
        total = ball(delta) * ball(epsilon * size).expm1() / ball(epsilon).expm1()
        return min(Fraction(1), fraction_above(total))
