"""Privacy loss distributions as a notion."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees.curves.pure_profile import pure_to_rho
from dalenius.guarantees.guarantee import ConcentratedForm, Guarantee, count
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.curve import delta_curve
from dalenius.guarantees.loss.law import LossLaw
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.pairs import NOTHING
from dalenius.guarantees.loss.profile import delta_bounds, epsilon_bounds, guess_epsilon, guess_log_delta, proves
from dalenius.guarantees.loss.renyi import renyi_bound
from dalenius.guarantees.loss.rounding import FUNCTION, UNIT, Vector
from dalenius.guarantees.sampling import Sampling
from dalenius.neighbors import Relation
from dalenius.numerics import Number, float_above, float_below, nonnegative, probability, rational

_LINES = 1025
_NEGLIGIBLE = 1e-9
_ROUGH = 1e-2


@dataclass(frozen=True)
class LossDistribution(Guarantee):
    """Dominated by a composition of pairs, `forward` when a unit is removed, `backward` when it is added  [A Def 14.2].

    The two directions are kept apart through composition and sampling, and the larger is taken at the end  [A Thm 14.2,
    A Rem 14.6]. Under CHANGE_ONE pairs are symmetric and there is one direction.
    """

    forward: LossComposition
    backward: LossComposition | None = None
    relation: Relation = Relation.ADD_REMOVE

    proof: ClassVar[str] = "the distribution of its privacy loss, bounded from both sides"

    @classmethod
    def of(
        cls, forward: Pair, backward: Pair | None = None, relation: Relation = Relation.ADD_REMOVE
    ) -> "LossDistribution":
        """One release; without `backward` the swapped pair is taken for the other direction."""
        relation = Relation.of(relation)
        if not isinstance(forward, Pair) or not isinstance(backward, Pair | None):
            raise InvalidParameter(
                "a loss distribution is made of pairs of laws; what is proved of a guarantee is in its loss()"
            )
        if backward is None:
            backward = forward.swapped()
        one = LossComposition.of([(forward, 1)])
        if backward == forward:
            return cls(one, None, relation)
        if relation is Relation.CHANGE_ONE:
            raise InvalidParameter("change-one neighbors are symmetric: their pair must be its own mirror image")
        return cls(one, LossComposition.of([(backward, 1)]), relation)

    @cached_property
    def directions(self) -> tuple[LossComposition, ...]:
        """The compositions of which the larger δ counts."""
        return (self.forward,) if self.backward is None else (self.forward, self.backward)

    def delta_interval(self, epsilon: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Bounds on δ(ε), the larger of the two directions  [A Rem 14.6]."""
        at = float_below(nonnegative(epsilon, "epsilon"))
        first, *rest = sorted(self.directions, key=lambda each: -guess_log_delta(each, at))
        low, high = delta_bounds(first, at, _tolerance(rtol))
        for other in rest:
            if not proves(other, at, low):
                ends = delta_bounds(other, at, rtol)
                low, high = max(low, ends[0]), max(high, ends[1])
        return float(low), min(1.0, float(high))

    def rough_delta_interval(self, epsilon: float) -> tuple[float, float]:
        """The same, a hundredth apart: a coarse line or grid is much quicker for few steps  [A Rem 14.6]."""
        return self.delta_interval(epsilon, _ROUGH)

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Bounds on the smallest ε at δ, the larger of the two directions  [A Rem 14.6]."""
        at = float_below(probability(delta, "delta"))
        first, *rest = sorted(self.directions, key=lambda each: -guess_epsilon(each, at))
        low, high = epsilon_bounds(first, at, _tolerance(rtol))
        for other in rest:
            if not proves(other, high, at):
                interval = epsilon_bounds(other, at, rtol)
                low, high = max(low, interval[0]), max(high, interval[1])
        return float(low), float(high)

    def delta_curve(self, epsilons: Sequence[float], rtol: float = 1e-6) -> tuple[list[float], list[float]]:
        """`delta_interval` at many ε at once: (lower ends, upper ends)  [A Rem 14.6]."""
        at = np.array([float_below(nonnegative(each, "epsilon")) for each in epsilons])
        curves = [delta_curve(each, at, _tolerance(rtol)) for each in self.directions]
        low, high = (np.max(np.stack(side), axis=0) for side in zip(*curves, strict=True))
        return low.tolist(), high.tolist()

    def beta(self, alpha: float) -> float:
        """The best of many lines 1 − δ(ε) − e^ε α and e^−ε (1 − δ(ε) − α), rounded down  [A Thm 3.4, A Prop 13.8].

        Each line is a bound, so their number decides how tight this is (about 1e-6), not whether it holds.
        """
        level = float_above(probability(alpha, "alpha"))
        grown, slack = self._lines
        lines = np.maximum((1 - slack) - grown * level, (1 - slack - level) / grown)
        return max(0.0, float(np.max(lines)) - 8 * UNIT)  # e^ε is rounded up already; three roundings of numbers ≤ 1

    @cached_property
    def _lines(self) -> tuple[Vector, Vector]:
        """e^ε, rounded up, and δ(ε) for ε from 0 to where δ is negligible."""
        epsilons = np.linspace(0.0, max(self.epsilon(_NEGLIGIBLE), 1e-9), _LINES)
        return np.exp(epsilons) * (1 + 2 * FUNCTION), np.array(self.delta_curve(epsilons.tolist(), 1e-6)[1])

    def renyi(self, order: Number) -> float:
        """D_α = log E e^((α−1)L)/(α − 1), which adds over the pairs  [A Def 12.1, A Thm 12.3]."""
        at = math.inf if order == math.inf else rational(order, "order")
        if at < 1:
            raise InvalidParameter(f"order must be at least 1, got {order}")
        return float(max(renyi_bound(each, at) for each in self.directions))

    def loss(self) -> "LossDistribution":
        """Itself: what other notions give when they are asked for the law of their loss."""
        return self

    @cached_property
    def laws(self) -> tuple[LossLaw, ...]:
        """The law of the loss in each direction, to be looked at; no bound is made of it  [A Def 14.2]."""
        return tuple(LossLaw(each) for each in self.directions)

    def repeat(self, times: int) -> "LossDistribution":
        """Every count is multiplied: losses of independent releases add  [A Thm 14.2]."""
        n = count(times, "times")
        forward = LossComposition.of((pair, n * k) for pair, k in self.forward.parts)
        backward = self.backward and LossComposition.of((pair, n * k) for pair, k in self.backward.parts)
        return LossDistribution(forward, backward, self.relation)

    def group(self, size: int) -> Guarantee:
        """The noise `size` times as far apart if that is what it is, else the profile's group rule  [A Thm 13.3]."""
        from dalenius.guarantees.loss.grouped import GroupedLoss

        k = count(size, "size")
        if k == 0:
            return LossDistribution.of(NOTHING, relation=self.relation)
        grouped = [(pair.grouped(k), n) for pair, n in self.forward.parts]
        if self.backward is None and all(pair is not None for pair, _ in grouped):
            return LossDistribution(
                LossComposition.of((p, n) for p, n in grouped if p is not None), None, self.relation
            )
        return self if k == 1 else GroupedLoss(self, k, self.relation)

    def amplify(self, sampling: Sampling) -> "LossDistribution":
        """Poisson: ((1−q)Q + qP, Q) and its mirror  [A Thm 14.3]; fixed size: C_p(f) itself  [A Thm 13.7]."""
        rate = sampling.rate_for(self.relation)
        if len(self.forward.parts) != 1 or self.forward.parts[0][1] != 1:
            raise UnprovenClaim("sampling is for one release: amplify each, then compose")
        pair = self.forward.parts[0][0]
        if self.relation is Relation.CHANGE_ONE:
            return LossDistribution.of(pair.sampled_change_one(rate), relation=self.relation)
        other = pair.swapped() if self.backward is None else self.backward.parts[0][0]
        return LossDistribution.of(pair.sampled(rate), other.swapped().sampled(rate).swapped(), self.relation)

    @property
    def sum_form(self) -> tuple[Fraction, Fraction] | None:
        """(Σ largest losses, Σ infinite masses), where all losses are bounded  [A Thm 3.3]."""
        forms = [_sum_form(each) for each in self.directions]
        known = [form for form in forms if form is not None]
        if len(known) < len(forms):
            return None
        return max(epsilon for epsilon, _ in known), max(delta for _, delta in known)

    @property
    def concentrated_form(self) -> ConcentratedForm | None:
        """ρ adds, μ²/2 of a Gaussian pair and ε·tanh(ε/2) of bounded losses; so does infinite mass  [A Thm 12.3]."""
        forms = [_concentrated_form(each) for each in self.directions]
        known = [form for form in forms if form is not None]
        if len(known) < len(forms):
            return None
        return ConcentratedForm(max(form.rho for form in known), max(form.delta for form in known))

    def _with_alike(self, others: Sequence[Guarantee]) -> "LossDistribution | None":
        """All pairs together; a direction that is its own mirror counts in both  [A Thm 14.2]."""
        alike = [self, *(other for other in others if isinstance(other, LossDistribution))]
        if len(alike) <= len(others):
            return None
        forward = LossComposition.of(part for each in alike for part in each.forward.parts)
        if all(each.backward is None for each in alike):
            return LossDistribution(forward, None, self.relation)
        backward = LossComposition.of(part for each in alike for part in (each.backward or each.forward).parts)
        return LossDistribution(forward, backward, self.relation)

    def _under(self, relation: Relation) -> "LossDistribution":
        return LossDistribution(self.forward, self.backward, relation)


def _sum_form(composition: LossComposition) -> tuple[Fraction, Fraction] | None:
    epsilon = delta = Fraction(0)
    for pair, times in composition.parts:
        if pair.bound is None:
            return None
        epsilon, delta = epsilon + times * pair.bound, delta + times * pair.infinite
    return epsilon, min(delta, Fraction(1))


def _concentrated_form(composition: LossComposition) -> ConcentratedForm | None:
    rho = delta = Fraction(0)
    for pair, times in composition.parts:
        if pair.gaussian is not None:
            rho += times * pair.gaussian / 2
        elif pair.bound is not None:
            rho, delta = rho + times * pure_to_rho(pair.bound), delta + times * pair.infinite
        else:
            return None
    return ConcentratedForm(rho, min(delta, Fraction(1)))


def _tolerance(rtol: float) -> float:
    if not 0.0 < rtol < 1.0:
        raise InvalidParameter(f"rtol must lie in (0, 1), got {rtol}")
    return rtol
