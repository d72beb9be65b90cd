"""Pure differential privacy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from flint import arb

from dalenius.guarantees.guarantee import ConcentratedForm, Guarantee, Part, count
from dalenius.guarantees.inversion import width
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
    from dalenius.guarantees.functionals import LossMoments
    from dalenius.guarantees.loss import LossDistribution
    from dalenius.guarantees.sampling import Sampling
    from dalenius.guarantees.tradeoff import TradeOff


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
        from dalenius.guarantees.renyi_curves import ResponseCurve

        return ResponseCurve(self.budget)(order)

    def loss_moments(self) -> "LossMoments":
        """Of randomized response, the worst case."""
        from dalenius.guarantees.functionals import response_moments

        return response_moments(self.budget)

    def repeat(self, times: int) -> "Guarantee":
        """`times` releases: the optimal composition; at δ = 0 the budgets add.

        [A Thm 3.3; D Thm 1.3; KOV15, Thm 3.3]
        """
        from dalenius.guarantees.composition import compose_parts

        return compose_parts([Part(self.budget, Fraction(0), count(times, "times"))], self.relation)

    def group(self, size: int) -> "PureDP":
        """A group of k units is protected with kε  [A Prop 3.2]."""
        return PureDP(self.budget * count(size, "size"), self.relation)

    def amplify(self, sampling: "Sampling") -> "PureDP":
        """log(1 + q(e^ε − 1)) on a secret sample at rate q, never qε  [A Prop 11.1, A Rem 13.10]."""
        from dalenius.guarantees.sampling import amplified_epsilon

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
        from dalenius.guarantees.engine import response_loss

        return response_loss(self.parts, self.relation)

    def tradeoff(self) -> "TradeOff":
        """f_(ε,δ)  [A Rem 13.3]."""
        from dalenius.guarantees.tradeoff import TradeOff

        return TradeOff.of_profile([(self.budget, 0)], self.relation)

    def _with_alike(self, others: Sequence[Guarantee]) -> "Guarantee | None":
        from dalenius.guarantees.composition import compose_alike

        return compose_alike((self, *others))

    def _under(self, relation: Relation) -> "PureDP":
        return PureDP(self.budget, relation)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        return f"PureDP({self.budget}{suffix})"

    def _claim(self) -> str:
        return f"{digits_above(self.budget)}-differential privacy"


def pure_delta(budget: Fraction, epsilon: Fraction) -> tuple[float, float]:
    """(e^ε₀ − e^ε)⁺ / (1 + e^ε₀)  [KOV15, Thm 3.2]."""
    if epsilon >= budget:
        return 0.0, 0.0
    with precision(128):
        # divided by e^ε₀ above and below, so that a large ε₀ cannot overflow
        gap = -(ball(epsilon - budget)).expm1()
        low, high = ends(gap / (1 + (-ball(budget)).exp()))
    return max(0.0, low), min(1.0, high)


def pure_epsilon(budget: Fraction, delta: Fraction) -> tuple[float, float]:
    """log(e^ε₀ − δ(1 + e^ε₀)), at least 0  [KOV15, Thm 3.2]."""
    if delta == 0:
        return float_below(budget), float_above(budget)
    if budget == 0:
        return 0.0, 0.0
    with precision(192 + _magnitude(budget)):
        # ε₀ + log(1 − δ − δe^−ε₀), the logarithm of each end: bounds even where the ball holds 0
        inside = ball(1 - delta) - ball(delta) * (-ball(budget)).exp()
        if not inside.upper() > 0:
            return 0.0, 0.0
        low = _logarithm(budget, inside.lower())[0] if inside.lower() > 0 else 0.0
        high = min(_logarithm(budget, inside.upper())[1], float_above(budget))
    return max(0.0, low), max(0.0, high)


def _logarithm(budget: Fraction, inside: arb) -> tuple[float, float]:
    enclosure = ball(budget) + inside.log()
    low, high = ends(enclosure)
    # a float given back to us means its shortest decimal, which may lie half an ulp to the wrong side
    if math.isfinite(high) and ball(Fraction(repr(high))) < enclosure.upper():
        high = math.nextafter(high, math.inf)
    if math.isfinite(low) and ball(Fraction(repr(low))) > enclosure.lower():
        low = math.nextafter(low, -math.inf)
    return low, high


def _magnitude(number: Fraction) -> int:
    """How many bits the number is away from 1."""
    return abs(number.numerator.bit_length() - number.denominator.bit_length())


def pure_to_rho(epsilon: Fraction) -> Fraction:
    """Least ρ for which ε-DP gives ρ-zCDP: ε·tanh(ε/2) ≤ ε²/2, rounded up  [A Thm 12.1; HM25].

    Randomized response is the worst case; with x = ε/2 its divergence of order α is
    (log cosh((2α−1)x) − log cosh x)/(α−1). As log cosh √t is concave in t, the numerator is at most its slope
    tanh(x)/(2x) at x² times (2α−1)²x² − x² = 4α(α−1)x²: so at most 2αx·tanh x = α·ε·tanh(ε/2), with equality as α
    → 1.
    """
    if epsilon == 0:
        return Fraction(0)
    with precision(160):
        return min(fraction_above(ball(epsilon) * (ball(epsilon) / 2).tanh()), epsilon * epsilon / 2)


def pure_to_mu(epsilon: Fraction) -> Fraction:
    """Least μ for which ε-DP gives μ-GDP: 2·Φ⁻¹(e^ε/(1+e^ε)), rounded up  [DRS22].

    f_ε is the polyline through (0, 1), (a, a) and (1, 0) with a = 1/(1+e^ε). G_μ is convex and passes through
    both ends, so it lies below f_ε everywhere exactly when G_μ(a) ≤ a.
    """
    if epsilon == 0:
        return Fraction(0)
    working = 256 + 3 * math.ceil(epsilon)
    with precision(working):
        down = (-ball(epsilon)).exp()
        tail: arb = 2 * down / (1 + down)
        return fraction_above(2 * arb(2).sqrt() * tail.erfcinv())
