"""Report noisy max: add noise to every score and name the largest; the noisy scores themselves stay inside.

Three laws of noise, three types. Gumbel noise gives the exponential mechanism  [A Prop 7.1] and exponential noise gives
permute and flip  [DKX+21], so both are drawn by those identities, exactly. Laplace noise is drawn as whole numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from dalenius.guarantees import PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms.exponential import Exponential
from dalenius.mechanisms.permute_and_flip import Flips
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
from dalenius.noise import Bits, Choice, DiscreteLaplace
from dalenius.numerics import Number, ball, fraction_above, positive, precision


class LaplaceMax(Selection):
    """The index of the largest score + Z, Z two-sided geometric of this scale; of equal sums the first wins.

    Privacy, as in A Prop 5.1 but in whole numbers and with ties: fix the noise of all but i. Then i is named exactly
    when Z_i ≥ r for a whole r (the least at which it beats the earlier candidates and equals or beats the later). On a
    neighbor no difference of scores has moved by more than the spread, so by a whole c at most that, and Z_i ≥ r + c is
    enough there; P[Z ≥ r + c] = Σ_{z≥r} P[Z = z + c] ≥ e^(−c/scale) P[Z ≥ r]. Which of equals comes first is the same
    for all data.
    """

    __slots__ = ()

    def release(self, answer: Scores, bits: Bits) -> int:
        """The index of the first largest noisy score  [A §5.1 report noisy max]."""
        whole = whole_scores(answer)
        noise = DiscreteLaplace(self.scale).steps(bits, len(whole)).tolist()
        noisy = [score + z for score, z in zip(whole, noise, strict=True)]  # Python's integers: no sum wraps
        return noisy.index(max(noisy))

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> PureDP:
        """ε = 2Δ/scale, for monotone utilities Δ/scale, whatever the number of candidates  [A Prop 5.1]."""
        return PureDP(self.spread(sensitivity, relation) / self.scale, relation)

    def accuracy(self, beta: Number, candidates: int) -> Fraction:
        """A whole r with P[the best score − that of the chosen > r] ≤ beta  [A Lem 2].

        A rival at gap r + 1 or more can win only if its noise exceeds the best one's by that; a union over the rivals
        follows, exact for two candidates of which the second comes first.
        """
        n, _ = counted(candidates)
        chance = level(beta)
        if n == 1:
            return Fraction(0)
        low, high = 0, 1
        while not self._covers(high, n, chance):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._covers(middle, n, chance) else (middle, high)
        return Fraction(low)

    def expected_gap(self, candidates: int) -> Fraction:
        """At least E[the best score − that of the chosen]: scale · (1 + 2 log(k−1) + 2 log 2).

        [A Prop 5.2, A Lem 2, A Lem 3].

        For the whole-number noise too: E|Z| = 1/sinh(1/scale) ≤ scale, and at t = 1/(2·scale) its E e^(t|Z|) = 1 +
        1/cosh(t) ≤ 2, which is what the proof uses of the continuous law.
        """
        n, _ = counted(candidates)
        if n == 1:
            return Fraction(0)
        with precision(128):
            return fraction_above(ball(self.scale) * (1 + 2 * ball(2 * (n - 1)).log()))

    def _covers(self, gap: int, candidates: int, chance: Fraction) -> bool:
        """Whether (k − 1) · P[Z − Z' ≥ gap] ≤ chance is proved."""
        with precision(128):
            return bool((candidates - 1) * difference_tail(self.scale, gap) <= ball(chance))


def difference_tail(scale: Fraction, gap: int) -> arb:
    """P[Z − Z' ≥ gap] for gap ≥ 1, Z and Z' independent two-sided geometric: an enclosure at the working precision.

    With q = e^(−1/scale), P[Z = z] = q^|z| (1−q)/(1+q), and for d ≥ 0 P[Z − Z' = d] is ((1−q)/(1+q))² q^d (d + 1 +
    2q²/(1−q²)): d + 1 terms between 0 and d, and two geometric tails outside. Summed over d ≥ g with Σ q^d = q^g/(1−q)
    and Σ d q^d = q^g (g/(1−q) + q/(1−q)²).
    """
    q = (-ball(1 / scale)).exp()
    rest = -(-ball(1 / scale)).expm1()
    constant = 1 + 2 * q**2 / (1 - q**2)
    return (rest / (1 + q)) ** 2 * (-ball(gap / scale)).exp() * ((gap + constant) / rest + q / rest**2)


@dataclass(frozen=True, slots=True)
class LaplaceNoisyMax(LaplaceMax, AnyUtilities):
    """Report noisy max with Laplace noise: ε = 2Δ/scale  [A §5.1 report noisy max, A Prop 5.1].

    >>> from dalenius.neighbors import Metric
    >>> LaplaceNoisyMax(Fraction(2)).guarantee(Sensitivity(1, Metric.LINF))
    PureDP(1)
    """

    scale: Fraction

    name: ClassVar[str] = "noisy max, Laplace"

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class MonotoneLaplaceNoisyMax(LaplaceMax, MonotoneUtilities):
    """With utilities that no added unit lowers, under ADD_REMOVE: ε = Δ/scale  [A §5.1 report noisy max]."""

    scale: Fraction

    name: ClassVar[str] = "monotone noisy max, Laplace"

    def __post_init__(self) -> None:
        _check(self)


def _check(mechanism: LaplaceMax) -> None:
    object.__setattr__(mechanism, "scale", positive(mechanism.scale, "scale"))
    DiscreteLaplace(mechanism.scale)  # a scale too large to draw is refused here


@dataclass(frozen=True, slots=True)
class ExponentialNoisyMax(Flips, AnyUtilities):
    """Report noisy max with exponential noise of mean `scale`: permute and flip, ε = 2Δ/scale  [DKX+21, MS20]."""

    scale: Fraction

    name: ClassVar[str] = "noisy max, exponential"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))


@dataclass(frozen=True, slots=True)
class GumbelNoisyMax(AnyUtilities):
    """Report noisy max with Gumbel noise of this scale: the exponential mechanism, ε = 2Δ/scale  [A Prop 7.1]."""

    scale: Fraction

    name: ClassVar[str] = "noisy max, Gumbel"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    def release(self, answer: Scores, bits: Bits) -> int:
        """The index of the largest score + scale · G, by its law ∝ exp(score / scale)  [A Prop 7.1]."""
        return int(Choice(whole_scores(answer), 1 / self.scale).sample(bits, 1)[0])

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> BoundedRange:
        """That of the exponential mechanism  [A Prop 7.1, A Thm 7.1]."""
        return Exponential(self.scale).guarantee(sensitivity, relation)

    def accuracy(self, beta: Number, candidates: int, optima: int = 1) -> Fraction:
        """That of the exponential mechanism  [A Ex 7.3, A Thm 7.2]."""
        return Exponential(self.scale).accuracy(beta, candidates, optima)

    def expected_gap(self, candidates: int, optima: int = 1) -> Fraction:
        """That of the exponential mechanism: scale · log(candidates/optima)  [A Ex 7.3]."""
        return Exponential(self.scale).expected_gap(candidates, optima)
