"""Which of unknown groups may be named."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import ApproxDP, Guarantee
from dalenius.mechanisms.mechanism import Integers, Mechanism
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.noise.lazy import LazyUniform, below
from dalenius.numerics import Number, ball, floor_of, fraction_below, positive, precision, rational

_TOP = 1 << 64
_DIGITS = 192


@dataclass(frozen=True, slots=True)
class PartitionSelection(Mechanism):
    """Name a group of n units with probability π(n), the largest that (ε, δ) allows for every n at once  [DVGM22].

    π(0) = 0, and π(n + 1) = min(e^ε π(n) + δ, 1 − e^−ε (1 − π(n) − δ), 1): no law may rise faster, so none keeps more.
    A unit in several groups, `groups` at most, leaves each of them (ε, δ)/groups. With `min_units` = m a group of fewer
    units is never named: n − (m − 1), at least 0, takes the place of n.

    >>> selection = PartitionSelection(1, Fraction(1, 10**5))
    >>> selection.certain
    23
    >>> selection.release([0, 1000], Bits()).tolist()
    [False, True]
    """

    epsilon: Fraction
    delta: Fraction
    groups: int = 1
    min_units: int = 1

    name: ClassVar[str] = "partition selection"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", rational(self.delta, "delta"))
        if not 0 < self.delta < 1:
            raise InvalidParameter(f"delta must lie in (0, 1), got {self.delta}: without it no group can be named")
        for name, value in (("groups", self.groups), ("min_units", self.min_units)):
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 62:
                raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {value!r}")

    def release(self, answer: Sequence[int] | Integers, bits: Bits) -> NDArray[np.bool_]:
        """Whether each group is named, given how many units are in each: independent draws of the exact chances."""
        units = _counts(answer) - (self.min_units - 1)
        named = units >= self._each.certain
        open_ = np.flatnonzero((units > 0) & ~named)
        different, which = np.unique(units[open_], return_inverse=True)
        low, high = self._each.thresholds(different)
        digits = bits.words(np.uint64, open_.size)
        named[open_] = digits < low[which]
        for at in np.flatnonzero((low[which] <= digits) & (digits <= high[which])):
            n = int(different[which[at]])
            named[open_[at]] = below(LazyUniform(bits, int(digits[at]), 64), lambda n=n: self._each.chance(n))  # type: ignore[misc]
        return named

    def chance(self, units: int) -> arb:
        """P[a group of so many units is named], an enclosure at the working precision."""
        return self._each.chance(units - (self.min_units - 1))

    @property
    def certain(self) -> int:
        """A number of units from which a group is always named."""
        return self._each.certain + self.min_units - 1

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> ApproxDP:
        """(ε, δ) for one unit, `sensitivity` how many differ; (2ε, 2δ) for a replaced one  [DVGM22; A Prop 3.2].

        One unit more or less moves at most `groups` counts by one. Of each the two outcomes keep π(n + 1) ≤ e^ε' π(n) +
        δ' and 1 − π(n) ≤ e^ε' (1 − π(n + 1)) + δ' by the recursion, and the other two directions hold since π grows;
        draws are independent, so (ε', δ') = (ε, δ)/groups adds up to (ε, δ)  [A Thm 3.3]. A replaced unit moves twice
        as many counts. Taking m − 1 off makes of neighbors n, n + 1 the same number, or neighbors again.
        """
        times = _times(relation)
        one = ApproxDP(times * self.epsilon, min(Fraction(1), times * self.delta), relation)
        units = math.ceil(sensitivity.units)
        if units == 0:
            return ApproxDP(0, 0, relation)
        return one if units == 1 else one.group(units)

    def scaled(self, factor: Number) -> Self:
        """ε divided by `factor`."""
        return replace(self, epsilon=self.epsilon / positive(factor, "factor"))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """The target's own ε and δ, for units in one group each; shared by as many units as `sensitivity` counts."""
        if not isinstance(target, ApproxDP):
            raise UnprovenClaim(f"PartitionSelection is calibrated to ApproxDP, got {type(target).__name__}")
        units = math.ceil(sensitivity.units)
        if units == 0:
            raise InvalidParameter("sensitivity is 0: no unit moves a count, so all groups can be named")
        epsilon, delta = positive(target.budget, "epsilon") / units, target.slack
        if units > 1:  # δ' (e^ε − 1)/(e^(ε/k) − 1) ≤ δ, with room for the rounding of the one side and the other
            with precision(256):
                share = ball(epsilon).expm1() / ball(target.budget).expm1()
                delta = fraction_below(ball(delta) * share * (1 - arb(2) ** -64))
        return cls(epsilon / _times(target.relation), delta / _times(target.relation))

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        return cls(Fraction(facts["epsilon"]), Fraction(facts["delta"]), int(facts["groups"]), int(facts["min_units"]))

    @property
    def _each(self) -> "_Law":
        return _law(self.epsilon / self.groups, self.delta / self.groups)


