"""What is proved of log-concave noise around an answer: its profile in closed form, its loss when composed.

Let Z be log-concave (on the reals, or on the integers) and f_s the trade-off function between Z and Z + s. The ratio of
the two densities is monotone, so the best tests are thresholds, and f_s(α) is the miss of the threshold whose level is
α. A threshold's power against s is its level at s: hence f_t(1 − f_s(α)) = f_{s+t}(α), for any s, t ≥ 0 of one sign.

A vector with an independent Z in each coordinate is dominated by one number, in ℓ1. Take two answers a total of Δ₁ =
Σ|sᵢ| apart and move one coordinate after another: while only coordinate i moves, the trade-off function is f_{|sᵢ|} (Z
is symmetric, the rest is noise that both share). T(P, Q) ≥ f and T(Q, R) ≥ g give T(P, R)(α) ≥ g(1 − f(α))  [A Lem
11], so the whole is at least the chain of the f_{|sᵢ|}, which is f_{Δ₁}. One coordinate that moves by Δ₁ attains it.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from flint import arb

from dalenius.guarantees import Guarantee, LossDistribution, PureDP
from dalenius.guarantees.guarantee import ConcentratedForm, count
from dalenius.guarantees.loss import Pair
from dalenius.guarantees.loss.pairs import NOTHING, discrete_gaussian, discrete_laplace, laplace
from dalenius.neighbors import Relation
from dalenius.noise import DiscreteGaussian, SymmetricLaw
from dalenius.numerics import Number, ball, ends, float_above, float_below, nonnegative, precision, probability

if TYPE_CHECKING:
    from dalenius.guarantees import Sampling

_MOST_STEPS = 1024


class Shifted(Guarantee):
    """Symmetric log-concave noise, answers at most a distance apart in ℓ1, for every dimension  [A Lem 11]."""

    __slots__ = ()

    proof: ClassVar[str] = "the exact law of its noise"

    @abstractmethod
    def profile(self, epsilon: Fraction) -> arb:
        """An enclosure of δ(ε), at the working precision."""

    @abstractmethod
    def pair(self) -> Pair:
        """The two laws at the largest distance."""

    @property
    @abstractmethod
    def bound(self) -> Fraction | None:
        """The largest loss, if there is one."""

    @abstractmethod
    def further(self, size: int) -> "Shifted":
        """The same noise, answers `size` times as far apart."""

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """One threshold test, at the point where the ratio of the two laws passes e^ε  [A Def 9.1]."""
        at = nonnegative(epsilon, "epsilon")
        if self.bound is not None and at >= self.bound:
            return 0.0, 0.0
        with precision(256):
            low, high = ends(self.profile(at))
        return max(0.0, low), min(1.0, high)

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Inverse of the profile; at δ = 0 the largest loss  [A Def 9.1]."""
        if probability(delta, "delta") > 0:
            return Guarantee.epsilon_interval(self, delta, rtol)
        return (math.inf, math.inf) if self.bound is None else (float_below(self.bound), float_above(self.bound))

    def renyi(self, order: Number) -> float:
        """That of the loss  [A Def 12.1]."""
        return self.loss().renyi(order)

    def repeat(self, times: int) -> Guarantee:
        """Losses of independent releases add  [A Thm 14.2]."""
        n = count(times, "times")
        return self if n == 1 else self.loss().repeat(n) if n else PureDP(0, self.relation)

    def group(self, size: int) -> Guarantee:
        """The same noise, `size` times as far apart: the chain of thresholds again  [A Thm 13.3]."""
        k = count(size, "size")
        return self.further(k) if k else PureDP(0, self.relation)

    def amplify(self, sampling: "Sampling") -> LossDistribution:
        """The loss of the sampled mechanism, directions apart  [A Thm 14.3, A Thm 13.7]."""
        return self.loss().amplify(sampling)

    def loss(self) -> LossDistribution:
        """Its exact loss, as the engine composes it  [A Thm 14.2]."""
        return LossDistribution.of(self.pair(), relation=self.relation)

    @property
    def sum_form(self) -> tuple[Fraction, Fraction] | None:
        """(the largest loss, 0): bounded noise ratios are pure."""
        return None if self.bound is None else (self.bound, Fraction(0))

    @property
    def concentrated_form(self) -> ConcentratedForm | None:
        """That of the largest loss."""
        return None if self.bound is None else PureDP(self.bound).concentrated_form

    @property
    def gaussian_form(self) -> Fraction | None:
        """That of the largest loss."""
        return None if self.bound is None else PureDP(self.bound).gaussian_form

    def _claim(self) -> str:
        return Guarantee._claim(self) if self.bound is None else PureDP(self.bound)._claim()


