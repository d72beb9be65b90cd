"""The minimum of a perturbed objective where floats do not suffice: gradient descent in exact numbers always ends.

F(w) = Σ ωᵢ g(xᵢ·w, yᵢ) + Σ γⱼwⱼ²/2 + v·w has a second derivative between γ and L = n·t + max γⱼ, t the trace that
the loss states. From 0, steps of length 1/L shrink the gradient by 1 − γ/L each: exact descent reaches any tolerance τ
in a finite number of steps, whatever the rows. Descent on a lattice 2^−q with gradients enclosed to within e is off by
at most √d·2^−q + e/L more after each step, since an exact step of this length brings no two points further apart. Round
k takes 1000·4ᵏ steps with q and the precision doubled, so that the sum of these errors tends to 0 while the exact
descent it follows tends to the minimum: some round ends with a certified gradient, for every data set and every v. What
floats cannot certify is therefore found here, however long it takes, and no answer ever stands in for a failure.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.learning.data.encoded_rows import whole_part
from dalenius.learning.solvers.solver import Objective
from dalenius.numerics import ball, exact, precision

Exact = NDArray[np.object_]
_STEPS = 1000


def exact_minimum(objective: Objective, shape: tuple[int, int], linear: Sequence[Fraction]) -> Exact:
    """Weights, as fractions, at which the real gradient is proved to be no longer than the tolerance."""

    def ended(weights: Exact, gradient: Exact, middle: Exact, steep: Fraction) -> Exact | None:
        length = sum((g * g for g in gradient.ravel()), arb(0)).sqrt()
        return weights if length <= arb(objective.tolerance) else None

    def moved(weights: Exact, middle: Exact, steep: Fraction) -> Exact:
        return np.asarray(weights - middle / steep, object)

    return descended(objective, shape, linear, ended, moved)


Ended = Callable[[Exact, Exact, Exact, Fraction], Exact | None]
"""The answer, from weights, enclosures of the gradient, their middles and L; None where none is proved yet."""
Moved = Callable[[Exact, Exact, Fraction], Exact]
"""The next weights, from these, the gradient's middle and L: a map that brings no two points further apart."""


def descended(
    objective: Objective, shape: tuple[int, int], linear: Sequence[Fraction], ended: Ended, moved: Moved
) -> Exact:
    """What `ended` proves of a descent by `moved`, in rounds of ever more steps and digits."""
    term = np.array(linear, object).reshape(shape)
    pulls = np.broadcast_to(np.reshape(np.asarray(objective.pull, np.float64), (-1, 1)), shape)
    ridge = np.array([Fraction(pull) for pull in pulls.ravel().tolist()], object).reshape(shape)
    rows = sum(len(part[0]) for part in objective.parts)
    steep = rows * objective.loss.trace + max(ridge.ravel())
    for turn in count():
        digits = 64 << turn
        with precision(2 * digits):
            whole = np.zeros(shape, object)
            for _ in range(_STEPS * 4**turn):
                weights = np.array([Fraction(int(w), 1 << digits) for w in whole.ravel()], object).reshape(shape)
                gradient = _enclosed(objective, whole, digits) + _balls(ridge * weights + term)
                middle = np.array([exact(g.mid()) for g in gradient.ravel()], object).reshape(shape)
                answer = ended(weights, gradient, middle, steep)
                if answer is not None:
                    return answer
                there = moved(weights, middle, steep)
                whole = np.array([round(w * (1 << digits)) for w in there.ravel()], object).reshape(shape)
    raise AssertionError


def _enclosed(objective: Objective, whole: NDArray[Any], digits: int) -> Exact:
    """Σ ∇g ⊗ x: products of whole numbers are exact, slopes are enclosed."""
    total = _balls(np.zeros(whole.shape, object))
    unit, row = Fraction(1, 1 << (digits + objective.digits)), Fraction(1, 1 << objective.digits)
    for part in objective.parts:
        for x, y, share in zip(*whole_part(part), strict=True):
            if y != y or share == 0:
                continue
            across = np.array([int(v) for v in x.tolist()], object)
            slopes = objective.loss.enclosed([ball(m * unit) for m in (across @ whole).tolist()], float(y))
            total = total + np.outer(_balls(across * (row * Fraction(float(share)))), np.array(slopes, object))
    return total


def _balls(values: Exact) -> Exact:
    return np.array([ball(Fraction(v)) for v in values.ravel()], object).reshape(values.shape)
