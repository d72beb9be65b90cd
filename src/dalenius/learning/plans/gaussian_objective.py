"""Objective perturbation with a Gaussian linear term, for δ > 0."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import GDP, ApproxDP
from dalenius.learning.data.encoded_rows import Part
from dalenius.learning.data.rows import Matrix
from dalenius.learning.plans.budget import largest_square
from dalenius.learning.plans.objective import SOLVER_SHARE, check_stated, least_ridge, unit_rank
from dalenius.learning.solvers.convex_terms import ConvexTerm
from dalenius.learning.solvers.covered_minimum import CoveredMinimum
from dalenius.learning.solvers.solver import TOLERANCE
from dalenius.learning.sums.loss_bounds import StatedLoss
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Relation
from dalenius.noise import Bits, Lattice
from dalenius.numerics import (
    Number,
    ball,
    erfc,
    float_above,
    float_below,
    fraction_above,
    fraction_below,
    nonnegative,
    positive,
    precision,
    rational,
    upper,
)

_FINENESS = 36


@dataclass(frozen=True, slots=True, init=False)
class GaussianObjective:
    """Release argmin Σ g(xᵢ·w, yᵢ) + Σ γⱼwⱼ²/2 + V·w for rows of the unit ball, V normal of deviation σ.

    The γⱼ are public and at least γ, the `ridge`. For losses of one predictor, and for the softmax.

    Privacy  [RKW23; A §6.1 objective perturbation]: as for `ObjectivePerturbation`, the density of the minimum at a is
    that of V(a; D) times |det ∂V/∂a|, and the determinants of neighbors have a ratio of at most e^c, c = log(1 + t/γ).
    A row adds s·x to V, where |s| ≤ G may depend on a, so the loss is at most c + |s|·|x·V|/σ² + s²‖x‖²/(2σ²) ≤ c +
    μ|Z| + μ²/2, Z standard normal and μ = G/σ: V has its own law under the data that the output is drawn from. Hence
    δ(ε) ≤ E(1 − e^(ε − c − μ|Z| − μ²/2))⁺, which is twice the profile of the Gaussian mechanism at ε − c, once for each
    sign of Z. Under CHANGE_ONE the two rows' directions have four signs and length 2G. A sign that were known would
    save the factor; it depends on the output, so it is not.

    Softmax: a row moves V by s = (p − e_y) ⊗ x. The loss c + s·V/σ² + ‖s‖²/(2σ²) is convex in p − e_y, so its largest
    value is at a corner, 0 or e_k − e_y of length √2: K − 1 normal losses with μ = √2/σ, whose profiles add. Under
    CHANGE_ONE both rows' corners make K² pairs of length at most 2√2. The determinants' ratio is that of rank r.

    `part` of μ² is left to V where Gaussian releases that V's objective may depend on took the rest: their loss and
    that of each sign or corner add up to that of one normal of the whole μ², so the bound stands for all together.

    Where a unit has many rows of weights that add up to 1 (`rank` is given), s is a mixture of the rows' own: by
    convexity the moments e^((α−1)loss) are at most those of one row, the profile is not. Then δ is that of the Rényi
    divergence, (1/α)(1 − 1/α)^(α−1) e^((α−1)(D_α − ε)) at the best order α  [CKS20, Prop 12].

    A hundredth of ε pays for what the solver leaves: see `CoveredMinimum`.
    """

    loss: StatedLoss
    epsilon: Fraction
    delta: Fraction
    ridge: Fraction
    relation: Relation
    rank: int | None
    part: Fraction

    def __init__(
        self,
        loss: StatedLoss,
        epsilon: Number,
        delta: Number,
        ridge: Number,
        relation: Relation = Relation.ADD_REMOVE,
        rank: int | None = None,
        part: Fraction = Fraction(1),
    ) -> None:
        check_stated(loss)
        if loss.outputs != 1 and not isinstance(loss, CorneredLoss):
            raise UnprovenClaim("a Gaussian linear term is accounted for losses of one predictor, and for the softmax")
        if not 0 < part <= 1:
            raise InvalidParameter(f"part must lie in (0, 1], got {part}")
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "delta", rational(delta, "delta"))
        if not 0 < self.delta < 1:
            raise InvalidParameter(f"delta must lie in (0, 1) for Gaussian noise, got {delta}")
        object.__setattr__(self, "ridge", Fraction(float_above(positive(ridge, "ridge"))))
        object.__setattr__(self, "relation", Relation.of(relation))
        object.__setattr__(self, "rank", rank)
        object.__setattr__(self, "part", part)
        if self.noise_epsilon <= 0:
            least = float(least_ridge(loss, epsilon, rank))
            raise InvalidParameter(f"ridge is too small for epsilon: {loss.name} needs at least {least:.6g}")

    @classmethod
    def balanced(
        cls,
        loss: StatedLoss,
        epsilon: Number,
        delta: Number,
        dimension: int,
        relation: Relation = Relation.ADD_REMOVE,
        rank: int | None = None,
    ) -> "GaussianObjective":
        """The ridge by rule: the length of the noise, σ√d, over a length of weights, and what ε needs at least."""
        budget = positive(epsilon, "epsilon")
        length = Fraction(math.sqrt(_length_square(loss)))
        deviation = length / Fraction(math.sqrt(largest_square(budget, rational(delta, "delta"))))
        rule = deviation * Fraction(math.sqrt(dimension)) * RIDGE
        return cls(loss, budget, delta, max(rule, 2 * least_ridge(loss, budget, rank)), relation, rank)

    @property
    def noise_epsilon(self) -> Fraction:
        """0.99 ε − r·log(1 + t/(rγ)), rounded down: at this the Gaussian's own profile is read."""
        r = unit_rank(self.loss, self.rank)
        with precision(128):
            cost = r * ball(self.loss.trace / (r * self.ridge)).log1p()
            return self.epsilon * (1 - SOLVER_SHARE) - fraction_above(cost)

    @property
    def square(self) -> Fraction:
        """μ², the largest proved to leave δ over the signs; of it `part` is the linear term's."""
        if self.rank is not None:
            return _largest_moment_square(self.noise_epsilon, self.delta / self._signs)
        return largest_square(self.noise_epsilon, self.delta / self._signs)

    @property
    def deviation(self) -> float:
        """σ."""
        return math.sqrt(self._moved_square / (self.square * self.part))

    def guarantee(self) -> ApproxDP:
        """(ε, δ), for exactly what `release` runs  [RKW23; A Thm 3.3]."""
        return ApproxDP(self.epsilon, self.delta, self.relation)

    def profile(self, epsilon: Number) -> float:
        """The δ proved at another ε of the minimum itself: the signs times the Gaussian's  [RKW23]."""
        if self.rank is not None:
            raise UnprovenClaim("where a unit has many rows only moments are bounded: read renyi")
        left = nonnegative(epsilon, "epsilon") - self.epsilon * (1 - SOLVER_SHARE) + self.noise_epsilon
        if left < 0:
            return 1.0
        return min(
            1.0, math.nextafter(self._signs * GDP.root(self.square, self.relation).delta(float_below(left)), 2.0)
        )

    def renyi(self, order: Number) -> float:
        """The Rényi divergence of the minimum: c + αμ²/2 + log(signs·Φ((α − 1)μ))/(α − 1)  [RKW23].

        log E e^((α−1)μ|Z|) = (α − 1)²μ²/2 + log 2Φ((α − 1)μ), and a maximum over two such |Z| has at most their sum.
        """
        alpha = rational(order, "order")
        if alpha <= 1:
            raise InvalidParameter(f"order must be > 1, got {order}")
        with precision(128):
            cost = ball(self.epsilon * (1 - SOLVER_SHARE) - self.noise_epsilon)
            mu = ball(self.square).sqrt()
            inside = erfc(-(ball(alpha - 1) * mu) / ball(2).sqrt()) / 2
            tail = (self._signs * inside).log() / ball(alpha - 1)
            return upper(cost + ball(alpha) * mu * mu / 2 + tail)

    def release(
        self,
        parts: Iterable[Part],
        width: int,
        bits: Bits,
        penalty: Matrix | None = None,
        term: ConvexTerm | None = None,
        tolerance: float = TOLERANCE,
    ) -> Matrix:
        """Weights of shape (width, outputs), from rows as whole numbers of 2⁻¹⁸ no longer than 2¹⁸.

        `penalty` is a column of γⱼ and `term` a closed convex r(w), both public: see `ObjectivePerturbation`. The
        solver ends at a gradient of length `tolerance`, public too: the shorter, the less noise covers its tracks.
        """
        exponent = _FINENESS - math.floor(math.log2(self.deviation))
        mechanism = self.mechanism(exponent)
        linear = [int(v) for v in mechanism.release(np.zeros(width * self.loss.outputs, np.int64), bits)]
        cover = CoveredMinimum(self.loss, self.ridge, self.epsilon * SOLVER_SHARE, tolerance)
        return cover.release(parts, (width, self.loss.outputs), linear, exponent, bits, penalty, term)

    def mechanism(self, exponent: int) -> Gaussian:
        """The linear term in whole numbers of 2^−exponent: σ² ≥ G²/μ², rounded up."""
        wanted = self._moved_square / (self.square * self.part)
        return Gaussian(Fraction(math.isqrt(math.ceil(wanted * Fraction(4) ** exponent)) + 1), Lattice(0))

    @property
    def _moved_square(self) -> Fraction:
        return _length_square(self.loss) * (1 if self.relation is Relation.ADD_REMOVE else 4)

    @property
    def _signs(self) -> int:
        alone = self.relation is Relation.ADD_REMOVE
        if isinstance(self.loss, CorneredLoss) and self.loss.outputs > 1:
            return self.loss.corners if alone else (self.loss.corners + 1) ** 2
        return 2 if alone else 4


