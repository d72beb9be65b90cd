"""Optimal composition of (ε, δ) mechanisms."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, ClassVar

from flint import arb

from dalenius.errors import UnprovenClaim
from dalenius.guarantees.curves.inversion import width
from dalenius.guarantees.curves.orders import order_of
from dalenius.guarantees.curves.pure_profile import pure_to_mu, pure_to_rho
from dalenius.guarantees.curves.response import Responses, guess_epsilon, response_profile
from dalenius.guarantees.guarantee import SHOWN_DELTA, ConcentratedForm, Guarantee, Part, count
from dalenius.guarantees.notions.approx import ApproxDP, group_delta
from dalenius.guarantees.notions.pure import PureDP
from dalenius.guarantees.sampling import Sampling
from dalenius.neighbors import Relation
from dalenius.numerics import (
    Number,
    ball,
    digits_above,
    digits_below,
    ends,
    float_above,
    nonnegative,
    probability,
    settled,
)

if TYPE_CHECKING:
    from dalenius.guarantees.convert import LossDistribution


_SHORT = 1 << 12
"""Sums of unequal losses that are listed rather than put on a grid."""


@dataclass(frozen=True, slots=True)
class Composition(Guarantee):
    """What holds when several (ε, δ) mechanisms are released: their optimal composition.

    [KOV15, Thm 3.3; MV16, Thm 1.5].
    Equal budgets: an exact sum. Unequal ones (#P-hard, A Thm 10.2): exact where the budgets share a common step, else
    certified bounds. `budget` and `slack` are the plain sums.

    >>> round(PureDP(0.1).repeat(100).epsilon(1e-6), 6)
    4.774568
    >>> PureDP(0.1).repeat(100).budget
    Fraction(10, 1)
    """

    parts: tuple[Part, ...]
    relation: Relation = Relation.ADD_REMOVE

    proof: ClassVar[str] = "optimal composition (Kairouz, Oh and Viswanath 2015; Murtagh and Vadhan 2016)"

    @property
    def budget(self) -> Fraction:
        """Σ ε  [A Thm 3.3]."""
        return sum((part.epsilon * part.times for part in self.parts), Fraction(0))

    @property
    def slack(self) -> Fraction:
        """Σ δ, at most 1  [A Thm 3.3]."""
        return min(Fraction(1), sum((part.delta * part.times for part in self.parts), Fraction(0)))

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """1 − Π(1 − δᵢ)·(1 − δ of the product of randomized responses)  [KOV15, Thm 3.3; MV16, Thm 1.5]."""
        if self._is_short():
            return self.loss().delta_interval(epsilon)
        low, high = response_profile(self._responses(), nonnegative(epsilon, "epsilon"))
        missed = self._missed()
        if missed == 0:
            return low, high
        return ends(missed + (1 - missed) * ball(low))[0], min(1.0, ends(missed + (1 - missed) * ball(high))[1])

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Inverse of the profile; at δ = 0 exactly Σ ε, since all likely answers together have positive probability."""
        width(rtol)
        target = probability(delta, "delta")
        if target == 0 and self.slack == 0:
            return PureDP(self.budget).epsilon_interval(0.0)
        if ends(self._missed())[0] > target:
            return math.inf, math.inf
        if self._is_short():
            return self.loss().epsilon_interval(delta, rtol)
        low, high = Guarantee.epsilon_interval(self, delta, rtol)
        return low, min(high, float_above(self.budget))

    def _is_short(self) -> bool:
        """Whether unequal budgets have so few sums of losses that all are listed."""
        return len(self._responses()) > 1 and math.prod(part.times + 1 for part in self.parts) <= _SHORT

    def renyi(self, order: Number) -> float:
        """Divergences add  [A Thm 12.3]."""
        order_of(order)
        if self.slack > 0:
            return math.inf
        total = Fraction(0)
        for part in self.parts:
            one = PureDP(part.epsilon).renyi(order)
            total += Fraction(one) * part.times
        return float_above(total)

    def repeat(self, times: int) -> Guarantee:
        """Every part `times` as often  [KOV15, Thm 3.3]."""
        k = count(times, "times")
        return compose_parts([Part(part.epsilon, part.delta, part.times * k) for part in self.parts], self.relation)

    def group(self, size: int) -> Guarantee:
        """The group rule part by part: (kε, δ·(e^kε − 1)/(e^ε − 1))  [A Prop 3.2]."""
        k = count(size, "size")
        grouped = [Part(part.epsilon * k, group_delta(part.epsilon, part.delta, k), part.times) for part in self.parts]
        return compose_parts(grouped, self.relation)

    def amplify(self, sampling: Sampling) -> Guarantee:
        """One sample for all parts: the subsampling operator on the exact trade-off function.

        [A Thm 13.7, A Thm 14.3]
        """
        from dalenius.guarantees import convert

        if len(self._responses()) > 1 or (self._responses() and self._responses()[0][1] > 512):
            raise UnprovenClaim("one sample for this many parts has no closed form: amplify each part")
        return convert.TradeOff.of_composition(self).amplify(sampling)

    def loss(self) -> "LossDistribution":
        """The product of the parts' pairs  [A Thm 14.2]."""
        from dalenius.guarantees import convert

        return convert.response_loss(self.parts, self.relation)

    @property
    def sum_form(self) -> tuple[Fraction, Fraction]:
        """(Σ ε, Σ δ)."""
        return self.budget, self.slack

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """ρ and δ of the parts add  [BS16, Lem 2.3]."""
        return ConcentratedForm(
            sum((pure_to_rho(part.epsilon) * part.times for part in self.parts), Fraction(0)), self.slack
        )

    @property
    def gaussian_form(self) -> Fraction | None:
        """μ² of the parts add  [A §13.8 GDP composition]."""
        if self.slack > 0:
            return None
        return sum((pure_to_mu(part.epsilon) ** 2 * part.times for part in self.parts), Fraction(0))

    def _responses(self) -> Responses:
        counts: dict[Fraction, int] = {}
        for part in self.parts:
            if part.epsilon > 0:
                counts[part.epsilon] = counts.get(part.epsilon, 0) + part.times
        return tuple(sorted(counts.items()))

    def _missed(self) -> arb:
        """1 − Π(1 − δᵢ)."""
        if self.slack == 0:
            return arb(0)
        if any(part.delta == 1 for part in self.parts):
            return arb(1)
        return settled(lambda: -_log_kept(self.parts).expm1())

    def _with_alike(self, others: Sequence[Guarantee]) -> Guarantee | None:
        return compose_alike((self, *others))

    def _near(self, delta: float) -> float | None:
        responses = self._responses()
        missed = float(self._missed())
        if len(responses) != 1 or missed >= delta:
            return None
        return guess_epsilon(*responses[0], (delta - missed) / (1 - missed))

    def _under(self, relation: Relation) -> "Composition":
        return Composition(self.parts, relation)

    def _claim(self) -> str:
        terms = " + ".join(
            f"{part.times} × ({digits_above(part.epsilon)}, {digits_above(part.delta)})" for part in self.parts[:4]
        )
        more = f" + {len(self.parts) - 4} more kinds" if len(self.parts) > 4 else ""
        shown = max(SHOWN_DELTA, 2 * float_above(self.slack))
        low, high = self.epsilon_interval(min(1.0, shown))
        most = digits_above(high)
        return f"({most}, {shown:.6g})-differential privacy (tight ε in [{digits_below(low)}, {most}]) of {terms}{more}"


def compose_parts(parts: Iterable[Part], relation: Relation) -> Guarantee:
    """The narrowest value for a multiset of (ε, δ) mechanisms: one is itself, several a `Composition`."""
    counts: dict[tuple[Fraction, Fraction], int] = {}
    for part in parts:
        if part.times and (part.epsilon or part.delta):
            key = part.epsilon, part.delta
            counts[key] = counts.get(key, 0) + part.times
    merged = tuple(Part(epsilon, delta, times) for (epsilon, delta), times in sorted(counts.items()))
    if not merged:
        return PureDP(0, relation)
    if len(merged) == 1 and merged[0].times == 1:
        only = merged[0]
        return PureDP(only.epsilon, relation) if only.delta == 0 else ApproxDP(only.epsilon, only.delta, relation)
    return Composition(merged, relation)


def compose_alike(guarantees: Sequence[Guarantee]) -> Guarantee | None:
    """The composition of guarantees that all consist of (ε, δ) parts; None if one does not  [KOV15, Thm 3.3]."""
    lists = [guarantee.parts for guarantee in guarantees]
    known = [parts for parts in lists if parts is not None]
    if len(known) < len(lists):
        return None
    return compose_parts([part for parts in known for part in parts], guarantees[0].relation)


def _log_kept(parts: tuple[Part, ...]) -> arb:
    return reduce(lambda total, part: total + part.times * (-ball(part.delta)).log1p(), parts, arb(0))
