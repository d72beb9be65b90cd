"""Privacy filters: budgets that stay sound when every next mechanism is chosen after seeing what the last ones gave.

A filter is a value: `charge` gives the next one, or refuses. What it promises holds for the whole interaction,
whenever it stops, as long as no mechanism runs that was refused. Each guarantee states its form for each filter,
or that it has none.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from dalenius.errors import BudgetExceeded, InvalidParameter, UnprovenClaim
from dalenius.guarantees.approx import ApproxDP
from dalenius.guarantees.gdp import GDP
from dalenius.guarantees.guarantee import Guarantee
from dalenius.guarantees.orders import order_of
from dalenius.guarantees.renyi import RenyiDP
from dalenius.guarantees.zcdp import ZCDP
from dalenius.neighbors import Relation
from dalenius.numerics import Number, float_above, float_below, nonnegative, positive, probability


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


def largest_rho(epsilon: Number, delta: Number) -> Fraction:
    """A ρ, within a millionth of the largest, for which ρ-zCDP is proved to give (epsilon, delta)-DP."""
    at, slack = positive(epsilon, "epsilon"), probability(delta, "delta")
    if slack == 0:
        return Fraction(0)

    def proved(rho: Fraction) -> bool:
        return ZCDP(rho).delta(float_below(at)) <= float_below(slack)

    low, high = Fraction(0), Fraction(float_above(at))
    while proved(high):
        low, high = high, 2 * high
    while high - low > low / 10**6 and high > Fraction(1, 10**30):
        middle = Fraction(float_below((low + high) / 2)) if low else high / 16
        low, high = (middle, high) if proved(middle) else (low, middle)
    return low
