"""A fit with its standard errors: a part of the budget releases the curvature of the loss at the fitted weights."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from dalenius.curator import Outcome
from dalenius.guarantees import ApproxDP
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows, coded, whole_part
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.whole_noise import moves, whole_knorm
from dalenius.learning.sums.bends import BEND_DIGITS, Bends
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits

CURVATURE_SHARE = Fraction(1, 4)
"""The part of ε that the curvature takes."""
_DIGITS, _WEIGHT_DIGITS = 9, 20
_DIAGONAL, _BESIDE = 5, 7
"""What entries are multiplied by: 7² < 2·5², so that the vector is no longer than 5 times the matrix."""
_PIECE = 1 << 14
_FEWEST_DEGREES = 3.0
_CLEAR, _ALONG = 1.25, 0.05
"""The eigenvalue of a clear axis, in deviations of the noise; the cosine from which a coefficient lies along one."""
_MOST = 1 << 62


class PerturbedFit(Protocol):
    """A fit by objective perturbation, whose noise and ridge are known."""

    def noise(self) -> tuple[float, float]:
        """(the variance of each coordinate of the linear term, the ridge)."""

    def penalty_of(self, unit: UnitRows) -> Matrix:
        """The public γⱼ, before the ridge raises them."""


@dataclass(frozen=True, slots=True)
class WithCurvature(FitPlan):
    """A fit for three quarters of ε, and Σ b(x·w)xxᵀ at its weights w for the rest  [A Thm 3.3].

    b is the second derivative of the loss in its predictor, at most b₀ by a public rule, and rows are in the unit ball:
    one row moves the matrix by at most b₀ in the Frobenius norm. Its entries are sums of whole numbers, the noise has
    density ∝ exp(−‖z‖₂/scale)  [HT10]; the weights are public by then, so the two costs add.
    """

    budget: FitBudget
    public: tuple[str, ...]
    box: Box
    intercept: bool
    encoder: Encoder
    bends: Bends
    make: Callable[[FitBudget], FitPlan]

    def __post_init__(self) -> None:
        # refuses an ε that is too small, before a charge
        whole_knorm(self.sensitivity(1 << BEND_DIGITS), self.curvature_epsilon)

    def facts(self) -> dict[str, Any]:
        """The fit's, and that of the curvature."""
        inner = self.make(self.left).facts()
        return {"method": f"{inner['method']}, and its curvature", "fit": inner, "bends": repr(self.bends)}

    @property
    def left(self) -> FitBudget:
        """What the fit may spend."""
        rest = 1 - CURVATURE_SHARE
        if self.budget.pure:
            return replace(self.budget, part=self.budget.part * rest)
        return replace(self.budget, epsilon=self.budget.epsilon * rest)

    @property
    def curvature_epsilon(self) -> Fraction:
        """ε of the curvature."""
        return CURVATURE_SHARE * (self.budget.total if self.budget.pure else self.budget.epsilon)

    @property
    def guarantee(self) -> Calibrated:
        """Fit and curvature together  [A Thm 3.3]."""
        if self.budget.pure:
            return self.budget.guarantee(self.public)
        whole = ApproxDP(self.budget.epsilon, self.budget.delta, self.budget.relation)
        return Calibrated(whole, self.budget.epsilon, self.budget.delta, self.public)

    def run(self, view: AnyRows, bits: Bits) -> Outcome:
        """Fit, release the curvature, and work out what both say of the coefficients."""
        fit = self.make(self.left)
        notes = fit.run(view, bits).notes
        weights, radius = np.array(notes["weights"])[:, 0], float(notes["radius"])
        unit = UnitRows(self.box, _DIGITS, self.intercept, None, radius)
        held = np.round(np.clip(weights, -1e4, 1e4) * 2.0**_WEIGHT_DIGITS)
        most = self.bends.most(held * 2.0**-_WEIGHT_DIGITS, radius, self.intercept)
        mechanism = whole_knorm(self.sensitivity(most), self.curvature_epsilon)
        sums = self.sums(view, unit, held, most)
        released = mechanism.release(sums, bits)
        unit_size = _DIAGONAL * 2.0 ** (2 * _DIGITS + BEND_DIGITS)
        deviation = float(mechanism.scale) * math.sqrt(len(sums) + 1) / unit_size
        matrix = _matrix(released.astype(np.float64) / unit_size, len(weights))
        judged = _judged(weights, matrix, deviation, fit, unit, self.bends.dispersion)  # type: ignore[arg-type]
        return Outcome((), notes=notes | judged)

    def sensitivity(self, most: int) -> Sensitivity:
        """In steps: 5·b₀, twice that where a row is replaced."""
        return Sensitivity(moves(self.budget.relation) * _DIAGONAL * most << (2 * _DIGITS), Metric.L2)

    def sums(self, view: AnyRows, unit: UnitRows, weights: Matrix, most: int) -> Any:
        """The upper triangle of Σ b·xxᵀ: whole numbers, whatever their order."""
        d = unit.width
        total = np.zeros((d, d), object)
        for part in coded(view, unit, self.encoder):
            steps, target, share = whole_part(part)
            for start in range(0, len(steps), _PIECE):
                x, present = steps[start : start + _PIECE], ~np.isnan(target[start : start + _PIECE])
                margins = (x @ weights) * 2.0 ** -(_DIGITS + _WEIGHT_DIGITS)  # a whole number below 2⁵³, scaled
                bend = np.where(present, self.bends.at(margins, most) * share[start : start + _PIECE], 0.0)
                total += (x.T @ (x * np.trunc(bend)[:, None])).astype(np.int64).astype(object)
        upper = np.triu_indices(d)
        factors = np.where(upper[0] == upper[1], _DIAGONAL, _BESIDE)
        return np.array([max(-_MOST, min(_MOST, int(v) * int(f))) for v, f in zip(total[upper], factors, strict=True)])


