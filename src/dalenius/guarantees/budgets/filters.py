"""Privacy filters: budgets that stay sound when every next mechanism is chosen after seeing what the last ones gave.

A filter is a value: `charge` gives the next one, or refuses. What it promises holds for the whole interaction,
whenever it stops, as long as no mechanism runs that was refused. Each guarantee states its form for each filter,
or that it has none.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from dalenius.calls import named_arguments
from dalenius.errors import BudgetExceeded, InvalidParameter, UnprovenClaim
from dalenius.guarantees.curves.orders import order_of
from dalenius.guarantees.guarantee import Guarantee
from dalenius.guarantees.notions.approx import ApproxDP
from dalenius.guarantees.notions.gdp import GDP
from dalenius.guarantees.notions.renyi import RenyiDP
from dalenius.guarantees.notions.zcdp import ZCDP
from dalenius.neighbors import Relation
from dalenius.numerics import (
    Number,
    ball,
    float_below,
    lower,
    nonnegative,
    positive,
    precision,
    probability,
)

_ORDERS = tuple(Fraction(n, 4) for n in (5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96)) + tuple(
    Fraction(2) ** exponent for exponent in range(5, 17)
)


class Filter(ABC):
    """A cap that adaptively chosen guarantees are charged to."""

    __slots__ = ()

    @property
    @abstractmethod
    def relation(self) -> Relation:
        """What makes two data sets neighbors here."""

    @abstractmethod
    def _charged(self, guarantee: Guarantee) -> Self:
        """The state after the charge, whether or not it is within the cap."""

    @abstractmethod
    def _within(self) -> bool:
        """Whether the state is within the cap."""

    def charge(self, guarantee: Guarantee) -> Self:
        """The state after the charge, or BudgetExceeded: then the mechanism must not run."""
        self.relation.same_as(guarantee.relation)
        after = self._charged(guarantee)
        if not after._within():
            raise BudgetExceeded(f"{guarantee!r} is more than this filter has left")
        return after

    def admits(self, guarantee: Guarantee) -> bool:
        """Whether `charge` would go through."""
        self.relation.same_as(guarantee.relation)
        return self._charged(guarantee)._within()


@dataclass(frozen=True, slots=True)
class SumFilter(Filter):
    """Σε ≤ epsilon and Σδ ≤ delta: the whole is (epsilon, delta)-DP  [RRUV16; A Thm 3.3]."""

    epsilon: Fraction
    delta: Fraction
    relation: Relation = Relation.ADD_REMOVE
    spent_epsilon: Fraction = Fraction(0)
    spent_delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0, relation: Relation = Relation.ADD_REMOVE) -> "SumFilter":
        """A fresh filter."""
        return cls(nonnegative(epsilon, "epsilon"), probability(delta, "delta"), relation)

    @property
    def guarantee(self) -> ApproxDP:
        """What holds whenever it stops  [RRUV16; A Thm 3.3]."""
        return ApproxDP(self.epsilon, self.delta, self.relation)

    def _charged(self, guarantee: Guarantee) -> "SumFilter":
        form = guarantee.sum_form
        if form is None:
            raise UnprovenClaim(
                f"{type(guarantee).__name__} has no (ε, δ) of its own to add up; charge an ApproxDP it implies"
            )
        return replace(self, spent_epsilon=self.spent_epsilon + form[0], spent_delta=self.spent_delta + form[1])

    def _within(self) -> bool:
        return self.spent_epsilon <= self.epsilon and self.spent_delta <= self.delta


@dataclass(frozen=True, slots=True)
class ConcentratedFilter(Filter):
    """Σρ ≤ rho and Σδ ≤ delta: the whole is delta-approximate rho-zCDP  [FZ21; WRRW23].

    Feldman and Zrnic: at each order the divergences may be chosen adaptively as long as their sum stays below a
    bound fixed in advance, here rho times the order, at every order at once.
    """

    rho: Fraction
    delta: Fraction
    relation: Relation = Relation.ADD_REMOVE
    spent_rho: Fraction = Fraction(0)
    spent_delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, rho: Number, delta: Number = 0, relation: Relation = Relation.ADD_REMOVE) -> "ConcentratedFilter":
        """A fresh filter."""
        return cls(nonnegative(rho, "rho"), probability(delta, "delta"), relation)

    @classmethod
    def for_budget(
        cls, epsilon: Number, delta: Number, failure: Number = 0, relation: Relation = Relation.ADD_REMOVE
    ) -> "ConcentratedFilter":
        """The largest ρ found whose whole is (epsilon, delta)-DP, `failure` of delta kept for approximate parts."""
        lost, total = probability(failure, "failure"), probability(delta, "delta")
        if lost >= total:
            raise InvalidParameter(f"failure must be below delta, got {failure} of {delta}")
        return cls(largest_rho(epsilon, total - lost), lost, relation)

    def guarantee_at(self, delta: Number) -> ApproxDP:
        """What holds whenever it stops, at a total δ: the failures and, of the rest, zCDP's ε  [BS16]."""
        rest = probability(delta, "delta") - self.delta
        if rest <= 0:
            raise InvalidParameter(f"delta must exceed the filter's own {self.delta}, got {delta}")
        epsilon = ZCDP(self.rho).epsilon(float_below(rest))
        return ApproxDP(Fraction(epsilon), self.delta + rest, self.relation)

    def _charged(self, guarantee: Guarantee) -> "ConcentratedFilter":
        form = guarantee.concentrated_form
        if form is None:
            raise UnprovenClaim(f"{type(guarantee).__name__} has no ρ; charge an ApproxDP it implies")
        return replace(self, spent_rho=self.spent_rho + form.rho, spent_delta=self.spent_delta + form.delta)

    def _within(self) -> bool:
        return self.spent_rho <= self.rho and self.spent_delta <= self.delta


