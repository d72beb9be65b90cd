"""The exponential mechanism over finitely many candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from dalenius.errors import InvalidParameter
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms.selection import (
    AnyUtilities,
    MonotoneUtilities,
    Scores,
    Selection,
    counted,
    level,
    whole_scores,
)
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits, Choice
from dalenius.noise.finite import FiniteLaw
from dalenius.noise.weighted_choice import WeightedChoice
from dalenius.numerics import Number, ball, fraction_above, positive, precision, stored_fraction


class ExponentialChoice(Selection):
    """Candidate i with probability ∝ base[i] · exp(score[i] / scale)."""

    __slots__ = ()

    base: tuple[Fraction, ...] | None
    """The base measure, public: a weight > 0 for each candidate; None is 1 for each."""

    def law(self, scores: Scores) -> FiniteLaw:
        """The law of the index  [S Def 2.5, A Thm 7.1]."""
        whole = whole_scores(scores)
        if self.base is None:
            return Choice(whole, 1 / self.scale)
        if len(whole) != len(self.base):
            raise InvalidParameter(f"the base measure has {len(self.base)} weights: give a score for each")
        return WeightedChoice(whole, 1 / self.scale, self.base)

    def release(self, answer: Scores, bits: Bits) -> int:
        """One draw of the law, exactly; Gumbel noise of this scale and the largest sum have it too  [A Prop 7.1]."""
        return int(self.law(answer).sample(bits, 1)[0])

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> BoundedRange:
        """ε = 2Δ/scale, for monotone utilities Δ/scale, as the *range* of the loss  [A Thm 7.1, S Thm 1, DDR20].

        log P[i]/P'[i] = (u_i − u'_i)/scale + log Z'/Z. The last term is the same for all i, and the first lies between
        −Δ and Δ over the scale (0 and Δ, or −Δ and 0, if all utilities move the same way): an interval of that length.
        """
        return BoundedRange(self.spread(sensitivity, relation) / self.scale, relation)

    def accuracy(self, beta: Number, candidates: int, optima: int = 1) -> Fraction:
        """The least r for which P[the best score − that of the chosen > r] ≤ beta whatever the scores, rounded up.

        Let w be the share of the base measure on the optima. The others do most harm all at one gap g > r, where they
        have (1−w)e^(−g/scale) against w: r = scale · log((1−w)(1−beta)/(w·beta)). With equal weights and t = log 1/beta
        that is below scale · (log(candidates/optima) + t)  [A Thm 7.2, A Cor 7.1, S Thm 2, S Cor 2.1].
        """
        chance, share = level(beta), self._share(*counted(candidates, optima))
        odds = (1 - share) * (1 - chance) / (share * chance)
        if odds <= 1:
            return Fraction(0)
        with precision(128):
            return fraction_above(ball(self.scale) * ball(odds).log())

    def expected_gap(self, candidates: int, optima: int = 1) -> Fraction:
        """At least E[the best score − that of the chosen]: scale · log(1/w), w the optima's share  [A Ex 7.3].

        For a base b that sums to 1, scale·log Σ bᵢe^(uᵢ/scale) = E u − scale·KL(law ‖ b) ≤ E u, and it is at least
        OPT − scale·log(1/w).
        """
        share = self._share(*counted(candidates, optima))
        if share == 1:
            return Fraction(0)
        with precision(128):
            return fraction_above(-ball(self.scale) * ball(share).log())

    def _share(self, candidates: int, optima: int) -> Fraction:
        """The least share of the base measure that `optima` candidates can have."""
        if self.base is None:
            return Fraction(optima, candidates)
        if candidates != len(self.base):
            raise InvalidParameter(f"the base measure has {len(self.base)} weights, got {candidates} candidates")
        return sum(sorted(self.base)[:optima], Fraction(0)) / sum(self.base)

    def facts(self) -> dict[str, str]:
        """Name and parameters; the weights of a base measure in one text."""
        known = {"name": self.name, "scale": str(self.scale)}
        return known if self.base is None else known | {"base": " ".join(map(str, self.base))}

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        base = tuple(map(Fraction, facts["base"].split())) if "base" in facts else None
        return cls(stored_fraction(facts["scale"]), base)  # type: ignore[call-arg]


@dataclass(frozen=True, slots=True)
class Exponential(ExponentialChoice, AnyUtilities):
    """The exponential mechanism: ε = 2Δ/scale, so `calibrate` gives weights exp(ε·score / 2Δ)  [A Thm 7.1, S Def 2.5].

    Four people bid 1, 1, 1 and 4.01 for a pumpkin; the seller earns 4.01 at that price, 4 at 1, 1.01 at 1.01 and
    nothing at 4.02, so noise on the price itself could cost everything  [A Ex 7.1]. In cents, where one bid of at most
    5 moves no revenue by more than 500:

    >>> from math import exp
    >>> from dalenius.guarantees import PureDP
    >>> from dalenius.neighbors import Metric
    >>> bids, prices = [100, 100, 100, 401], [100, 101, 401, 402]
    >>> revenue = [price * sum(bid >= price for bid in bids) for price in prices]
    >>> revenue
    [400, 101, 401, 0]
    >>> pumpkins = Exponential.least(Sensitivity(500, Metric.LINF), PureDP(10))
    >>> [round(exp(pumpkins.law(revenue).log_mass(i)), 3) for i in range(4)]
    [0.481, 0.024, 0.486, 0.009]

    Chocolate with bids 1, 1, 1 and 3.1 sells for 3.1 at 3.1, 3.0 at 3.0, nothing at 3.2; at 1.0 all four buy, which is
    4.0 and the best (printed 3.0)  [S Ex 2.1]:

    >>> bids, prices = [100, 100, 100, 310], [100, 300, 310, 320]
    >>> [price * sum(bid >= price for bid in bids) for price in prices]
    [400, 300, 310, 0]
    """

    scale: Fraction
    base: tuple[Fraction, ...] | None = None

    name: ClassVar[str] = "exponential"

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class MonotoneExponential(ExponentialChoice, MonotoneUtilities):
    """The exponential mechanism for utilities that no added unit lowers, under ADD_REMOVE: ε = Δ/scale  [A Thm 7.1]."""

    scale: Fraction
    base: tuple[Fraction, ...] | None = None

    name: ClassVar[str] = "monotone exponential"

    def __post_init__(self) -> None:
        check(self)


def check(mechanism: ExponentialChoice) -> None:
    """Make the parameters exact; refuse a scale or a weight that is not > 0  [A Thm 7.1]."""
    object.__setattr__(mechanism, "scale", positive(mechanism.scale, "scale"))
    if mechanism.base is not None:
        object.__setattr__(mechanism, "base", base_measure(mechanism.base))


def base_measure(weights: Sequence[Number]) -> tuple[Fraction, ...]:
    """A weight > 0 for each candidate."""
    if isinstance(weights, str) or not isinstance(weights, Sequence) or not weights:
        raise InvalidParameter("a base measure must be a list of weights > 0, one for each candidate")
    return tuple(positive(weight, "weight") for weight in weights)
