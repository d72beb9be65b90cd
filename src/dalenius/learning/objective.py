"""Objective perturbation: minimise a loss with a random linear term, and pay for what the solver leaves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.learning.box import Box, UnitRows
from dalenius.learning.budget import Budget
from dalenius.learning.plan import FitPlan
from dalenius.learning.rows import Matrix, Rows
from dalenius.learning.solver import TOLERANCE, Objective, minimum
from dalenius.learning.stated import StatedLoss
from dalenius.learning.stream import ParquetRows
from dalenius.learning.targets import Encoder
from dalenius.mechanisms import KNorm
from dalenius.neighbors import Metric, Relation
from dalenius.noise import Bits, Lattice
from dalenius.numerics import Number, ball, fraction_above, fraction_below, positive, precision

SOLVER_SHARE = Fraction(1, 100)
"""The part of ε that pays for the distance between the solver's answer and the minimum."""
_DIGITS = 18


@dataclass(frozen=True, slots=True, init=False)
class ObjectivePerturbation:
    """Release argmin Σ g(xᵢ·w, yᵢ) + γ‖w‖²/2 + V·w for rows of the unit ball, V of density ∝ exp(−‖v‖/scale).

    ‖v‖ is the sum over the predictors of the ℓ2 lengths of their parts, so each part is drawn by itself: a row's
    gradient ∇g ⊗ x has ‖·‖ = ‖∇g‖₁‖x‖₂. For one predictor it is the ℓ2 norm; for K classes the noise of a class is
    shorter by √K or so than that of the ℓ2 norm of all.

    Privacy  [A §6.1 objective perturbation, A Thm 6.1, AS21], as corrected in the errata. Let V(a; D) be the linear
    term that puts the minimum at a. It is Lipschitz and strongly monotone in a, so its inverse is Lipschitz and the
    density of the minimum at a is that of V(a; D) times |det ∂V/∂a| for almost all a. Neighbors move V by at most Δ
    (one row's gradient, two under CHANGE_ONE): a factor e^(Δ/scale). The determinants of C and C + H, C ≥ γ, H of rank
    r and trace t, have a ratio between 1 and (1 + t/(rγ))^r: the eigenvalues of C^−½HC^−½ are at most r, add up to at
    most t/γ, and their product of 1 + them is largest when they are equal. Together e^ε for
    Δ/scale = ε' − r·log(1 + t/(rγ)), ε' = 0.99 ε.

    The solver's answer is within (τ + ρ)/γ of the minimum, where τ is its certified gradient and ρ the rounding of V
    to a lattice. Given the minimum, that answer is a function of the data in a ball of that radius: noise of the same
    kind for a distance of twice the radius makes it private for the hundredth of ε that is left  [A Thm 3.3]. So what
    is paid for is what is run, not an ideal. If no answer can be certified, which no data is known to do, 0 stands in.
    """

    loss: StatedLoss
    epsilon: Fraction
    ridge: Fraction
    relation: Relation

    def __init__(
        self, loss: StatedLoss, epsilon: Number, ridge: Number, relation: Relation = Relation.ADD_REMOVE
    ) -> None:
        _check(loss)
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "ridge", positive(ridge, "ridge"))
        object.__setattr__(self, "relation", Relation.of(relation))
        if self.noise_epsilon <= 0:
            raise InvalidParameter(
                f"ridge is too small for epsilon: {loss.name} needs at least {float(least_ridge(loss, epsilon)):.6g}"
            )

    @classmethod
    def balanced(
        cls, loss: StatedLoss, epsilon: Number, dimension: int, relation: Relation = Relation.ADD_REMOVE
    ) -> "ObjectivePerturbation":
        """The ridge by rule: √d/(2ε), which leaves more than nine tenths of ε to the linear term.

        Noise of length about d/ε in the gradient would move weights without bound where the data says nothing.

        [A §6.2 error rate, A Rem 6.3]
        """
        budget = positive(epsilon, "epsilon")
        rule = Fraction(math.isqrt(dimension << 20) + 1, 1 << 10) / (2 * budget)
        return cls(loss, budget, max(rule, 2 * least_ridge(loss, budget)), relation)

    @property
    def q(self) -> float:
        """The part of ε that the linear term takes, q of the notes."""
        return float(self.noise_epsilon / self.epsilon)

    @property
    def noise_epsilon(self) -> Fraction:
        """ε' − r·log(1 + t/(rγ)), rounded down."""
        r = self.loss.rank
        with precision(128):
            cost = r * ball(self.loss.trace / (r * self.ridge)).log1p()
            return self.epsilon * (1 - SOLVER_SHARE) - fraction_above(cost)

    def guarantee(self) -> PureDP:
        """ε, for exactly what `release` runs  [A Thm 6.1, A Thm 3.3]."""
        return PureDP(self.epsilon, self.relation)

    def release(self, parts: Sequence[tuple[Matrix, Matrix]], width: int, bits: Bits) -> Matrix:
        """Weights of shape (width, outputs), from rows as whole numbers of 2⁻¹⁸ no longer than 2¹⁸."""
        shape = width, self.loss.outputs
        linear, rounding = self._linear(width, bits)
        found = minimum(Objective(parts, _DIGITS, self.loss, float(self.ridge), linear), shape)
        return self._covered(np.zeros(shape) if found is None else found, rounding, bits)

    def _linear(self, width: int, bits: Bits) -> tuple[Matrix, Fraction]:
        """V rounded to a lattice, and how far that is from V in ℓ2."""
        moved = self.loss.gradient * (1 if self.relation is Relation.ADD_REMOVE else 2)
        mechanism, exponent = _knorm(moved / self.noise_epsilon, 36)
        parts = [mechanism.release(np.zeros(width, np.int64), bits) for _ in range(self.loss.outputs)]
        drawn = np.asarray(np.column_stack(parts) * 2.0**-exponent, np.float64)
        return drawn, _root(drawn.size) / Fraction(2) ** (exponent + 1)

    def _covered(self, weights: Matrix, rounding: Fraction, bits: Bits) -> Matrix:
        """Weights with noise that hides where in its ball the solver stopped."""
        radius = (Fraction(TOLERANCE) + rounding) / self.ridge
        share = self.epsilon * SOLVER_SHARE
        root = _root(weights.size)
        exponent = 24 - math.floor(math.log2(float(2 * radius / share)))
        distance = 2 * radius + root / Fraction(2) ** exponent
        mechanism = KNorm(Metric.L2, Fraction(math.ceil(distance / share * Fraction(2) ** exponent)), Lattice(0))
        steps = Lattice(-exponent).toward_zero(weights.ravel())
        return np.asarray(mechanism.release(steps, bits) * 2.0**-exponent, np.float64).reshape(weights.shape)


