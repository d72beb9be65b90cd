"""Objective perturbation: minimise a loss with a random linear term, and pay for what the solver leaves."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows, Part, coded
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fading import FitTerms, eased, held_radius
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.whole_noise import moves
from dalenius.learning.solvers.convex_terms import ConvexTerm
from dalenius.learning.solvers.covered_minimum import ROW_DIGITS, CoveredMinimum
from dalenius.learning.solvers.solver import TOLERANCE
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
    """Release argmin Σ g(xᵢ·w, yᵢ) + Σ γⱼwⱼ²/2 + V·w for rows of the unit ball, V of density ∝ exp(−‖v‖/scale).

    The γⱼ are public and at least γ, the `ridge`: a strongly convex, data-free r(w) of the notes.

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

    Where a unit has many rows, with weights that add up to at most 1, its gradient is Σ ωᵢ∇gᵢ ⊗ xᵢ, no longer than the
    longest of them, and its second derivative has a trace of at most t; its rank may be as large as `rank` says.

    A further convex r(w), closed and free of the data, and a closed convex region Θ, outside of which r is infinite,
    cost nothing  [KST12]. Let z = w + s with s a subgradient of r at w: w = prox(z), the gradient of a convex function,
    so its Jacobian J is symmetric with 0 ≤ J ≤ 1 for almost all z. The linear term V(z) = −(∇L(w) + γw + s) is
    Lipschitz and one-to-one in z, and its Jacobian is −((C + γ)J + 1 − J). With H more the determinant grows by
    det(1 + HJ((C + γ)J + 1 − J)⁻¹), where the matrix beside H is (C + γ + J⁻¹ − 1)⁻¹ ≤ 1/γ, or its limit for singular
    J. So z is as private as w was, and w is a function of z  [A Prop 3.1].

    What the solver leaves is paid for with the hundredth of ε that is left: see `CoveredMinimum`  [A Thm 3.3]. So what
    is paid for is what is run, not an ideal.
    """

    loss: StatedLoss
    epsilon: Fraction
    ridge: Fraction
    relation: Relation
    rank: int

    def __init__(
        self,
        loss: StatedLoss,
        epsilon: Number,
        ridge: Number,
        relation: Relation = Relation.ADD_REMOVE,
        rank: int | None = None,
    ) -> None:
        check_stated(loss)
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        # a float from here on, so that what is proved is what is run
        object.__setattr__(self, "ridge", Fraction(float_above(positive(ridge, "ridge"))))
        object.__setattr__(self, "relation", Relation.of(relation))
        object.__setattr__(self, "rank", unit_rank(loss, rank))
        if self.noise_epsilon <= 0:
            least = float(least_ridge(loss, epsilon, self.rank))
            raise InvalidParameter(f"ridge is too small for epsilon: {loss.name} needs at least {least:.6g}")

    @classmethod
    def balanced(
        cls,
        loss: StatedLoss,
        epsilon: Number,
        dimension: int,
        relation: Relation = Relation.ADD_REMOVE,
        rank: int | None = None,
    ) -> "ObjectivePerturbation":
        """The ridge by rule: √d/(2ε), which leaves more than nine tenths of ε to the linear term.

        Noise of length about d/ε in the gradient would move weights without bound where the data says nothing.

        [A §6.2 error rate, A Rem 6.3]
        """
        budget = positive(epsilon, "epsilon")
        rule = Fraction(math.isqrt(dimension << 20) + 1, 1 << 10) / (2 * budget)
        return cls(loss, budget, max(rule, 2 * least_ridge(loss, budget, rank)), relation, rank)

    @property
    def q(self) -> float:
        """The part of ε that the linear term takes, q of the notes."""
        return float(self.noise_epsilon / self.epsilon)

    @property
    def noise_epsilon(self) -> Fraction:
        """ε' − r·log(1 + t/(rγ)), rounded down."""
        r = self.rank
        with precision(128):
            cost = r * ball(self.loss.trace / (r * self.ridge)).log1p()
            return self.epsilon * (1 - SOLVER_SHARE) - fraction_above(cost)

    def guarantee(self) -> PureDP:
        """ε, for exactly what `release` runs  [A Thm 6.1, A Thm 3.3]."""
        return PureDP(self.epsilon, self.relation)

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
        moved = self.loss.gradient * (1 if self.relation is Relation.ADD_REMOVE else 2)
        mechanism, exponent = _knorm(moved / self.noise_epsilon, 36)
        drawn = [mechanism.noise(bits, width) for _ in range(self.loss.outputs)]
        linear = [value for row in zip(*drawn, strict=True) for value in row]
        cover = CoveredMinimum(self.loss, self.ridge, self.epsilon * SOLVER_SHARE, tolerance)
        return cover.release(parts, (width, self.loss.outputs), linear, exponent, bits, penalty, term)