def _matrix(entries: Matrix, d: int) -> Matrix:
    upper, whole = np.triu_indices(d), np.zeros((d, d))
    whole[upper] = np.where(upper[0] == upper[1], entries, entries * _DIAGONAL / _BESIDE)
    return whole + np.triu(whole, 1).T


def _judged(
    weights: Matrix, curvature: Matrix, deviation: float, fit: PerturbedFit, unit: UnitRows, dispersion: float
) -> dict[str, Any]:
    """Weights without the ridge, the covariance of their error, and how many degrees of freedom it has.

    At the minimum ∇L(w) + Γw + V = 0, so to first order w + H⁻¹Γw = θ − H⁻¹(∇L(θ) + V): covariance H⁻¹(φH + v)H⁻¹, φH
    that of ∇L(θ) where the model's variance is the true one. H is known up to noise of deviation s: the debiasing adds
    H⁻¹EH⁻¹Γw, and each variance is off by a part ρ of itself, like that of a normal sample with 1/(2ρ²) degrees of
    freedom, whose law is Student's. An axis whose eigenvalue does not stand out of the noise is hidden by it: the error
    of what lies along it is not known, and told as infinite.
    """
    variance, ridge = fit.noise()
    values, axes = np.linalg.eigh(curvature)
    held = np.maximum(values, deviation)
    inverse = (axes / held) @ axes.T
    pull = np.maximum(fit.penalty_of(unit)[:, 0], ridge) * weights
    back = inverse @ pull
    whole = dispersion * (axes * held) @ axes.T + variance * np.eye(len(weights))
    whole = whole + deviation**2 / 2 * (float(back @ back) * np.eye(len(weights)) + np.outer(back, back))
    spread = inverse @ whole @ inverse
    doubt = deviation * (inverse * inverse).sum(axis=0) / np.diag(inverse)
    degrees = np.maximum(1 / (2 * np.maximum(doubt, 1e-6) ** 2), _FEWEST_DEGREES)
    hidden = (np.abs(axes[:, values < _CLEAR * deviation]) > _ALONG).any(axis=1)
    estimates = {"debiased": (weights + back).tolist(), "spread": spread.tolist(), "degrees": degrees.tolist()}
    return estimates | {"hidden": hidden.tolist()}