def least_ridge(loss: StatedLoss, epsilon: Number) -> Fraction:
    """The ridge at which nothing of ε would be left for the linear term: t / (r (e^(ε'/r) − 1)), rounded up."""
    r = loss.rank
    with precision(128):
        grown = fraction_below(ball(positive(epsilon, "epsilon") * (1 - SOLVER_SHARE) / r).expm1())
    return loss.trace / (r * grown)


def _check(loss: StatedLoss) -> None:
    if not isinstance(loss, StatedLoss):
        raise UnprovenClaim("a loss must state outputs, gradient, trace, rank and convex: see learning.StatedLoss")
    if loss.convex is not True:
        raise UnprovenClaim(f"{loss.name} is not stated to be convex, so its minimum proves nothing")
    for name in ("gradient", "trace"):
        positive(getattr(loss, name), f"the loss's {name}")
    if isinstance(loss.rank, bool) or not isinstance(loss.rank, int) or loss.rank < 1:
        raise UnprovenClaim(f"the rank of a loss's second derivative must be a whole number ≥ 1, got {loss.rank!r}")


def _knorm(scale: Fraction, digits: int) -> tuple[KNorm, int]:
    """Noise of at least this scale as whole numbers of 2^−exponent, about 2^digits of them to the scale."""
    exponent = digits - math.floor(math.log2(float(scale)))
    return KNorm(Metric.L2, Fraction(math.ceil(scale * Fraction(2) ** exponent)), Lattice(0)), exponent


def _root(number: int) -> Fraction:
    """√number, rounded up."""
    return Fraction(math.isqrt(number << 40) + 1, 1 << 20)


@dataclass(frozen=True, slots=True)
class Perturbation(FitPlan):
    """Objective perturbation of rows of a box, as a plan."""

    box: Box
    loss: StatedLoss
    budget: Budget
    intercept: bool
    public: tuple[str, ...]
    encoder: Encoder

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "objective perturbation",
            "box": self.box.facts(),
            "loss": repr(self.loss),
            "ridge": str(self.mechanism.ridge),
            "intercept": self.intercept,
            "encoder": self.encoder.facts(),
        }

    @property
    def mechanism(self) -> ObjectivePerturbation:
        """The mechanism, its ridge by rule."""
        size = (self.box.features + self.intercept) * self.loss.outputs
        return ObjectivePerturbation.balanced(self.loss, self.budget.total, size, self.budget.relation)

    def run(self, view: Rows | ParquetRows, bits: Bits) -> Outcome:
        """Draw the linear term, solve, cover the solver's tracks."""
        unit = UnitRows(self.box, _DIGITS, self.intercept)
        parts = [(unit.steps(features), self.encoder.codes(target)) for features, target in view.chunks()]
        weights = self.mechanism.release(parts, unit.width, bits)
        return self.outcome(weights, None, 1)
