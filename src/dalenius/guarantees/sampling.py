"""Secret random samples of the data, and what they do to ε.

A sample that keeps each unit independently goes with ADD_REMOVE, one of fixed size with CHANGE_ONE: the theorems
do not hold crosswise  [A Thm 14.3, A Def 14.3].
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from dalenius.calls import Readable
from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.neighbors import Relation
from dalenius.numerics import Number, ball, fraction_above, precision, probability


class Sampling(Readable, ABC):
    """How a secret sample is drawn."""

    __slots__ = ()

    @property
    @abstractmethod
    def rate(self) -> Fraction:
        """The probability that one unit is in the sample."""

    @property
    @abstractmethod
    def relation(self) -> Relation:
        """The relation for which amplification by this sampling is proved."""

    def rate_for(self, relation: Relation) -> Fraction:
        """The rate, refused for the other relation."""
        if relation is not self.relation:
            raise MixedRelations(
                f"{type(self).__name__} amplifies {self.relation.value} guarantees only, "
                f"got one for {relation.value} neighbors"
            )
        return self.rate


@dataclass(frozen=True, slots=True, init=False)
class PoissonSampling(Sampling):
    """Each unit is kept independently with probability `rate`; ADD_REMOVE  [A Alg 6, A Def 14.3]."""

    rate: Fraction

    def __init__(self, rate: Number) -> None:
        object.__setattr__(self, "rate", probability(rate, "rate"))

    @property
    def relation(self) -> Relation:
        """ADD_REMOVE."""
        return Relation.ADD_REMOVE


@dataclass(frozen=True, slots=True)
class SubsetSampling(Sampling):
    """A uniform subset of `size` out of `total` units, both public; CHANGE_ONE  [A Def 14.3, A Thm 13.7]."""

    size: int
    total: int

    def __post_init__(self) -> None:
        for name, value in (("size", self.size), ("total", self.total)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise InvalidParameter(f"{name} must be a whole number, got {value!r}")
        if not 0 <= self.size <= self.total or self.total == 0:
            raise InvalidParameter(f"a subset needs 0 ≤ size ≤ total and total ≥ 1, got {self.size} of {self.total}")

    @property
    def rate(self) -> Fraction:
        """m/n."""
        return Fraction(self.size, self.total)

    @property
    def relation(self) -> Relation:
        """CHANGE_ONE."""
        return Relation.CHANGE_ONE


def amplified_epsilon(epsilon: Fraction, rate: Fraction) -> Fraction:
    """log(1 + q(e^ε − 1)), rounded up; tight, and between qε and ε  [A Prop 11.1, A Rem 13.10].

    The printed qε (A §11.1) and its O(qε) are below it: at q = .01, ε = 10 it is 5.4.
    """
    if rate == 0 or epsilon == 0:
        return Fraction(0)
    if rate == 1:
        return epsilon
    with precision(192):
        if epsilon < 1:
            grown = (ball(rate) * ball(epsilon).expm1()).log1p()
        else:  # e^ε taken out, so that a large ε cannot overflow
            grown = ball(epsilon) + (ball(rate) + ball(1 - rate) * (-ball(epsilon)).exp()).log()
        return min(epsilon, fraction_above(grown))
