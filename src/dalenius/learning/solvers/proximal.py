"""The minimum of a perturbed objective with a convex term beside it, with a proof of how close it is.

F = S + r, S the objective of `solver` with ridge γ and a gradient of Lipschitz constant L, r a closed convex term. Let
p = argmin r(u) + L/2·‖u − (w − g/L)‖², where g is the gradient of S at w up to an error e. Then L(w − p) − g is a
subgradient of r at p, so F has one at p that is no longer than 2L‖w − p‖ + e, and F is γ-strongly convex: p lies within
(2L‖w − p‖ + e)/γ of the minimum. All that is off in floats (the point, p itself by `NEAREST_ERROR`) is added to e.

Newton's steps find w: each minimises S's second-order model plus r, by accelerated steps in as many dimensions as there
are weights.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from dalenius.learning.data.rows import Matrix
from dalenius.learning.solvers.convex_terms import NEAREST_ERROR, ConvexTerm
from dalenius.learning.solvers.exact_solver import Exact, descended
from dalenius.learning.solvers.solver import FAILURES, TOLERANCE, Objective

_STEPS = 60
_INNER, _ALONG = 4000, 400
_DIRECT = 512
_EASY = 1e-14
_EXACT_ERROR = Fraction(1, 1 << 200)


def proximal_minimum(objective: Objective, term: ConvexTerm, shape: tuple[int, int]) -> Matrix | None:
    """Weights proved to lie within tolerance/γ of the minimum; None if floats found none."""
    try:
        with np.errstate(all="ignore"):
            return _newton(objective, term, shape)
    except FAILURES:
        return None


def _newton(objective: Objective, term: ConvexTerm, shape: tuple[int, int]) -> Matrix | None:
    steep, weights = steepness(objective), term.nearest(np.zeros(shape), 1.0)
    for _ in range(_STEPS):
        gradient, error = objective.gradient(weights)
        proved = certified(weights, gradient, error, steep, objective.ridge, term, objective.tolerance)
        if proved is not None:
            return proved
        ahead = _model_minimum(objective, term, weights, gradient)
        weights = _descended(objective, term, weights, ahead, steep)
    return None


def steepness(objective: Objective) -> float:
    """L, rounded up: rows of the unit ball with weights of at most 1, and the penalty."""
    rows = sum(len(part[0]) for part in objective.parts)
    return (float(objective.loss.trace) * rows + float(np.max(objective.pull))) * (1 + 2.0**-40)


def certified(
    weights: Matrix,
    gradient: Matrix,
    error: float,
    steep: float,
    ridge: float,
    term: ConvexTerm,
    tolerance: float = TOLERANCE,
) -> Matrix | None:
    """The point p of the step from `weights`, where it is proved to lie within tolerance/γ of the minimum."""
    there = term.nearest(weights - gradient / steep, 1 / steep)
    length, size = float(np.linalg.norm(weights - there)), float(np.linalg.norm(weights))
    slope = float(np.linalg.norm(gradient))
    rounding = (steep * size + slope) * 2.0**-50
    off = NEAREST_ERROR * (1 + size + slope / steep)
    left = (2 * steep * (length + off) + ridge * off + error + rounding) * (1 + 2.0**-40)
    return np.asarray(there, np.float64) if left <= tolerance else None


def _model_minimum(objective: Objective, term: ConvexTerm, weights: Matrix, gradient: Matrix) -> Matrix:
    """The least of g·(u − w) + ½(u − w)ᵀH(u − w) + r(u), about."""
    if weights.size > _DIRECT:
        return _accelerated(lambda u: objective.gradient(u)[0], term, weights, steepness(objective), _ALONG)
    hessian = objective.hessian(weights)
    longest = float(np.linalg.eigvalsh(hessian)[-1])

    def slope(u: Matrix) -> Matrix:
        return gradient + (hessian @ (u - weights).ravel()).reshape(u.shape)

    return _accelerated(slope, term, weights, longest, _INNER)


def _accelerated(slope: Callable[[Matrix], Matrix], term: ConvexTerm, start: Matrix, steep: float, most: int) -> Matrix:
    """Accelerated proximal steps, begun anew where they turn back."""
    weights, ahead, pace = start, start, 1.0
    for _ in range(most):
        new = term.nearest(ahead - slope(ahead) / steep, 1 / steep)
        move = new - weights
        if float(((ahead - new) * move).sum()) > 0:
            ahead, pace = weights, 1.0
            new = term.nearest(ahead - slope(ahead) / steep, 1 / steep)
            move = new - weights
        following = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead, weights, pace = new + (pace - 1) / following * move, new, following
        if float(np.linalg.norm(move)) <= _EASY * (1 + float(np.linalg.norm(new))):
            break
    return weights


def _descended(objective: Objective, term: ConvexTerm, weights: Matrix, ahead: Matrix, steep: float) -> Matrix:
    """As far toward `ahead` as the value falls, or the step of certain descent."""

    def value(at: Matrix) -> float:
        return objective.value(at) + term.value(at)

    now, pace = value(weights), 1.0
    while pace > 1e-3:
        there = weights + pace * (ahead - weights)
        if value(there) <= now + 2.0**-42 * (abs(now) + 1):
            return there
        pace /= 2
    gradient = objective.gradient(weights)[0]
    return np.asarray(term.nearest(weights - gradient / steep, 1 / steep), np.float64)


def exact_proximal_minimum(
    objective: Objective, term: ConvexTerm, shape: tuple[int, int], linear: list[Fraction]
) -> Exact:
    """The same as fractions, where floats do not suffice; it always ends, as `exact_solver` says of r = 0.

    A step to p brings no two points further apart, with r as without.
    """

    def ended(weights: Exact, gradient: Exact, middle: Exact, steep: Fraction) -> Exact | None:
        there = term.nearest(weights - middle / steep, 1 / steep)
        gap = sum(((v - u) ** 2 for v, u in zip(weights.ravel(), there.ravel(), strict=True)), Fraction(0))
        off = sum((g.rad() for g in gradient.ravel()), arb(0))
        left = 2 * arb(_float(steep)) * (arb(_float(gap)).sqrt() + arb(_float(_EXACT_ERROR))) + off
        return there if left <= arb(objective.tolerance / 2) else None

    def moved(weights: Exact, middle: Exact, steep: Fraction) -> Exact:
        return np.asarray(term.nearest(weights - middle / steep, 1 / steep), object)

    return descended(objective, shape, linear, ended, moved)


def _float(value: Fraction) -> float:
    """At least the value."""
    return math.nextafter(float(value), math.inf)
