"""Privacy odometers: a running figure of what has been lost, for budgets and stopping points chosen as one goes.

An odometer's figure is a bound on the realised loss that holds, with probability 1 − δ, at all times at once
[RRUV16].
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees.guarantee import Guarantee
from dalenius.neighbors import Relation
from dalenius.numerics import Number, ball, float_above, positive, precision, probability, upper


@dataclass(frozen=True, slots=True)
class SumOdometer:
    """Σε so far: pure losses never exceed it, so it holds at every time with certainty; Σδ is what may fail.

    [A Thm 3.3]
    """

    relation: Relation = Relation.ADD_REMOVE
    spent_epsilon: Fraction = Fraction(0)
    spent_delta: Fraction = Fraction(0)

    def charge(self, guarantee: Guarantee) -> "SumOdometer":
        """The state after one more mechanism."""
        self.relation.same_as(guarantee.relation)
        form = guarantee.sum_form
        if form is None:
            raise UnprovenClaim(
                f"{type(guarantee).__name__} has no (ε, δ) of its own to add up; charge an ApproxDP it implies"
            )
        return replace(self, spent_epsilon=self.spent_epsilon + form[0], spent_delta=self.spent_delta + form[1])

    @property
    def epsilon(self) -> float:
        """The figure."""
        return float_above(self.spent_epsilon)


@dataclass(frozen=True, slots=True)
class ConcentratedOdometer:
    """A bound from zCDP filters of caps start·2^j, j = 0, 1, …, of which the figure uses the first not yet exceeded.

    Each filter is sound by itself  [FZ21]; level j may fail with probability delta/((j+1)(j+2)), which
    sums to delta, half of it for either sign of the loss. The loss of ρ-zCDP exceeds ρ + 2√(ρ·log(1/δ)) with
    probability at most δ [BS16, Lem 3.5].
    """

    start: Fraction
    delta: Fraction
    relation: Relation = Relation.ADD_REMOVE
    spent: Fraction = Fraction(0)

    @classmethod
    def of(cls, start: Number, delta: Number, relation: Relation = Relation.ADD_REMOVE) -> "ConcentratedOdometer":
        """A fresh odometer: `start` is the smallest ρ at which it reads, delta what may fail over its whole life."""
        slack = probability(delta, "delta")
        if slack == 0:
            raise InvalidParameter("a concentrated odometer needs delta > 0")
        return cls(positive(start, "start"), slack, relation)

    def charge(self, guarantee: Guarantee) -> "ConcentratedOdometer":
        """The state after one more mechanism; approximate parts have no form here."""
        self.relation.same_as(guarantee.relation)
        form = guarantee.concentrated_form
        if form is None or form.delta > 0:
            raise UnprovenClaim(f"{guarantee!r} has no ρ with δ = 0")
        return replace(self, spent=self.spent + form.rho)

    @property
    def level(self) -> int:
        """The first j with spent ≤ start·2^j."""
        level = 0
        while self.spent > self.start * 2**level:
            level += 1
        return level

    @property
    def epsilon(self) -> float:
        """The figure: ρ + 2√(ρ·log(2/δ_j)) at the cap of the level."""
        rho = self.start * 2**self.level
        share = self.delta / (2 * (self.level + 1) * (self.level + 2))
        with precision(96):
            return upper(ball(rho) + 2 * (ball(rho) * -ball(share).log()).sqrt())
