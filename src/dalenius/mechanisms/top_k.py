"""The best k of many candidates: choose, set the chosen aside, choose again."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.exponential import Exponential, ExponentialChoice, MonotoneExponential
from dalenius.mechanisms.mechanism import Integers, Mechanism
from dalenius.mechanisms.noisy_max import (
    ExponentialNoisyMax,
    GumbelNoisyMax,
    LaplaceNoisyMax,
    MonotoneLaplaceNoisyMax,
)
from dalenius.mechanisms.permute_and_flip import MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.mechanisms.selection import Scores, Selection, whole_scores
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import Number, positive


@dataclass(frozen=True, slots=True)
class TopK(Mechanism):
    """k indices in the order chosen, each by `selection` from the candidates that are left  [A Thm 3.3].

    With Gumbel noise this is one shot: the k largest of score + scale · Gumbel, in their order, have exactly this law.
    For the largest X_i of independent Gumbel variables is independent of its index, and given that all others stay
    below it, which of *them* is largest has again the law ∝ exp(score / scale), whatever that bound  [DR19].

    >>> from fractions import Fraction
    >>> from dalenius.neighbors import Metric
    >>> TopK(GumbelNoisyMax(Fraction(2)), 3).guarantee(Sensitivity(1, Metric.LINF)).epsilon(0)
    3.0
    """

    selection: Selection
    k: int

    name: ClassVar[str] = "top k"

    def __post_init__(self) -> None:
        if not isinstance(self.selection, Selection):
            raise InvalidParameter(f"selection must be a mechanism that names a candidate, got {self.selection!r}")
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise InvalidParameter(f"k must be a whole number ≥ 1, got {self.k!r}")
        if isinstance(self.selection, ExponentialChoice) and self.selection.base is not None:
            raise UnprovenClaim("a base measure is for all candidates: peeling has none for those left")

    def release(self, answer: Scores, bits: Bits) -> Integers:
        """As many different indices."""
        scores = whole_scores(answer)
        if len(scores) < self.k:
            raise InvalidParameter(f"the best {self.k} need at least as many candidates")
        left, chosen = list(range(len(scores))), []
        for _ in range(self.k):
            chosen.append(left.pop(self.selection.release([scores[i] for i in left], bits)))
        return np.array(chosen, np.int64)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> Guarantee:
        """k-fold composition: each round is chosen given the ones before  [A Thm 3.3, DR19]."""
        return self.selection.guarantee(sensitivity, relation).repeat(self.k)

    def scaled(self, factor: Number) -> Self:
        """The selection's scale times `factor`."""
        return replace(self, selection=self.selection.scaled(factor))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """The best one, by Gumbel noise; k is not for a target to say  [A Prop 7.1]."""
        if not isinstance(target, PureDP):
            raise UnprovenClaim(f"TopK is calibrated to PureDP, got {type(target).__name__}")
        return cls(GumbelNoisyMax.least(sensitivity, PureDP(positive(target.budget, "epsilon"), target.relation)), 1)

    def facts(self) -> dict[str, str]:
        """Name, k, and the facts of the selection."""
        return {"name": self.name, "k": str(self.k)} | {
            f"selection {key}": value for key, value in self.selection.facts().items()
        }

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        inner = {key.removeprefix("selection "): value for key, value in facts.items() if key.startswith("selection ")}
        kind = next(kind for kind in SELECTIONS if kind.name == inner["name"])
        return cls(kind.from_facts(inner), int(facts["k"]))


SELECTIONS: tuple[type[Selection], ...] = (
    Exponential,
    MonotoneExponential,
    LaplaceNoisyMax,
    MonotoneLaplaceNoisyMax,
    ExponentialNoisyMax,
    GumbelNoisyMax,
    PermuteAndFlip,
    MonotonePermuteAndFlip,
)
"""Every mechanism that names one candidate."""
