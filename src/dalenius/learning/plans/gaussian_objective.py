"""Objective perturbation with a Gaussian linear term, for δ > 0."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import GDP, ApproxDP
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import coded
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import Budget, largest_square
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.objective import SOLVER_SHARE, check_stated, least_ridge
from dalenius.learning.solvers.covered_minimum import ROW_DIGITS, CoveredMinimum
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
    nonnegative,
    positive,
    precision,
    rational,
    upper,
)

_FINENESS = 36


@dataclass(frozen=True, slots=True, init=False)
class GaussianObjective:
    """Release argmin Σ g(xᵢ·w, yᵢ) + γ‖w‖²/2 + V·w for rows of the unit ball, V normal of deviation σ.

    For losses of one predictor. Privacy  [RKW23; A §6.1 objective perturbation]: as for
    `ObjectivePerturbation`, the density of the minimum at a is that of V(a; D) times |det ∂V/∂a|, and the determinants
    of neighbors have a ratio of at most e^c, c = log(1 + t/γ). A row adds s·x to V, where |s| ≤ G may depend on a, so
    the loss is at most c + |s|·|x·V|/σ² + s²‖x‖²/(2σ²) ≤ c + μ|Z| + μ²/2, Z standard normal and μ = G/σ: V has its own
    law under the data that the output is drawn from. Hence δ(ε) ≤ E(1 − e^(ε − c − μ|Z| − μ²/2))⁺, which is twice the
    profile of the Gaussian mechanism at ε − c, once for each sign of Z. Under CHANGE_ONE the two rows' directions have
    four signs and length 2G. A sign that were known would save the factor; it depends on the output, so it is not.

    A hundredth of ε pays for what the solver leaves: see `CoveredMinimum`.
    """

    loss: StatedLoss
    epsilon: Fraction
    delta: Fraction
    ridge: Fraction
    relation: Relation

    def __init__(
        self,
        loss: StatedLoss,
        epsilon: Number,
        delta: Number,
        ridge: Number,
        relation: Relation = Relation.ADD_REMOVE,
    ) -> None:
        check_stated(loss)
        if loss.outputs != 1:
            raise UnprovenClaim("a Gaussian linear term is accounted for losses of one predictor only")
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "delta", rational(delta, "delta"))
        if not 0 < self.delta < 1:
            raise InvalidParameter(f"delta must lie in (0, 1) for Gaussian noise, got {delta}")
        object.__setattr__(self, "ridge", Fraction(float_above(positive(ridge, "ridge"))))
        object.__setattr__(self, "relation", Relation.of(relation))
        if self.noise_epsilon <= 0:
            raise InvalidParameter(
                f"ridge is too small for epsilon: {loss.name} needs at least {float(least_ridge(loss, epsilon)):.6g}"
            )

    @classmethod
    def balanced(
        cls,
        loss: StatedLoss,
        epsilon: Number,
        delta: Number,
        dimension: int,
        relation: Relation = Relation.ADD_REMOVE,
    ) -> "GaussianObjective":
        """The ridge by rule: the length of the noise, σ√d, over a length of weights, and what ε needs at least."""
        budget = positive(epsilon, "epsilon")
        deviation = loss.gradient / Fraction(math.sqrt(largest_square(budget, rational(delta, "delta"))))
        rule = deviation * Fraction(math.sqrt(dimension)) * RIDGE
        return cls(loss, budget, delta, max(rule, 2 * least_ridge(loss, budget)), relation)

    @property
    def noise_epsilon(self) -> Fraction:
        """0.99 ε − log(1 + t/γ), rounded down: at this the Gaussian's own profile is read."""
        with precision(128):
            return self.epsilon * (1 - SOLVER_SHARE) - fraction_above(ball(self.loss.trace / self.ridge).log1p())

    @property
    def square(self) -> Fraction:
        """μ², the largest proved to leave δ over the signs."""
        return largest_square(self.noise_epsilon, self.delta / self._signs)

    @property
    def deviation(self) -> float:
        """σ."""
        return float(self._moved) / math.sqrt(self.square)

    def guarantee(self) -> ApproxDP:
        """(ε, δ), for exactly what `release` runs  [RKW23; A Thm 3.3]."""
        return ApproxDP(self.epsilon, self.delta, self.relation)

    def profile(self, epsilon: Number) -> float:
        """The δ proved at another ε of the minimum itself: the signs times the Gaussian's  [RKW23]."""
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

    def release(self, parts: Iterable[tuple[Matrix, Matrix]], width: int, bits: Bits) -> Matrix:
        """Weights of shape (width, 1), from rows as whole numbers of 2⁻¹⁸ no longer than 2¹⁸."""
        exponent = _FINENESS - math.floor(math.log2(self.deviation))
        mechanism = self.mechanism(exponent)
        linear = [int(v) for v in mechanism.release(np.zeros(width, np.int64), bits)]
        cover = CoveredMinimum(self.loss, self.ridge, self.epsilon * SOLVER_SHARE)
        return cover.release(parts, (width, 1), linear, exponent, bits)

    def mechanism(self, exponent: int) -> Gaussian:
        """The linear term in whole numbers of 2^−exponent: σ² ≥ G²/μ², rounded up."""
        scale = math.isqrt(math.ceil(self._moved**2 / self.square * Fraction(4) ** exponent)) + 1
        return Gaussian(Fraction(scale), Lattice(0))

    @property
    def _moved(self) -> Fraction:
        return self.loss.gradient * (1 if self.relation is Relation.ADD_REMOVE else 2)

    @property
    def _signs(self) -> int:
        return 2 if self.relation is Relation.ADD_REMOVE else 4


RIDGE = Fraction(1, 2)
"""One over the length of weights at which the ridge pulls as hard as the noise."""


@dataclass(frozen=True, slots=True)
class GaussianPerturbation(FitPlan):
    """Gaussian objective perturbation of rows of a box, as a plan."""

    box: Box
    loss: StatedLoss
    budget: Budget
    intercept: bool
    public: tuple[str, ...]
    encoder: Encoder

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "gaussian objective perturbation",
            "box": self.box.facts(),
            "loss": repr(self.loss),
            "ridge": str(self.mechanism.ridge),
            "intercept": self.intercept,
            "encoder": self.encoder.facts(),
        }

    @property
    def guarantee(self) -> Calibrated:
        """(ε, δ): the profile of the mechanism at the ε that was asked for  [RKW23]."""
        return Calibrated(self.mechanism.guarantee(), self.budget.epsilon, self.budget.delta, self.public)

    @property
    def mechanism(self) -> GaussianObjective:
        """The mechanism, its ridge by rule."""
        epsilon, delta, relation = self.budget.epsilon, self.budget.delta, self.budget.relation
        return GaussianObjective.balanced(self.loss, epsilon, delta, self.box.features + self.intercept, relation)

    def run(self, view: Rows | StreamedRows, bits: Bits) -> Outcome:
        """Draw the linear term, solve, cover the solver's tracks."""
        unit = UnitRows(self.box, ROW_DIGITS, self.intercept)
        weights = self.mechanism.release(coded(view, unit, self.encoder), unit.width, bits)
        return self.outcome(weights, None, 1)
