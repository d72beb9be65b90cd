"""Naming one of finitely many candidates: what all such mechanisms share."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.mechanisms.target import least_scale, meets
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits, Choice
from dalenius.numerics import Number, positive, probability

Scores = Sequence[int] | NDArray[np.int64]


class Selection(Mechanism):
    """Name a candidate, given the utility of each as a whole number: steps of a lattice, the larger the better.

    Only the index leaves. A concrete type joins a law of the index (`Exponential`, `LaplaceNoisyMax`, …) with what is
    known of the utilities: `AnyUtilities` or `MonotoneUtilities`.
    """

    __slots__ = ()

    scale: Fraction
    """The scale of the noise, in the steps of the utilities."""

    @abstractmethod
    def release(self, answer: Scores, bits: Bits) -> int:
        """The index of a candidate with a large score."""

    @staticmethod
    @abstractmethod
    def spread(sensitivity: Sensitivity, relation: Relation) -> Fraction:
        """How far the scores of two candidates can move apart between neighbors."""

    def scaled(self, factor: Number) -> Self:
        """The scale times `factor`."""
        return replace(self, scale=self.scale * positive(factor, "factor"))  # type: ignore[type-var]

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """The spread over ε, or the least scale found by search for another notion  [A Thm 7.1, A Prop 5.1]."""
        spread = cls.spread(sensitivity, target.relation)
        if spread == 0:
            raise InvalidParameter("sensitivity is 0: no unit moves a utility, so the choice needs no noise")
        if isinstance(target, PureDP):
            return cls(spread / positive(target.budget, "epsilon"))  # type: ignore[call-arg]

        def holds(scale: Fraction) -> bool:
            claim = cls(scale).guarantee(sensitivity, target.relation)  # type: ignore[call-arg]
            return meets(claim, target, cls.__name__)

        return cls(least_scale(holds, spread))  # type: ignore[call-arg]


class AnyUtilities(Selection):
    """One unit may raise the utility of one candidate and lower that of another, each by at most Δ."""

    __slots__ = ()

    @staticmethod
    def spread(sensitivity: Sensitivity, relation: Relation) -> Fraction:
        """2Δ  [A Thm 7.1, A Prop 5.1]."""
        Relation.of(relation)
        return 2 * sensitivity.linf


class MonotoneUtilities(Selection):
    """Adding a unit lowers no utility, as with counts; so removing one raises none. Half the noise is enough.

    For neighbors under ADD_REMOVE only: replacing a unit removes one and adds another, so that one count falls while
    another rises, and this noise reaches twice the loss that is claimed here.
    """

    __slots__ = ()

    @staticmethod
    def spread(sensitivity: Sensitivity, relation: Relation) -> Fraction:
        """Δ: all scores move the same way  [A §5.1 report noisy max]."""
        if Relation.of(relation) is not Relation.ADD_REMOVE:
            raise MixedRelations(
                "monotone utilities take half the noise for add-remove neighbors only; "
                "for change-one use the mechanism for any utilities"
            )
        return sensitivity.linf


def whole_scores(scores: Scores) -> tuple[int, ...]:
    """The scores as Python's integers, refused by their types and number alone, never by a value."""
    return Choice(scores).scores


def level(beta: Number) -> Fraction:
    """A chance of failure, refused unless in (0, 1]."""
    chance = probability(beta, "beta")
    if chance == 0:
        raise InvalidParameter("beta must be > 0: no radius short of the whole range holds always")
    return chance


def counted(candidates: int, optima: int = 1) -> tuple[int, int]:
    """How many candidates there are, and how many of them are known to be best."""
    for name, value in (("candidates", candidates), ("optima", optima)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {value!r}")
    if optima > candidates:
        raise InvalidParameter(f"optima must be at most the {candidates} candidates, got {optima}")
    return candidates, optima
