"""The minimum of a perturbed objective, with noise that hides where the solver stopped."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dalenius.learning.data.encoded_rows import Part
from dalenius.learning.data.rows import Matrix
from dalenius.learning.solvers.convex_terms import ConvexTerm
from dalenius.learning.solvers.exact_solver import exact_minimum
from dalenius.learning.solvers.proximal import exact_proximal_minimum, proximal_minimum
from dalenius.learning.solvers.solver import TOLERANCE, Objective, minimum
from dalenius.learning.sums.loss_bounds import StatedLoss
from dalenius.mechanisms import KNorm
from dalenius.neighbors import Metric
from dalenius.noise import Bits, Lattice

ROW_DIGITS = 18
_MOST = 1 << 62


@dataclass(frozen=True, slots=True)
class CoveredMinimum:
    """argmin Σ ωᵢ g(xᵢ·w, yᵢ) + Σ γⱼwⱼ²/2 + v·w up to a certified gradient, and a cover for the rest, at a cost of ε.

    All γⱼ are at least γ. The answer is within (τ + ρ)/γ of the minimum for the real v, where τ is the certified
    gradient and ρ the rounding of v to a lattice. Given that minimum, the answer is a function of the data in a ball of
    that radius: noise of density ∝ exp(−‖z‖₂/scale) for a distance of twice the radius makes it private for ε  [HT10].
    Newton's steps in floats find the answer; where they certify none, the exact solver does, which always ends: nothing
    ever stands in for it.
    """

    loss: StatedLoss
    ridge: Fraction
    epsilon: Fraction
    tolerance: float = TOLERANCE

    def release(
        self,
        parts: Iterable[Part],
        shape: tuple[int, int],
        linear: Sequence[int],
        exponent: int,
        bits: Bits,
        penalty: Matrix | None = None,
        term: ConvexTerm | None = None,
    ) -> Matrix:
        """Weights of this shape, for rows in steps of 2⁻¹⁸ no longer than 2¹⁸ and v in whole numbers of 2^−exponent.

        `penalty` is a public column of γⱼ, each raised to γ where it is less; `term` a public convex term beside it.
        With a term the cover may move the answer out of its region by as little: it is put back, which costs nothing.
        """
        held = [float(max(-_MOST, min(_MOST, v))) for v in linear]
        tilt = np.array(held).reshape(shape) * 2.0**-exponent
        pull = None if penalty is None else np.maximum(penalty, float(self.ridge))
        objective = Objective(parts, ROW_DIGITS, self.loss, float(self.ridge), tilt, pull, self.tolerance)
        solved = self._solved(objective, shape, term) if max(map(abs, linear)) <= _MOST else None
        radius = (Fraction(self.tolerance) + root(len(linear)) / Fraction(2) ** (exponent + 1)) / self.ridge
        mechanism, finer = self._cover(radius, len(linear))
        if solved is not None:
            steps = Lattice(-finer).toward_zero(solved.ravel())
        else:
            tilts = [Fraction(v) / Fraction(2) ** exponent for v in linear]
            exact = (
                exact_minimum(objective, shape, tilts)
                if term is None
                else exact_proximal_minimum(objective, term, shape, tilts)
            )
            steps = np.array([max(-_MOST, min(_MOST, int(w * Fraction(2) ** finer))) for w in exact.ravel()], np.int64)
        released = np.asarray(mechanism.release(steps, bits) * 2.0**-finer, np.float64).reshape(shape)
        return released if term is None else np.asarray(term.nearest(released, 0.0), np.float64)

    @staticmethod
    def _solved(objective: Objective, shape: tuple[int, int], term: ConvexTerm | None) -> Matrix | None:
        return minimum(objective, shape) if term is None else proximal_minimum(objective, term, shape)

    def _cover(self, radius: Fraction, size: int) -> tuple[KNorm, int]:
        """Noise for twice the radius and the cut to a lattice, and that lattice: whole numbers of 2^−exponent."""
        exponent = 24 - math.floor(math.log2(float(2 * radius / self.epsilon)))
        distance = 2 * radius + root(size) / Fraction(2) ** exponent
        scale = math.ceil(distance / self.epsilon * Fraction(2) ** exponent)
        return KNorm(Metric.L2, Fraction(scale), Lattice(0)), exponent


def root(number: int) -> Fraction:
    """√number, rounded up."""
    return Fraction(math.isqrt(number << 40) + 1, 1 << 20)
