"""Pure differential privacy."""

from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import InvalidParameter, MixedRelations
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
            gap = -(ball(at - self.budget)).expm1()
            return min(1.0, upper(gap / (1 + (-ball(self.budget)).exp())))

    def epsilon(self, delta: float = 0.0) -> float:
        """Smallest ε proved at δ: log(e^ε₀ − δ(1 + e^ε₀)), at least 0, rounded up  [KOV15, Thm 3.2]."""
        slack = probability(delta, "delta")
        if slack == 0:
            return float_above(self.budget)
        with precision(192):
            inside = 1 - ball(slack) * (1 + (-ball(self.budget)).exp())
            if not inside > 0:
                return 0.0 if slack >= Fraction(1, 2) else float_above(self.budget)
            return max(0.0, upper(ball(self.budget) + inside.log()))

    def beta(self, alpha: float) -> float:
        """Type II error is at least max(0, 1 − e^ε α, e^−ε (1 − α)), rounded down  [A Thm 3.4]."""
        level = probability(alpha, "alpha")
        with precision(128):
            growth = ball(self.budget).exp()
            return max(0.0, lower(1 - growth * ball(level)), lower((1 - ball(level)) / growth))

    def compose(self, *others: "PureDP") -> "PureDP":
        """Budgets add when each release has randomness of its own  [A Thm 3.3, D Thm 1.3]."""
        for other in others:
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
        if relation is self.relation:
            return self
        if relation is Relation.ADD_REMOVE:
            raise MixedRelations("a change-one guarantee says nothing about adding or removing a unit")
        return PureDP(2 * self.budget, relation)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        return f"PureDP({self.budget}{suffix})"

    def __str__(self) -> str:
        return f"{float_above(self.budget):.6g}-differential privacy ({self.relation.value} neighbors)"


def _count(value: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidParameter(f"{name} must be a whole number ≥ 0, got {value!r}")
    return value