@dataclass(frozen=True, slots=True)
class _Law:
    """The law π of one group, in closed form: up to n₁ units the first term of the minimum is the least, then the next.

    With X = e^ε: the first is while π(n) ≤ (1 − δ)/(X + 1), which is n ≤ x = log((X − 1 + 2δ)/(δ(X + 1)))/ε, so n₁ is
    1 + ⌊x⌋. (x is no whole number k: δ X^k (X + 1) = X − 1 + 2δ would make X = e^ε algebraic, with ε rational.)
    Up to there π(n) = δ(X^n − 1)/(X − 1); behind it π(n₁ + m) = 1 + b − X^−m (1 + b − π(n₁)), b = δ/(X − 1), until that
    reaches 1  [DVGM22].
    """

    epsilon: Fraction
    delta: Fraction
    turn: int

    @property
    def certain(self) -> int:
        """A number of units for which π = 1 is proved: at most one above the least."""
        with precision(_DIGITS):
            rest = ball(self.delta) / ball(self.epsilon).expm1()
            steps = ((1 + rest - self._early(self.turn)) / rest).log() / ball(self.epsilon)
            return self.turn + max(0, floor_of(steps)[1]) + 1

    def chance(self, units: int) -> arb:
        """π(units)."""
        if units <= 0:
            return arb(0)
        if units <= self.turn:
            return self._early(units)
        rest = ball(self.delta) / ball(self.epsilon).expm1()
        shrunk = (-ball(self.epsilon * (units - self.turn))).exp()
        return (1 + rest - shrunk * (1 + rest - self._early(self.turn))).min(arb(1))

    def thresholds(self, units: Integers) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Numbers low ≤ π 2⁶⁴ < high + 1: U < π if its first 64 digits are below low, not if above high."""
        with precision(_DIGITS):
            ends = [floor_of(self.chance(n) * _TOP) for n in units.tolist()]
        low = np.array([max(0, min(_TOP - 1, first)) for first, _ in ends], np.uint64)
        high = np.array([max(0, min(_TOP - 1, last)) for _, last in ends], np.uint64)
        return low, high

    def _early(self, units: int) -> arb:
        return ball(self.delta) * ball(self.epsilon * units).expm1() / ball(self.epsilon).expm1()


@lru_cache(maxsize=64)
def _law(epsilon: Fraction, delta: Fraction) -> _Law:
    """The law with its turn n₁, at as much precision as the floor needs."""
    digits = _DIGITS
    while True:
        with precision(digits):
            grown = ball(epsilon).expm1()
            first, last = floor_of(((grown + 2 * ball(delta)) / (ball(delta) * (grown + 2))).log() / ball(epsilon))
        if first == last:
            return _Law(epsilon, delta, 1 + first)
        digits *= 2


def _times(relation: Relation) -> int:
    """In how many times as many groups as its own a unit moves a count: replaced, it leaves some and enters others."""
    return 1 if Relation.of(relation) is Relation.ADD_REMOVE else 2


def _counts(answer: Any) -> Integers:
    """The counts as int64; refused by their type alone."""
    counts = np.asarray(answer)
    if counts.size == 0 and counts.ndim == 1:
        counts = counts.astype(np.int64)
    if counts.dtype.kind not in "iu" or counts.dtype == np.uint64 or counts.ndim != 1:
        raise InvalidParameter("an answer must be a vector of int64: how many units are in each group")
    return np.maximum(counts.astype(np.int64), 0)
