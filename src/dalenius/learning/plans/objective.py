"""Objective perturbation: minimise a loss with a random linear term, and pay for what the solver leaves."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import coded
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import Budget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.solvers.covered_minimum import ROW_DIGITS, CoveredMinimum
from dalenius.learning.sums.loss_bounds import StatedLoss
from dalenius.mechanisms import KNorm
from dalenius.neighbors import Metric, Relation
from dalenius.noise import Bits, Lattice
from dalenius.numerics import Number, ball, float_above, fraction_above, fraction_below, positive, precision

SOLVER_SHARE = Fraction(1, 100)
"""The part of ε that pays for the distance between the solver's answer and the minimum."""
_STEEPEST = 8
"""Sums of steeper slopes over a piece of rows would not be whole numbers below 2⁵³: see `solver`."""


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

    What the solver leaves is paid for with the hundredth of ε that is left: see `CoveredMinimum`  [A Thm 3.3]. So what
    is paid for is what is run, not an ideal.
    """

    loss: StatedLoss
    epsilon: Fraction
    ridge: Fraction
    relation: Relation

    def __init__(
        self, loss: StatedLoss, epsilon: Number, ridge: Number, relation: Relation = Relation.ADD_REMOVE
    ) -> None:
        check_stated(loss)
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        # a float from here on, so that what is proved is what is run
        object.__setattr__(self, "ridge", Fraction(float_above(positive(ridge, "ridge"))))
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

    def release(self, parts: Iterable[tuple[Matrix, Matrix]], width: int, bits: Bits) -> Matrix:
        """Weights of shape (width, outputs), from rows as whole numbers of 2⁻¹⁸ no longer than 2¹⁸."""
        moved = self.loss.gradient * (1 if self.relation is Relation.ADD_REMOVE else 2)
        mechanism, exponent = _knorm(moved / self.noise_epsilon, 36)
        drawn = [mechanism.noise(bits, width) for _ in range(self.loss.outputs)]
        linear = [value for row in zip(*drawn, strict=True) for value in row]
        cover = CoveredMinimum(self.loss, self.ridge, self.epsilon * SOLVER_SHARE)
        return cover.release(parts, (width, self.loss.outputs), linear, exponent, bits)


def least_ridge(loss: StatedLoss, epsilon: Number) -> Fraction:
    """The ridge at which nothing of ε would be left for the linear term: t / (r (e^(ε'/r) − 1)), rounded up."""
    r = loss.rank
    with precision(128):
        grown = fraction_below(ball(positive(epsilon, "epsilon") * (1 - SOLVER_SHARE) / r).expm1())
    return loss.trace / (r * grown)


def check_stated(loss: StatedLoss) -> None:
    """Refuse a loss that does not state what the proof needs."""
    if not isinstance(loss, StatedLoss):
        raise UnprovenClaim("a loss must state outputs, gradient, trace, rank and convex: see learning.StatedLoss")
    if loss.convex is not True:
        raise UnprovenClaim(f"{loss.name} is not stated to be convex, so its minimum proves nothing")
    for name in ("gradient", "trace"):
        positive(getattr(loss, name), f"the loss's {name}")
    if loss.gradient > _STEEPEST:
        raise UnprovenClaim(
            f"{loss.name} states slopes above {_STEEPEST}, for which sums are not certified: rescale it"
        )
    if isinstance(loss.rank, bool) or not isinstance(loss.rank, int) or loss.rank < 1:
        raise UnprovenClaim(f"the rank of a loss's second derivative must be a whole number ≥ 1, got {loss.rank!r}")


def _knorm(scale: Fraction, digits: int) -> tuple[KNorm, int]:
    """Noise of at least this scale as whole numbers of 2^−exponent, about 2^digits of them to the scale."""
    exponent = digits - math.floor(math.log2(float(scale)))
    return KNorm(Metric.L2, Fraction(math.ceil(scale * Fraction(2) ** exponent)), Lattice(0)), exponent


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

    def run(self, view: Rows | StreamedRows, bits: Bits) -> Outcome:
        """Draw the linear term, solve, cover the solver's tracks."""
        unit = UnitRows(self.box, ROW_DIGITS, self.intercept)
        weights = self.mechanism.release(coded(view, unit, self.encoder), unit.width, bits)
        return self.outcome(weights, None, 1)