@dataclass(frozen=True, slots=True)
class RenyiFilter(Filter):
    """Σ D_α ≤ cap at one order α fixed in advance: the whole has divergence at most cap there  [FZ21]."""

    order: Fraction
    cap: Fraction
    relation: Relation = Relation.ADD_REMOVE
    spent: Fraction = Fraction(0)

    @classmethod
    def of(cls, order: Number, cap: Number, relation: Relation = Relation.ADD_REMOVE) -> "RenyiFilter":
        """A fresh filter."""
        at = order_of(order)
        if at is None or at == 1:
            raise InvalidParameter(f"order must be finite and > 1, got {order}")
        return cls(at, nonnegative(cap, "cap"), relation)

    @classmethod
    def for_budget(
        cls, epsilon: Number, delta: Number, order: Number | None = None, relation: Relation = Relation.ADD_REMOVE
    ) -> "RenyiFilter":
        """The largest cap whose whole is (epsilon, delta)-DP; by default at the order where Gaussian noise gets most.

        δ = e^((α−1)(D − ε))·(1 − 1/α)^(α−1)/α solved for D  [CKS20, Prop 12]; a Gaussian's divergence is ρα, so D/α
        decides.
        """
        at, slack = positive(epsilon, "epsilon"), probability(delta, "delta")
        orders = _ORDERS if order is None else (cls.of(order, 0).order,)
        cap, best = max(((largest_divergence(at, slack, each), each) for each in orders), key=lambda c: c[0] / c[1])
        if cap <= 0:
            raise InvalidParameter(f"no Rényi divergence of order {best} gives ({epsilon}, {delta}); raise delta")
        return cls.of(best, cap, relation)

    @property
    def guarantee(self) -> RenyiDP:
        """What holds whenever it stops  [FZ21]."""
        return RenyiDP({self.order: self.cap}, self.relation)

    def _charged(self, guarantee: Guarantee) -> "RenyiFilter":
        divergence = guarantee.renyi(self.order)
        if divergence == float("inf"):
            raise UnprovenClaim(f"{type(guarantee).__name__} has no finite divergence of order {self.order}")
        return replace(self, spent=self.spent + Fraction(divergence))

    def _within(self) -> bool:
        return self.spent <= self.cap


@dataclass(frozen=True, slots=True)
class GaussianFilter(Filter):
    """Σμ² ≤ square: the whole is √square-GDP  [ST22]."""

    square: Fraction
    relation: Relation = Relation.ADD_REMOVE
    spent: Fraction = Fraction(0)

    @classmethod
    def of(cls, mu: Number, relation: Relation = Relation.ADD_REMOVE) -> "GaussianFilter":
        """A fresh filter."""
        return cls(nonnegative(mu, "mu") ** 2, relation)

    @classmethod
    def for_budget(cls, epsilon: Number, delta: Number, relation: Relation = Relation.ADD_REMOVE) -> "GaussianFilter":
        """The largest μ² found whose whole is (epsilon, delta)-DP  [BW18, Thm 8]."""
        at, slack = float_below(nonnegative(epsilon, "epsilon")), float_below(probability(delta, "delta"))
        return cls(_largest(lambda square: GDP.root(square).delta(at) <= slack) if slack else Fraction(0), relation)

    @property
    def guarantee(self) -> GDP:
        """What holds whenever it stops  [ST22]."""
        return GDP.root(self.square, self.relation)

    def _charged(self, guarantee: Guarantee) -> "GaussianFilter":
        form = guarantee.gaussian_form
        if form is None:
            raise UnprovenClaim(f"{type(guarantee).__name__} is not Gaussian differential privacy for any μ")
        return replace(self, spent=self.spent + form)

    def _within(self) -> bool:
        return self.spent <= self.square


@named_arguments
def largest_rho(epsilon: Number, delta: Number) -> Fraction:
    """A ρ, within a millionth of the largest, for which ρ-zCDP is proved to give (epsilon, delta)-DP."""
    at, slack = positive(epsilon, "epsilon"), probability(delta, "delta")
    if slack == 0:
        return Fraction(0)
    return _largest(lambda rho: ZCDP(rho).delta(float_below(at)) <= float_below(slack))


def largest_divergence(epsilon: Fraction, delta: Fraction, order: Fraction) -> Fraction:
    """The D, rounded down, for which divergence D of one order gives (epsilon, delta)-DP; 0 if none does.

    [CKS20, Prop 12]
    """
    if delta == 0:
        return Fraction(0)
    with precision(128):
        divergence = lower(ball(epsilon) + ball(delta * order).log() / ball(order - 1) - ball(1 - 1 / order).log())
    return max(Fraction(0), Fraction(divergence))


def _largest(proved: Callable[[Fraction], bool]) -> Fraction:
    """A number, within a millionth of the largest, at which a claim that only gets harder is proved."""
    low, high = Fraction(0), Fraction(1)
    while proved(high):
        low, high = high, 2 * high
    while high - low > low / 10**6 and high > Fraction(1, 10**30):
        middle = Fraction(float_below((low + high) / 2)) if low else high / 16
        low, high = (middle, high) if proved(middle) else (low, middle)
    return low
