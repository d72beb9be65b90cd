"""Randomized response: everybody answers for themselves, and sometimes by a coin."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.mechanism import Integers, Mechanism
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits, UniformInteger
from dalenius.noise.pieces import Pieces
from dalenius.numerics import Number, ball, fraction_above, positive, precision, probability, upper


class Response(Mechanism):
    """Report the truth with probability `stay`, and each other of the declared values with the same smaller chance.

    Values are the whole numbers 0, …, values − 1, nothing between: a real number in [0, 1] would be published as it is
    (A Ex 4.2, corrected). With p the chance of a coin answer, which is uniform over the k values, stay = 1 − p + p/k.
    """

    __slots__ = ()

    values: int

    @abstractmethod
    def odds(self) -> arb:
        """P[truth] over P[one other value], an enclosure at the working precision: e^ε."""

    @property
    @abstractmethod
    def cost(self) -> Fraction:
        """The ε of one report: the logarithm of the odds, rounded up."""

    def stay(self) -> arb:
        """P[truth] = e^ε / (e^ε + k − 1)."""
        return self.odds() / (self.odds() + self.values - 1)

    def release(self, answer: Sequence[int] | Integers, bits: Bits) -> Integers:
        """Each value kept, or replaced by one of the others."""
        truth = self._declared(answer)
        pieces = _pieces(self)
        moved = pieces.resolve(bits, pieces.cells[bits.words(np.uint16, truth.size)])
        step = 1 + UniformInteger(self.values - 1).sample(bits, truth.size)
        reported: Integers = (truth + moved * step) % self.values
        return reported

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.CHANGE_ONE) -> PureDP:
        """ε = log((1 − p + p/k)/(p/k)) for each report of a unit; log((2−p)/p) with two values  [A Thm 3.1, A Rem 4.4].

        Local, so that nobody need be trusted. `sensitivity` counts the reports of one unit, in units; how many reports
        there are in all is public, hence change-one neighbors only.
        """
        if Relation.of(relation) is not Relation.CHANGE_ONE:
            raise MixedRelations(
                "randomized response does not hide how many reports there are: use change-one neighbors"
            )
        return PureDP(self.cost * ceil(sensitivity.units), relation)

    def estimate(self, reports: Sequence[int] | Integers) -> NDArray[np.float64]:
        """The unbiased estimate (share of reports − p/k)/(1 − p) of the true share of each value  [A Ex 3.2]."""
        shares = np.bincount(self._declared(reports), minlength=self.values) / max(1, len(reports))
        with precision(128):
            coin = self._coin()
            if not coin < 1:
                raise InvalidParameter("reports by coin alone say nothing: there is no estimate at ε = 0")
            floor, slope = float((coin / self.values).mid()), float((1 - coin).mid())
        estimate: NDArray[np.float64] = (shares - floor) / slope
        return estimate

    def variance(self, size: int, share: Number) -> float:
        """Of an estimated share θ from n people drawn at random: y(1 − y)/(n(1 − p)²), y = (1−p)θ + p/k, rounded up.

        With two values that is (e^ε/(e^ε − 1)² + θ(1 − θ))/n  [A Ex 3.2].
        """
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise InvalidParameter(f"size must be a whole number ≥ 1, got {size!r}")
        true = probability(share, "share")
        with precision(128):
            coin = self._coin()
            if not coin < 1:
                raise InvalidParameter("reports by coin alone say nothing: there is no estimate at ε = 0")
            seen = (1 - coin) * ball(true) + coin / self.values
            return upper(seen * (1 - seen) / (size * (1 - coin) ** 2))

    def _coin(self) -> arb:
        """P = k (1 − stay)/(k − 1), which is 2/(1 + e^ε) with two values  [A Rem 3.2]."""
        return self.values / (self.odds() + self.values - 1)

    def _declared(self, answer: Any) -> Integers:
        """The answers as int64; the refusal says nothing of them."""
        given = np.asarray(answer)
        codes = given.dtype.kind in "iu" and given.ndim == 1
        if not codes or (given.size and not (given.min() >= 0 and given.max() < self.values)):
            raise InvalidParameter(
                f"an answer must be one of the declared values 0 to {self.values - 1}, nothing between"
            )
        return given.astype(np.int64)


@dataclass(frozen=True, slots=True)
class RandomizedResponse(Response):
    """The truth with probability 1 − coin, else a uniform value: the survey of the notes  [A Thm 3.1].

    >>> from dalenius.neighbors import Metric
    >>> round(RandomizedResponse(Fraction(1, 2)).guarantee(Sensitivity(1, Metric.UNITS)).epsilon(0), 6)
    1.098612
    """

    coin: Fraction
    values: int = 2

    name: ClassVar[str] = "randomized response"

    def __post_init__(self) -> None:
        object.__setattr__(self, "coin", positive(self.coin, "coin"))
        if self.coin > 1:
            raise InvalidParameter(f"coin is a chance and must be at most 1, got {self.coin}")
        object.__setattr__(self, "values", _two_or_more(self.values))

    def odds(self) -> arb:
        """(1 − p + p/k)/(p/k), which is (2 − p)/p with two values  [A Thm 3.1]."""
        return ball(self._ratio)

    @property
    def cost(self) -> Fraction:
        """The logarithm of the odds, rounded up by less than 2⁻⁹⁰ of itself  [A Thm 3.1]."""
        if self._ratio == 1:
            return Fraction(0)
        with precision(192):
            return fraction_above(ball(self._ratio - 1).log1p())

    def scaled(self, factor: Number) -> Self:
        """The coin `factor` times as often, at most always."""
        return replace(self, coin=min(Fraction(1), self.coin * positive(factor, "factor")))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """P = 2/(1 + e^ε) for two values, rounded up  [A Rem 3.2]."""
        epsilon = _each(sensitivity, target)
        with precision(192):
            return cls(fraction_above(2 / (1 + ball(epsilon).exp())))

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        return cls(Fraction(facts["coin"]), int(facts["values"]))

    @property
    def _ratio(self) -> Fraction:
        other = self.coin / self.values
        return (1 - self.coin + other) / other


@dataclass(frozen=True, slots=True)
class TunedResponse(Response):
    """Randomized response with a rational ε, met exactly: the truth with probability e^ε/(e^ε + k − 1)  [A Ex 4.2].

    >>> from dalenius.neighbors import Metric
    >>> TunedResponse(Fraction(1)).guarantee(Sensitivity(1, Metric.UNITS))
    PureDP(1, Relation.CHANGE_ONE)
    """

    epsilon: Fraction
    values: int = 2

    name: ClassVar[str] = "tuned response"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "values", _two_or_more(self.values))

    def odds(self) -> arb:
        """e^ε  [A Ex 4.2]."""
        return ball(self.epsilon).exp()

    @property
    def cost(self) -> Fraction:
        """ε, exactly."""
        return self.epsilon

    def scaled(self, factor: Number) -> Self:
        """ε divided by `factor`."""
        return replace(self, epsilon=self.epsilon / positive(factor, "factor"))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """ε shared by the reports of one unit  [A Rem 3.2, A Thm 3.3]."""
        return cls(_each(sensitivity, target))

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        return cls(Fraction(facts["epsilon"]), int(facts["values"]))


def _two_or_more(values: int) -> int:
    if isinstance(values, bool) or not isinstance(values, int) or not 2 <= values <= 2**31:
        raise InvalidParameter(f"values must be a whole number from 2 to 2^31, got {values!r}")
    return values


def _each(sensitivity: Sensitivity, target: Guarantee) -> Fraction:
    """The ε of each of a unit's reports."""
    if not isinstance(target, PureDP):
        raise UnprovenClaim(f"randomized response is calibrated to PureDP, got {type(target).__name__}")
    if sensitivity.units == 0:
        raise InvalidParameter("sensitivity is 0: nobody reports")
    return positive(target.budget, "epsilon") / ceil(sensitivity.units)


@lru_cache(maxsize=64)
def _pieces(response: Response) -> Pieces:
    """Piece 0 is the truth, piece 1 another value."""
    return Pieces(lambda: [response.stay(), 1 - response.stay()])