RIDGE = Fraction(3, 20)
"""One over the length of weights at which the ridge pulls as hard as the noise."""
_ORDERS = tuple(1 + Fraction(9, 8) ** k for k in range(-30, 90))
"""From 1.03 to 40 000, each an eighth further from 1 than the one before."""


@runtime_checkable
class CorneredLoss(Protocol):
    """A loss of many predictors whose gradient lies between 0 and a few corners, all of one length."""

    @property
    def corners(self) -> int:
        """How many besides 0."""

    @property
    def length_square(self) -> int:
        """The square of their ℓ2 length."""


def _length_square(loss: StatedLoss) -> Fraction:
    return Fraction(loss.length_square) if loss.outputs > 1 else loss.gradient**2  # type: ignore[attr-defined]


@lru_cache(maxsize=256)
def _largest_moment_square(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest μ² with (1/α)(1 − 1/α)^(α−1) e^((α−1)(αμ²/2 − ε)) ≤ δ at some order α, rounded down.

    [CKS20, Prop 12]
    """
    with precision(128):
        largest = max(_moment_square(order, epsilon, delta) for order in _ORDERS)
    if largest <= 0:
        raise UnprovenClaim("this budget is too small for people with many rows: raise epsilon or delta")
    return largest


def _moment_square(alpha: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    a = ball(alpha)
    spare = ball(delta).log() + a.log() - (a - 1) * (1 - 1 / a).log()
    return fraction_below(2 / a * (ball(epsilon) + spare / (a - 1)))