def unit_rank(loss: StatedLoss, rank: int | None) -> int:
    """The rank of what one unit adds to the second derivative: that of the loss, or a larger one for many rows."""
    return loss.rank if rank is None else max(int(rank), loss.rank)


def least_ridge(loss: StatedLoss, epsilon: Number, rank: int | None = None) -> Fraction:
    """The ridge at which nothing of ε would be left for the linear term: t / (r (e^(ε'/r) − 1)), rounded up."""
    r = unit_rank(loss, rank)
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
    """Objective perturbation of rows of a box, as a plan; rows and slopes are held as `fading` says."""

    box: Box
    loss: StatedLoss
    budget: FitBudget
    intercept: bool
    public: tuple[str, ...]
    encoder: Encoder
    terms: FitTerms

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "objective perturbation",
            "box": self.box.facts(),
            "loss": repr(self.loss),
            "ridge": str(self.mechanism.ridge),
            "intercept": self.intercept,
            "encoder": self.encoder.facts(),
            "terms": self.terms.facts(),
        }

    @property
    def unit_rows(self) -> UnitRows:
        """Rows of the unit ball, as much of them as the number of rows allows."""
        whole = UnitRows(self.box, ROW_DIGITS, self.intercept)
        return replace(whole, held=held_radius(whole, self.freedom, self.terms.row_norm))

    @property
    def freedom(self) -> Fraction:
        """By the length of the noise at slopes held to ½: some d·G/ε."""
        loss, size = eased(self.loss, Fraction(0)), (self.box.features + self.intercept) * self.loss.outputs
        moved = float(loss.gradient) * (1 if self.budget.relation is Relation.ADD_REMOVE else 2)
        return self.terms.freedom(self.terms.rows * float(self.budget.total) / (moved * size * math.sqrt(size)))

    @property
    def mechanism(self) -> ObjectivePerturbation:
        """The mechanism, its ridge by the rule for slopes held to ½, so that it is the same for any number of rows."""
        width = self.box.features + self.intercept
        size, rank = width * self.loss.outputs, self.loss.rank * width if self.terms.people else None
        total, relation = self.budget.total, self.budget.relation
        first = ObjectivePerturbation.balanced(eased(self.loss, Fraction(0)), total, size, relation, rank)
        return ObjectivePerturbation(eased(self.loss, self.freedom), total, first.ridge, relation, rank)

    def noise(self) -> tuple[float, float]:
        """(the variance of each coordinate of the linear term, the ridge); ‖V‖/scale is Gamma(d)."""
        made, width = self.mechanism, self.box.features + self.intercept
        scale = float(made.loss.gradient / made.noise_epsilon) * moves(self.budget.relation)
        return scale**2 * (width + 1), float(made.ridge)

    def penalty_of(self, unit: UnitRows) -> Matrix:
        """The public γⱼ, before the ridge raises them."""
        return self.terms.penalty(unit)

    def run(self, view: AnyRows, bits: Bits) -> Outcome:
        """Draw the linear term, solve, cover the solver's tracks."""
        unit, mechanism = self.unit_rows, self.mechanism
        penalty = self.terms.penalty(unit)
        rows, term = coded(view, unit, self.encoder), self.terms.term(unit)
        tolerance = self.terms.tolerance(view, mechanism.loss.steady, mechanism.ridge)
        weights = mechanism.release(rows, unit.width, bits, penalty, term, tolerance)
        bound = float(mechanism.loss.gradient / self.loss.gradient)
        return self.outcome(weights, self.terms.rows, 1, radius=unit.radius, slopes=bound)
