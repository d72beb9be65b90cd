"""What a released curvature says of the error of coefficients."""

from typing import Any, Protocol

import numpy as np

from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.rows import Matrix
from dalenius.learning.plans.curvature_release import MeasuredCurvature

_FEWEST_DEGREES = 3.0
_CLEAR, _ALONG = 1.5, 0.05
"""The eigenvalue of a clear axis, in deviations of the noise; the cosine from which a coefficient lies along one."""


class PerturbedFit(Protocol):
    """A fit by objective perturbation, whose noise and ridge are known."""

    def noise(self) -> tuple[float, float]:
        """(the variance of each coordinate of the linear term, the ridge)."""

    def penalty_of(self, unit: UnitRows) -> Matrix:
        """The public γⱼ, before the ridge raises them."""


def coefficient_errors(
    weights: Matrix, measured: MeasuredCurvature, fit: PerturbedFit, unit: UnitRows, dispersion: float
) -> dict[str, Any]:
    """Weights without the ridge, the covariance of their error, and how many degrees of freedom it has.

    At the minimum ∇L(w) + Γw + V = 0, so to first order H(θ − w) = Γw + ∇L(θ) + V, and Ĥ = H + E says θ − w up to
    Ĥ⁻¹(∇L(θ) + V + E(θ − w)): covariance Ĥ⁻¹(φĤ + v + C)Ĥ⁻¹, φĤ that of ∇L(θ) where the model's variance is the true
    one. C is the covariance of E(θ − w), for independent entries of E and the mean square of θ − w that the rest says.
    Each variance is also off by a part ρ of itself, like that of a normal sample with 1/(2ρ²) degrees of freedom, whose
    law is Student's. An axis that does not stand out of the noise is hidden by it: the error of what lies along it is
    not known, and told as infinite.
    """
    noise, ridge = fit.noise()
    d, turned = len(weights), measured.axes
    curvature, hidden_axes = _held_positive(measured)
    inverse = np.linalg.inv(curvature)
    pull = np.maximum(fit.penalty_of(unit)[:, 0], ridge) * weights
    back = inverse @ (turned.T @ pull)
    whole = dispersion * curvature + noise * np.eye(d)
    away = np.outer(back, back) + inverse @ whole @ inverse
    whole = whole + np.diag(measured.variance @ np.diag(away)) + measured.variance * away * (1 - np.eye(d))
    spread = turned @ (inverse @ whole @ inverse) @ turned.T
    rows = turned @ inverse
    doubt = np.sqrt(np.einsum("ji,jk,ik->j", rows**2, rows**2, measured.variance)) / np.diag(rows @ turned.T)
    degrees = np.maximum(1 / (2 * np.maximum(doubt, 1e-6) ** 2), _FEWEST_DEGREES)
    hidden = (np.abs(turned @ hidden_axes) > _ALONG).any(axis=1)
    estimates = {"debiased": (weights + turned @ back).tolist(), "spread": spread.tolist()}
    return estimates | {"degrees": degrees.tolist(), "hidden": hidden.tolist()}


def _held_positive(measured: MeasuredCurvature) -> tuple[Matrix, Matrix]:
    """The curvature held up to one deviation of its noise along every axis, and the axes that the noise hides.

    In units in which each diagonal entry's noise has a deviation of 1, so that one number says what is clear.
    """
    units = np.diag(measured.variance) ** -0.25
    values, axes = np.linalg.eigh(measured.matrix * np.outer(units, units))
    held = (axes * np.maximum(values, 1.0)) @ axes.T / np.outer(units, units)
    hidden = units[:, None] * axes[:, values < _CLEAR]
    return held, hidden / np.maximum(np.linalg.norm(hidden, axis=0), 1e-300)
