"""The K-norm gradient mechanism for the logistic loss, drawn exactly from a finite set."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Outcome
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.region import Region
from dalenius.learning.sums.losses import ClippedLogistic
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.noise.choice import Choice

HALF_GRIDS = {1: 1 << 10, 2: 48, 3: 14}
"""Points on either side of 0 along each axis, by the number of coefficients."""
_ROW_DIGITS, _SLOPE_DIGITS = 10, 20
_CHUNK = 1 << 13


@dataclass(frozen=True, slots=True)
class LogisticGradient(FitPlan):
    """θ of a public grid with probability ∝ exp(−ε/(2Δ) ‖Σ(σ(x·θ) − y)x‖∞)·g(θ), g free of the data  [A Thm 7.11].

    Rows, margins and slopes are whole numbers or one rounding of them, so that each row's part of the gradient is its
    own doing alone, at most Δ = 1 in every coordinate; the choice among the points is exact.

    The logistic loss is not strongly convex, and far out its gradient is as long as that of one class's rows: on all of
    ℝᵈ there is no normaliser. A base measure g that can be normalised takes the place of strong convexity, and where
    rows say nothing of a direction the answer has the law of g there  [A Rem 7.8]. Here g is uniform on the ball, or
    the normal law of deviation `deviation` cut to it; being public, it costs nothing  [A Thm 7.1].
    """

    box: Box
    encoder: Encoder
    budget: FitBudget
    intercept: bool
    public: tuple[str, ...]
    region: Region
    bound: Fraction
    """The radius of the ball where features fill [−1, 1]."""
    deviation: Fraction | None

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": f"K-norm gradient, logistic loss, grid of {HALF_GRIDS[self.rows.width]}",
            "box": self.box.facts(),
            "encoder": self.encoder.facts(),
            "intercept": self.intercept,
            "region": str(self.region.radius),
            "bound": str(self.bound),
            "deviation": None if self.deviation is None else str(self.deviation),
        }

    @property
    def rows(self) -> UnitRows:
        """Rows of the unit ball."""
        return UnitRows(self.box, _ROW_DIGITS, self.intercept)

    def rate(self) -> Fraction:
        """ε/(2Δ) for gradients in steps  [A Thm 7.11]."""
        leaves = 1 if self.budget.relation is Relation.ADD_REMOVE else 2
        return self.budget.epsilon / (2 * leaves * (1 << (_ROW_DIGITS + _SLOPE_DIGITS)))

    def points(self) -> NDArray[np.int64]:
        """The grid, in units of B/m: all whole vectors of length at most m."""
        half, width = HALF_GRIDS[self.rows.width], self.rows.width
        axes = np.meshgrid(*[np.arange(-half, half + 1)] * width, indexing="ij")
        every = np.stack([axis.ravel() for axis in axes], axis=1)
        inside: NDArray[np.int64] = every[(every * every).sum(axis=1) <= half * half]
        return inside

    def choice(self, view: Rows) -> Choice:
        """The law of the point."""
        lengths = [int(score) for score in self._gradients(view)]
        rate = self.rate()
        if self.deviation is None:
            return Choice([-length for length in lengths], rate)
        # −rate·length − κ‖k‖² over one denominator, in whole numbers
        kappa = (self.bound / HALF_GRIDS[self.rows.width] / self.deviation) ** 2 / 2
        squares = (self.points() ** 2).sum(axis=1).tolist()
        one, two = rate.numerator * kappa.denominator, kappa.numerator * rate.denominator
        scores = [-(one * length + two * square) for length, square in zip(lengths, squares, strict=True)]
        return Choice(scores, Fraction(1, rate.denominator * kappa.denominator))

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """One draw."""
        at = int(self.choice(view).sample(bits, 1)[0])
        theta = self.points()[at] * float(self.region.radius) / HALF_GRIDS[self.rows.width]
        return self.outcome(theta[:, None], None, 1)

    def _gradients(self, view: Rows) -> NDArray[np.int64]:
        """‖Σ(σ(x·θ) − y)x‖∞ at each point, in steps: exact, for sums over 2³³ rows stay below 2⁶³."""
        points, loss = self.points(), ClippedLogistic(1.0)
        unit = float(self.region.radius) / HALF_GRIDS[self.rows.width] * 2.0**-_ROW_DIGITS
        total = np.zeros((len(points), self.rows.width), np.int64)
        for features, target in view.chunks():
            codes = self.encoder.codes(target)
            for start in range(0, len(codes), _CHUNK):
                x, y = self.rows.steps(features[start : start + _CHUNK]), codes[start : start + _CHUNK]
                for at, point in enumerate(points):
                    margins = (x @ point.astype(np.float64) * unit)[:, None]  # a whole number below 2⁵³, rounded once
                    total[at] += (x.T @ loss.slopes(margins, y, _SLOPE_DIGITS)[:, 0]).astype(np.int64)
        longest: NDArray[np.int64] = np.abs(total).max(axis=1)
        return longest
