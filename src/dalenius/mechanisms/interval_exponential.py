"""The exponential mechanism over an interval, for a utility that is constant between finitely many points."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Self

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.mechanisms.selection import whole_scores
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.noise.weighted_choice import WeightedChoice
from dalenius.numerics import Number, positive, rational, stored_fraction


@dataclass(frozen=True, slots=True)
class Steps:
    """A utility on an interval: scores[i], a whole number, from edges[i] to edges[i + 1]."""

    edges: tuple[Fraction, ...]
    scores: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", whole_scores(self.scores))
        object.__setattr__(self, "edges", tuple(rational(edge, "edge") for edge in self.edges))
        if len(self.edges) != len(self.scores) + 1:
            raise InvalidParameter("a step function has one edge more than scores")
        if any(left > right for left, right in pairwise(self.edges)) or self.edges[0] >= self.edges[-1]:
            raise InvalidParameter("edges must not fall, and the last must lie above the first")


@dataclass(frozen=True, slots=True)
class IntervalExponential(Mechanism):
    """A number in [lower, upper] with density ∝ exp(utility / scale), told as the middle of one of `cells` equal cells.

    The interval, its cells and Lebesgue measure on it are public; the edges of the utility may be private, as the data
    are for a quantile. A piece is chosen with the mass length · exp(score / scale), then a place in it uniformly; which
    cell that lies in is a function of the place alone, so the lattice costs nothing  [A Thm 7.1, A Prop 3.1].

    >>> from dalenius.neighbors import Metric
    >>> IntervalExponential(Fraction(2), 0, 10).guarantee(Sensitivity(1, Metric.LINF)).epsilon(0)
    1.0
    """

    scale: Fraction
    lower: Fraction
    upper: Fraction
    cells: int = 1 << 20

    name: ClassVar[str] = "exponential on an interval"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        object.__setattr__(self, "lower", rational(self.lower, "lower"))
        object.__setattr__(self, "upper", rational(self.upper, "upper"))
        if self.lower >= self.upper:
            raise InvalidParameter(f"upper must lie above lower, got {self.lower} and {self.upper}")
        if isinstance(self.cells, bool) or not isinstance(self.cells, int) or self.cells < 1:
            raise InvalidParameter(f"cells must be a whole number ≥ 1, got {self.cells!r}")

    def law(self, utility: Steps) -> WeightedChoice:
        """Which piece: length · exp(score / scale), against Lebesgue measure as base  [A Thm 7.1]."""
        if (utility.edges[0], utility.edges[-1]) != (self.lower, self.upper):
            raise InvalidParameter("the utility must be given on the declared interval, from lower to upper")
        lengths = [right - left for left, right in pairwise(utility.edges)]
        return WeightedChoice(utility.scores, 1 / self.scale, lengths)

    def release(self, answer: Steps, bits: Bits) -> Fraction:
        """The middle of the cell that the chosen place lies in, exactly."""
        piece = int(self.law(answer).sample(bits, 1)[0])
        left, right = answer.edges[piece], answer.edges[piece + 1]
        per_cell, uniform = self.cells / (self.upper - self.lower), LazyUniform(bits)

        def question() -> int | None:
            low, high = ((left + (right - left) * end - self.lower) * per_cell for end in uniform.ends)
            first = math.floor(low)
            return first if high <= first + 1 else None  # the place is below its upper end, strictly

        cell = settle([uniform], question)
        return self.lower + (cell + Fraction(1, 2)) / per_cell

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> BoundedRange:
        """ε = 2Δ/scale, as the range of the loss, if no unit moves the utility by more than Δ at any place.

        [A Thm 7.1, DDR20].
        """
        return BoundedRange(2 * sensitivity.linf / self.scale, Relation.of(relation))

    def scaled(self, factor: Number) -> Self:
        """The scale times `factor`."""
        return replace(self, scale=self.scale * positive(factor, "factor"))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """On [0, 1]; `replace` gives another interval, whose ends a target does not say  [A Thm 7.1]."""
        if not isinstance(target, PureDP):
            raise UnprovenClaim(f"IntervalExponential is calibrated to PureDP, got {type(target).__name__}")
        if sensitivity.linf == 0:
            raise InvalidParameter("sensitivity is 0: no unit moves the utility, so the choice needs no noise")
        return cls(2 * sensitivity.linf / positive(target.budget, "epsilon"), Fraction(0), Fraction(1))

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        scale, lower, upper = (stored_fraction(facts[name]) for name in ("scale", "lower", "upper"))
        return cls(scale, lower, upper, int(facts["cells"]))


def steps(edges: Sequence[Number], scores: Sequence[int]) -> Steps:
    """A step function from lists."""
    return Steps(tuple(edges), tuple(scores))  # type: ignore[arg-type]
