"""Least squares with a ridge, its coefficients drawn from a public ball."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.box_rows import BoxRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.plans.region_plan import RegionPlan
from dalenius.learning.sums.gram import DIGITS, Equations, NormalSums
from dalenius.numerics import ball, fraction_below, precision

SLACK = Fraction(1, 1 << 20)
"""How far, as a part of Δ, the bound below the loss may lie under its least value in Θ."""


@dataclass(frozen=True, slots=True)
class LeastSquares(RegionPlan):
    """L = Σ(y − x·θ)² + λ‖θ‖² over whole-number rows: P = Σxxᵀ + λI and Q = Σxy are all that a draw reads."""

    ridge: Fraction

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return RegionPlan.facts(self) | {"ridge": str(self.ridge)}

    @property
    def rows(self) -> UnitRows | BoxRows:
        """Rows of the unit ball."""
        return UnitRows(self.box, DIGITS, self.intercept)

    def equations(self, view: Rows) -> Equations:
        """P and Q, in steps."""
        return Equations.of(*NormalSums.of(self.rows, self.span, self.ridge).sums(view.chunks()))


@dataclass(frozen=True, slots=True)
class ExponentialLeastSquares(LeastSquares):
    """θ of Θ with density ∝ exp(−c L(θ)): purely ε  [A Ex 7.6]. `SquaredLoss` has the proof."""

    @property
    @abstractmethod
    def square_length(self) -> int:
        """The most that the square of a row's length can be."""

    @property
    def sensitivity(self) -> Fraction:
        """(1 + B)², the most that one row's loss can be  [A Ex 7.6]."""
        return (1 + self.region.radius) ** 2

    @property
    def slack(self) -> Fraction:
        """ηΔ, in steps."""
        return self.sensitivity * SLACK * (1 << 2 * DIGITS)

    def rate(self) -> Fraction:
        """The largest c, rounded down, with cΔ(1 + η) + ½ log R ≤ ε; half of it where a row is replaced.

        R = 1 + ‖x‖²/λ bounds the factor by which one row x changes det P: its leverage is at most ‖x‖²/λ.
        """
        with precision(256):
            left = ball(self.budget.epsilon) - ball(self.square_length / self.ridge).log1p() / 2
            if not left > 0:
                raise InvalidParameter("the ridge is too small for this epsilon: leave it out, or raise it")
            return fraction_below(left / ball(self.sensitivity * (1 + SLACK) * self.moved_rows))
