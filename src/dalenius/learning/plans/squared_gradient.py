"""The K-norm gradient mechanism for least squares, drawn exactly."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from flint import arb, arb_mat

from dalenius.curator import Outcome
from dalenius.learning.data.rows import Rows
from dalenius.learning.plans.least_squares import LeastSquares
from dalenius.learning.plans.region import Region
from dalenius.learning.solvers.stopped_rejection import tried
from dalenius.learning.sums.gram import DIGITS, Equations
from dalenius.mechanisms.knorm import NORMS
from dalenius.neighbors import Metric
from dalenius.noise import Bits
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.numerics import ball, fraction_above, precision


@dataclass(frozen=True, slots=True)
class SquaredGradient(LeastSquares):
    """θ of the ball Θ with density ∝ exp(−ε/(2Δ) ‖Σ(y − x·θ)x − λθ‖₂): purely ε  [A Thm 7.11, A Ex 7.7].

    The gradient is linear in θ: Q − Pθ, P = Σxxᵀ + λI. So θ = P⁻¹(Q − V), V of density ∝ exp(−ε/(2Δ) ‖v‖₂), given that
    it lies in Θ. Both P and Q are whole numbers, V's digits are drawn until every question about θ is settled, and what
    leaves is the cell of a lattice that θ lies in: the law is the claimed one, not a float's.

    What a try accepts in S is a(S) = det P / C · ∫_S exp(−ε/(2Δ) ‖Q − Pθ‖). One row changes the integrand by a factor
    within e^(±ε/2), and det P by at most R = 1 + 1/λ, for a row's leverage is at most 1/λ. Let a' = t·a for the
    neighbor with the row. Then P'[S]/P[S] ≤ e^(ε/2) R where t ≥ 1, and ≤ e^ε else, for the determinant cancels; the
    reverse, and the stop itself, are within the same two. So a ridge λ ≥ 1/(e^(ε/2) − 1), which makes R ≤ e^(ε/2),
    makes the draw with its stop ε-private, and its θ has the density above (see `stopped`).
    """

    method: ClassVar[str] = "K-norm gradient, squared loss"

    @property
    def sensitivity(self) -> Fraction:
        """How far one unit moves Σ(y − x·θ)x − λθ in ℓ2, at any θ of Θ: |y − x·θ|·‖x‖ ≤ 1 + B  [A Ex 7.7].

        Twice that where one row leaves and another comes. The printed Δ has another 2, of its loss's gradient.
        """
        return self.moved_rows * (1 + self.region.radius)

    def scale(self) -> Fraction:
        """Of V, in steps: 2Δ/ε  [A Thm 7.11]."""
        return 2 * self.sensitivity / self.budget.epsilon * (1 << 2 * DIGITS)

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Sum, then draw."""
        draw = GradientDraw(self.equations(view), self.scale(), self.region)
        return self.region.outcome(self, tried(lambda: draw.attempt(bits), bits))


def least_ridge(epsilon: Fraction) -> Fraction:
    """The least λ, rounded up, with 1 + 1/λ ≤ e^(ε/2); at least a step of the sums, which are rounded up to one."""
    return max(_least(min(epsilon, Fraction(100))), Fraction(1, 1 << 2 * DIGITS))


@lru_cache(maxsize=64)
def _least(epsilon: Fraction) -> Fraction:
    with precision(256):
        return fraction_above(1 / ball(epsilon / 2).expm1(), bits=24)


class GradientDraw:
    """Draws of P⁻¹(Q − V); the inverse is computed once for each precision."""

    __slots__ = ("_equations", "_known", "_region", "_scale")

    def __init__(self, equations: Equations, scale: Fraction, region: Region) -> None:
        self._equations, self._scale, self._region = equations, scale, region
        self._known: dict[int, arb_mat | None] = {}

    def attempt(self, bits: Bits) -> list[int] | None:
        """The cells of θ, or None if it lies outside of Θ."""
        d = self._equations.size
        norm = NORMS[Metric.L1 if d == 1 else Metric.L2]  # one law on a line, and ℓ1 needs one uniform
        uniforms = [LazyUniform(bits) for _ in range(norm.uniforms(d))]
        cells: list[int] = []

        def question() -> bool | None:
            if any(uniform.digits == 0 for uniform in uniforms):  # a logarithm is not bounded yet
                return None
            inverse = self._inverse(uniforms[0].length)
            noise = norm.noise([uniform.ball for uniform in uniforms], d)
            if inverse is None or not all(z.is_finite() for z in noise):
                return None
            scale = ball(self._scale)
            right = [[arb(q) - scale * z] for q, z in zip(self._equations.products, noise, strict=True)]
            return self._region.holds([row[0] for row in (inverse * arb_mat(right)).tolist()], cells)

        return cells if settle(uniforms, question) else None

    def _inverse(self, length: int) -> arb_mat | None:
        """At the working precision, which goes with the digits drawn."""
        if length not in self._known:
            rows = self._equations.inverse()
            self._known[length] = None if rows is None else arb_mat(rows)
        return self._known[length]
