"""A table that is itself a secret random sample of a population: its cap, so that the population keeps its own.

All questions read the *same* sample, so what sampling hides, it hides of the whole transcript, once: charges stay as
they are, and the cap is translated when the data set is created. Amplifying each charge and adding them up would count
the same coins again with every question.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.ledger.amount import Amount
from dalenius.neighbors import Relation
from dalenius.numerics import Number, ball, fraction_below, precision, rational

_DIGITS, _KEPT = 4096, 512
_MOST = 1000


@dataclass(frozen=True, slots=True)
class SecretSample:
    """Each person of a population was drawn with probability `rate`, on their own, and who was drawn is told to nobody.

    `population` is the cap (ε, δ) that is promised to everybody in the population, and `cap` what the sample may spend.
    """

    rate: Fraction
    population: Amount

    @classmethod
    def declared(cls, rate: Number, epsilon: Number, delta: Number, relation: Relation) -> "SecretSample":
        """What an owner says of a table, checked against the hypotheses of the remark."""
        share = rational(rate, "sample")
        if not 0 < share < 1:
            raise InvalidParameter(f"sample must lie strictly between 0 and 1, such as Fraction(1, 10), got {rate}")
        if relation is not Relation.ADD_REMOVE:
            raise UnprovenClaim(
                f"a sample in which everybody was drawn on their own goes with {Relation.ADD_REMOVE.value} neighbors, "
                f"not with {relation.value}"
            )
        population = Amount.limit(epsilon, delta)
        if population.epsilon > _MOST:
            raise InvalidParameter(f"with sample= a budget has ε ≤ {_MOST}, got {float(population.epsilon):g}")
        if population.delta >= share:
            raise InvalidParameter(
                f"with sample={share} the δ of the budget must lie below that, got {float(population.delta):g}"
            )
        return cls(share, population)

    @property
    def cap(self) -> Amount:
        """(log(1 + (e^ε − 1)/p), δ/p), rounded down: the largest that becomes no more than (ε, δ)  [A Rem 11.2].

        Whatever is (ε', δ')-private for the sample is (log(1 + p(e^ε' − 1)), pδ')-private for the population, for one
        who comes and for one who goes: with the person out of the sample, as is so with probability 1 − p, the output
        has the law that it would have without them  [A Prop 11.1, A §11.1 approximate case]. The whole transcript of a
        filter that stays within a cap is one such output, however the questions were chosen.
        """
        with precision(_DIGITS):
            spent = 1 + ball(self.population.epsilon).expm1() / ball(self.rate)
            epsilon = fraction_below(spent.log(), _KEPT)
        return Amount.limit(max(Fraction(0), epsilon), self.population.delta / self.rate)

    def __str__(self) -> str:
        return (
            f"a secret sample: each person of the population was drawn with probability {self.rate}, independently, "
            f"and who was drawn is told to nobody; if that is so, all answers within {self.cap} of the sample keep "
            f"{self.population} for everybody in the population"
        )

    def to_dict(self) -> dict[str, Any]:
        """As the chain keeps it."""
        return {
            **{"rate": str(self.rate), "epsilon_units": str(self.population.epsilon_units)},
            "delta_units": str(self.population.delta_units),
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "SecretSample":
        """The sample that the chain keeps."""
        return cls(Fraction(kept["rate"]), Amount(int(kept["epsilon_units"]), int(kept["delta_units"])))
