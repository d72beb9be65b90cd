"""Pure differential privacy."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from numbers import Integral

from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees.guarantee import Guarantee
from dalenius.neighbors import Relation
from dalenius.numerics import Number, ball, float_above, lower, nonnegative, precision, probability, upper


@dataclass(frozen=True, slots=True, init=False)
class PureDP(Guarantee):
    """ε-differential privacy: no event is more than e^ε times as likely under a neighbor  [A Def 3.3, D Def 1.1].

    >>> PureDP(0.1).repeat(10)
    PureDP(1)
    """

    budget: Fraction
    relation: Relation

    def __init__(self, epsilon: Number, relation: Relation = Relation.ADD_REMOVE) -> None:
        object.__setattr__(self, "budget", nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "relation", Relation.of(relation))

    def delta(self, epsilon: float) -> float:
        """Smallest δ proved at ε: (e^ε₀ − e^ε)⁺ / (1 + e^ε₀), rounded up  [KOV15, Thm 3.2]."""
        at = nonnegative(epsilon, "epsilon")
        if at >= self.budget:
            return 0.0
        with precision(128):
            # divided by e^ε₀ above and below, so that a large ε₀ cannot overflow
            gap = -ball(at - self.budget).expm1()
            return min(1.0, upper(gap / (1 + (-ball(self.budget)).exp())))

    def epsilon(self, delta: float = 0.0) -> float:
        """Smallest ε proved at δ: log(e^ε₀ − δ(1 + e^ε₀)), at least 0, rounded up  [KOV15, Thm 3.2]."""
        slack = probability(delta, "delta")
        whole = float_above(self.budget)
        if slack == 0 or self.budget == 0:
            return whole
        with precision(192 + _magnitude(self.budget)):
            # ε₀ + log(1 − δ − δe^−ε₀), the logarithm of the upper end: above the truth even where the balls overlap 0
            inside = (ball(1 - slack) - ball(slack) * (-ball(self.budget)).exp()).upper()
            return min(whole, max(0.0, upper(ball(self.budget) + inside.log()))) if inside > 0 else 0.0

    def beta(self, alpha: float) -> float:
        """Type II error is at least max(0, 1 − e^ε α, e^−ε (1 − α)), rounded down  [A Thm 3.4]."""
        level = probability(alpha, "alpha")
        if level == 0:
            return 1.0  # e^ε may be too large even for a ball, and ∞·0 is no number
        with precision(128):
            growth = ball(self.budget).exp()
            return max(0.0, lower(1 - growth * ball(level)), lower((1 - ball(level)) / growth))

    def compose(self, *others: "PureDP") -> "PureDP":
        """Budgets add when each release has randomness of its own  [A Thm 3.3, D Thm 1.3]."""
        for other in others:
            if not isinstance(other, PureDP):
                raise UnprovenClaim(f"pure DP composes with pure DP only, got {type(other).__name__}")
            self.relation.same_as(other.relation)
        return PureDP(self.budget + sum((other.budget for other in others), Fraction(0)), self.relation)

    def repeat(self, times: int) -> "PureDP":
        """`times` equal budgets add  [A Thm 3.3, D Thm 1.3]."""
        return PureDP(self.budget * _count(times, "times"), self.relation)

    def group(self, size: int) -> "PureDP":
        """A group of k units is protected with kε  [A Prop 3.2]."""
        return PureDP(self.budget * _count(size, "size"), self.relation)

    def to(self, relation: Relation) -> "PureDP":
        """ADD_REMOVE gives CHANGE_ONE at 2ε: remove one unit, add another  [A Prop 4.1]. The converse does not hold."""
        wanted = Relation.of(relation)
        if wanted is self.relation:
            return self
        if wanted is Relation.ADD_REMOVE:
            raise MixedRelations("a change-one guarantee says nothing about adding or removing a unit")
        return PureDP(2 * self.budget, wanted)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        return f"PureDP({self.budget}{suffix})"

    def __str__(self) -> str:
        shown = Context(prec=6, rounding=ROUND_CEILING).divide(
            Decimal(self.budget.numerator), Decimal(self.budget.denominator)
        )
        digits = f"{float(shown):.6g}" if shown == 0 or shown.adjusted() > -300 else str(shown)  # floats end at 0
        return f"{digits}-differential privacy ({self.relation.value} neighbors)"


def _count(value: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise InvalidParameter(f"{name} must be a whole number ≥ 0, got {value!r}")
    return int(value)


def _magnitude(number: Fraction) -> int:
    """How many bits the number is away from 1."""
    return abs(number.numerator.bit_length() - number.denominator.bit_length())
