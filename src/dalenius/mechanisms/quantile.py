"""A private quantile."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.mechanisms.rank_choice import RankChoice
from dalenius.mechanisms.ranks import Ranks
from dalenius.mechanisms.selection import level as chance_of
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import Number, ball, fraction_above, positive, precision, probability, rational

MOST_CELLS = 1 << 30


@dataclass(frozen=True, slots=True)
class Quantile(Mechanism):
    """The middle of one of `cells` equal cells of [lower, upper], cell j with probability ∝ exp(−d_j / scale).

    The answer is `Ranks`: rows by cell, with whole weights. Let B_j be the weight below cell j, A_j that up to and with
    it, W that of all. Then d_j is the distance of level·W + shift from [B_j, A_j]: 0 for the cell that holds the
    quantile, else by how much weight it misses  [A §7.3.1 median utility, A Alg 3, A Alg 4]. The exponent printed in
    Alg 4 is twice this one, and would leak twice as much: see the errata.

    Level 0 aims below the least value, where every cell is as good; a public `shift` of a few scales, in the steps of
    the weights, aims inside the data: `shift` at level 0 for a minimum, −`shift` at level 1 for a maximum.

    >>> from dalenius.neighbors import Metric
    >>> Quantile(Fraction(1), Fraction(1, 2), 0, 100).guarantee(Sensitivity(1, Metric.L1))
    BoundedRange(1)
    """

    scale: Fraction
    level: Fraction
    lower: Fraction
    upper: Fraction
    cells: int = 1 << 20
    shift: Fraction = Fraction(0)

    name: ClassVar[str] = "quantile"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        object.__setattr__(self, "level", probability(self.level, "level"))
        object.__setattr__(self, "shift", rational(self.shift, "shift"))
        lower, upper, cells = grid(self.lower, self.upper, self.cells)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "cells", cells)

    def law(self, answer: Ranks) -> RankChoice:
        """The law of the cell."""
        if (answer.first, answer.end) != (0, self.cells):
            raise InvalidParameter(f"the ranks must be those of the {self.cells} declared cells")
        return RankChoice(answer, self.level * answer.total + self.shift, self.scale)

    def masses(self, answer: Ranks) -> list[arb]:
        """All P[cell], at the working precision."""
        return self.law(answer).masses()

    def release(self, answer: Ranks, bits: Bits) -> Fraction:
        """The middle of a cell, drawn exactly."""
        return middle(self.law(answer).sample(bits), self.lower, self.upper, self.cells)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> BoundedRange:
        """ε = 2Δ/scale, as the range of the loss, with Δ how far one unit moves any d_j  [A Thm 7.1, DDR20].

        `sensitivity` is how far it moves the weights of the cells, in ℓ1: D, as `Ranks.sensitivity` has it. A unit of
        weight w is added. It moves B_j − level·W by (1 − level)w where it lies below j and by −level·w where not, parts
        of it in between; the same for A_j. So Δ = D · max(level, 1 − level), since d_j = max(0, B_j − t, t − A_j) moves
        by no more than its parts. Under CHANGE_ONE at most D/2 leaves and at most D/2 comes: B_j − level·W falls by at
        most (1 − level)D/2 + level·D/2 = D/2, and rises by at most as much. A constant shift moves nothing.
        """
        return BoundedRange(2 * self._moved(sensitivity, relation) / self.scale, relation)

    def _moved(self, sensitivity: Sensitivity, relation: Relation) -> Fraction:
        if Relation.of(relation) is Relation.CHANGE_ONE:
            return sensitivity.l1 / 2
        return sensitivity.l1 * max(self.level, 1 - self.level)

    def accuracy(self, beta: Number, releases: int = 1) -> Fraction:
        """An r with P[the weight by which the cell misses the quantile > r] ≤ beta: scale · log((k − 1)(1 − β)/β).

        Some cell has d = 0; the other k − 1 do most harm all at one d > r  [A Thm 7.2, A Thm 7.6, A Rem 7.2].
        Over several releases each takes its part of beta. Held for a target between 0 and the total weight; the value
        itself is the middle of the cell, so it is off by half a cell more.
        """
        return rank_error(self.scale, self.cells, chance_of(beta) / _times(releases))

    def scaled(self, factor: Number) -> Self:
        """The scale times `factor`."""
        return replace(self, scale=self.scale * positive(factor, "factor"))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """The median on [0, 1]; `calibrated` is for other levels and intervals, which a target does not say."""
        return cls(Fraction(1), Fraction(1, 2), Fraction(0), Fraction(1)).calibrated(sensitivity, target)

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        scale, level, lower, upper = (Fraction(facts[name]) for name in ("scale", "level", "lower", "upper"))
        return cls(scale, level, lower, upper, int(facts["cells"]), Fraction(facts["shift"]))


def grid(lower: Number, upper: Number, cells: int) -> tuple[Fraction, Fraction, int]:
    """A public interval and the number of its cells, refused unless it has a length."""
    low, high = rational(lower, "lower"), rational(upper, "upper")
    if low >= high:
        raise InvalidParameter(f"upper must lie above lower, got {lower} and {upper}")
    if isinstance(cells, bool) or not isinstance(cells, int) or not 1 <= cells <= MOST_CELLS:
        raise InvalidParameter(f"cells must be a whole number from 1 to 2^30, got {cells!r}")
    return low, high, cells


def middle(cell: int, lower: Fraction, upper: Fraction, cells: int) -> Fraction:
    """The middle of a cell."""
    return lower + (2 * cell + 1) * (upper - lower) / (2 * cells)


def rank_error(scale: Fraction, candidates: int, chance: Fraction) -> Fraction:
    """The least r with (k − 1)e^(−r/scale) ≤ the odds of `chance`, rounded up  [A Thm 7.2]."""
    odds = (candidates - 1) * (1 - chance) / chance
    if odds <= 1:
        return Fraction(0)
    with precision(128):
        return fraction_above(ball(scale) * ball(odds).log())


def _times(releases: int) -> int:
    if isinstance(releases, bool) or not isinstance(releases, int) or releases < 1:
        raise InvalidParameter(f"releases must be a whole number ≥ 1, got {releases!r}")
    return releases
