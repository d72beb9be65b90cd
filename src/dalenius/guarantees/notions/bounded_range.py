"""Bounded range: what the exponential mechanism hides beyond its ε."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from dalenius.guarantees.curves.pure_profile import pure_to_mu, pure_to_rho
from dalenius.guarantees.curves.renyi_conversion import renyi_delta
from dalenius.guarantees.curves.renyi_curves import BoundedRangeCurve, SumCurve
from dalenius.guarantees.guarantee import ConcentratedForm, Guarantee, Part, count
from dalenius.guarantees.notions.composition import compose_alike, compose_parts
from dalenius.guarantees.sampling import Sampling
from dalenius.neighbors import Relation
from dalenius.numerics import Number, ball, ends, float_above, float_below, nonnegative, precision, probability

if TYPE_CHECKING:
    from dalenius.guarantees.convert import LossDistribution


@dataclass(frozen=True, slots=True, init=False)
class BoundedRange(Guarantee):
    """The privacy loss of a release lies in an interval of length η, wherever that interval lies  [DDR20].

    Since losses average to a ratio of 1 the interval holds 0, so this is η-DP. It says more: randomized response has
    both losses ±ε, a range of 2ε, and a mechanism of range η hides about as well as one of ε = η/2.

    >>> BoundedRange(1).delta(0) < 0.245
    True
    >>> BoundedRange(1).epsilon(0)
    1.0
    """

    ranges: tuple[tuple[Fraction, int], ...]
    """(η, how many releases), each η > 0 once, in growing order."""
    relation: Relation

    proof: ClassVar[str] = "the range of its privacy loss (Dong, Durfee and Rogers 2020)"

    def __init__(self, eta: Number, relation: Relation = Relation.ADD_REMOVE) -> None:
        object.__setattr__(self, "ranges", _merged([(nonnegative(eta, "eta"), 1)]))
        object.__setattr__(self, "relation", Relation.of(relation))

    @property
    def budget(self) -> Fraction:
        """Σ η: the ε at δ = 0."""
        return sum((eta * times for eta, times in self.ranges), Fraction(0))

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """(1 − e^((ε−η)/2))² / (1 − e^−η) for one release  [DDR20].

        With its interval [t − η, t] the worst loss sits on the two ends; with mean ratio 1, P[l = t] is (1 − e^(t−η)) /
        (1 − e^−η), so δ = P[l = t] (1 − e^(ε−t)), which is largest at t = (ε + η)/2. For several releases: the lesser
        of what their Rényi divergences and their optimal composition as pure mechanisms give.
        """
        at = nonnegative(epsilon, "epsilon")
        if at >= self.budget:
            return 0.0, 0.0
        if self._one:
            with precision(128):
                low, high = ends((ball((at - self.budget) / 2).expm1()) ** 2 / -(-ball(self.budget)).expm1())
            return max(0.0, low), min(1.0, high)
        return 0.0, min(renyi_delta(self._curve, at), self._pure.delta(epsilon))

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Inverse of the profile; Σ η at δ = 0."""
        if probability(delta, "delta") == 0:
            return float_below(self.budget), float_above(self.budget)
        return Guarantee.epsilon_interval(self, delta, rtol)

    def renyi(self, order: Number) -> float:
        """Divergences of the two-point laws add  [DDR20, A Thm 12.3]."""
        return self._curve(order)

    def repeat(self, times: int) -> "BoundedRange":
        """`times` as many releases, chosen adaptively, parameters fixed up front  [DDR20, A Thm 12.3]."""
        k = count(times, "times")
        return self._of(((eta, each * k) for eta, each in self.ranges), self.relation)

    def group(self, size: int) -> "BoundedRange":
        """Losses along a chain of neighbors add, and so do the lengths of their intervals  [A Prop 3.2]."""
        k = count(size, "size")
        return self._of(((eta * k, each) for eta, each in self.ranges), self.relation)

    def amplify(self, sampling: Sampling) -> Guarantee:
        """As a pure mechanism: a sample keeps no range  [A Prop 11.1]."""
        return self._pure.amplify(sampling)

    def loss(self) -> "LossDistribution | None":
        """That of pure mechanisms: no one pair is the worst for every interval  [DDR20]."""
        return self._pure.loss()

    @property
    def parts(self) -> tuple[Part, ...]:
        """As pure mechanisms."""
        return tuple(Part(eta, Fraction(0), times) for eta, times in self.ranges or ((Fraction(0), 1),))

    @property
    def sum_form(self) -> tuple[Fraction, Fraction]:
        """(Σ η, 0)."""
        return self.budget, Fraction(0)

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """ρ = Σ η²/8, or as pure mechanisms if that is less  [CR21].

        K(α) = log E_Q e^(αL) is 0 at 0 and 1, and K″ is a variance of a loss in an interval of length η, at most η²/4.
        So K(α) − α(α−1)η²/8 is concave and 0 at 0 and 1: at most 0 for α ≥ 1, where K(α) = (α−1)D_α.
        """
        rho = (min(eta**2 / 8, pure_to_rho(eta)) * times for eta, times in self.ranges)
        return ConcentratedForm(sum(rho, Fraction(0)), Fraction(0))

    @property
    def gaussian_form(self) -> Fraction:
        """μ² as pure mechanisms."""
        return sum((pure_to_mu(eta) ** 2 * times for eta, times in self.ranges), Fraction(0))

    @property
    def _one(self) -> bool:
        return sum(times for _, times in self.ranges) == 1

    @property
    def _curve(self) -> SumCurve:
        return SumCurve(tuple((BoundedRangeCurve(eta), times) for eta, times in self.ranges))

    @property
    def _pure(self) -> Guarantee:
        return compose_parts(self.parts, self.relation)

    @classmethod
    def _of(cls, ranges: Iterable[tuple[Fraction, int]], relation: Relation) -> "BoundedRange":
        new = cls(0, relation)
        object.__setattr__(new, "ranges", _merged(ranges))
        return new

    def _with_alike(self, others: Sequence[Guarantee]) -> Guarantee | None:
        """Ranges among themselves stay ranges  [DDR20]; with (ε, δ) mechanisms they count as pure ones."""
        ranges = [each for other in (self, *others) if isinstance(other, BoundedRange) for each in other.ranges]
        if all(isinstance(other, BoundedRange) for other in others):
            return self._of(ranges, self.relation)
        return compose_alike((self, *others))

    def _under(self, relation: Relation) -> "BoundedRange":
        return self._of(self.ranges, relation)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        if self._one or not self.ranges:
            return f"BoundedRange({self.budget}{suffix})"
        terms = " + ".join(f"{times} × {eta}" for eta, times in self.ranges)
        return f"BoundedRange({terms}{suffix})"


def _merged(ranges: Iterable[tuple[Fraction, int]]) -> tuple[tuple[Fraction, int], ...]:
    counts: dict[Fraction, int] = {}
    for eta, times in ranges:
        if eta and times:
            counts[eta] = counts.get(eta, 0) + times
    return tuple(sorted(counts.items()))