@dataclass(frozen=True, slots=True)
class LaplaceLoss(Shifted):
    """Laplace noise, answers `budget` scales apart: pure, and better than that below ε  [A Thm 3.2]."""

    budget: Fraction
    relation: Relation = Relation.ADD_REMOVE

    def profile(self, epsilon: Fraction) -> arb:
        """1 − exp((ε − ε₀)/2), attained by the threshold (Δ − ε·scale)/2."""
        return -ball((epsilon - self.budget) / 2).expm1()

    def beta(self, alpha: float) -> float:
        """1 − e^ε α, then e^−ε/(4α), then e^−ε (1 − α), rounded down: the Laplace law is log-concave  [A Prop 13.9]."""
        level = probability(alpha, "alpha")
        with precision(128):
            growth, at = ball(self.budget).exp(), ball(level)
            if level >= Fraction(1, 2):
                value = (1 - at) / growth
            elif at * growth * 2 >= 1:
                value = 1 / (4 * growth * at)
            else:
                value = 1 - growth * at
            return max(0.0, ends(value)[0])

    def pair(self) -> Pair:
        """Two Laplace laws  [A Thm 3.2]."""
        return laplace(self.budget) if self.budget else NOTHING

    @property
    def bound(self) -> Fraction:
        """Δ / scale."""
        return self.budget

    def further(self, size: int) -> "LaplaceLoss":
        """The distance times `size`."""
        return LaplaceLoss(self.budget * size, self.relation)

    def _under(self, relation: Relation) -> "LaplaceLoss":
        return LaplaceLoss(self.budget, relation)


@dataclass(frozen=True, slots=True)
class GeometricLoss(Shifted):
    """Two-sided geometric noise ∝ exp(−rate·|z|), integer answers `steps` apart  [D Thm 2.8].

    One step is randomized response itself, so pure differential privacy says all there is to say  [KOV15, Thm 3.2].
    """

    rate: Fraction
    steps: int
    relation: Relation = Relation.ADD_REMOVE

    def profile(self, epsilon: Fraction) -> arb:
        """1 − (q^(1+m−t) + e^ε q^t)/(1 + q), q = e^−rate, t the first point whose loss rate·(2t − m) exceeds ε."""
        m, a = self.steps, self.rate
        t = math.floor((epsilon / a + m) / 2) + 1
        return 1 - ((-ball(a * (1 + m - t))).exp() + ball(epsilon - a * t).exp()) / (1 + (-ball(a)).exp())

    def pair(self) -> Pair:
        """Two geometric laws; beyond 1024 steps some are taken at once.

        k steps of ε each chain to no less than one of kε  [A Prop 3.2], so fewer and larger steps are at least as
        telling; the largest loss stays what it is.
        """
        at_once = -(-self.steps // _MOST_STEPS)
        pair = discrete_laplace(self.rate * at_once, -(-self.steps // at_once))
        return Pair(pair.atoms, spacing=pair.spacing, symmetric=True, further=self._pair_further, bound=self.bound)

    @property
    def bound(self) -> Fraction:
        """Rate · steps."""
        return self.rate * self.steps

    def further(self, size: int) -> "GeometricLoss":
        """The distance times `size`."""
        return GeometricLoss(self.rate, self.steps * size, self.relation)

    def _pair_further(self, size: int) -> Pair:
        return self.further(size).pair() if size else NOTHING

    def _under(self, relation: Relation) -> "GeometricLoss":
        return GeometricLoss(self.rate, self.steps, relation)


@dataclass(frozen=True, slots=True)
class DiscreteGaussianLoss(Shifted):
    """Discrete Gaussian noise of a scale σ, integer answers `steps` apart in ℓ1  [CKS20, Thm 7]."""

    scale: Fraction
    steps: int
    relation: Relation = Relation.ADD_REMOVE

    def profile(self, epsilon: Fraction) -> arb:
        """P[Z ≥ t − m] − e^ε P[Z ≥ t], t the first integer whose loss (2tm − m²)/2σ² exceeds ε."""
        m = self.steps
        t = math.floor(epsilon * self.scale**2 / m + Fraction(m, 2)) + 1
        law = DiscreteGaussian(self.scale)
        return at_least(law, t - m) - ball(epsilon).exp() * at_least(law, t)

    def pair(self) -> Pair:
        """Two discrete Gaussians."""
        return discrete_gaussian(self.scale**2, self.steps)

    @property
    def bound(self) -> None:
        """Unbounded."""
        return None

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """ρ = m²/2σ²  [CKS20, Thm 4]."""
        return ConcentratedForm(Fraction(self.steps**2) / (2 * self.scale**2), Fraction(0))

    def further(self, size: int) -> "DiscreteGaussianLoss":
        """The distance times `size`."""
        return DiscreteGaussianLoss(self.scale, self.steps * size, self.relation)

    def _under(self, relation: Relation) -> "DiscreteGaussianLoss":
        return DiscreteGaussianLoss(self.scale, self.steps, relation)


def at_least(law: SymmetricLaw, step: int) -> arb:
    """An enclosure of P[Z ≥ step · lattice.step], at the working precision."""
    return law.outside(step - 1) / 2 if step >= 1 else 1 - law.outside(-step) / 2
