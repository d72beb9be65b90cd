"""A fit with its standard errors: a part of the budget releases the curvature of the loss at the fitted weights."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.curator import Outcome
from dalenius.guarantees import ApproxDP
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.coefficient_errors import coefficient_errors
from dalenius.learning.plans.curvature_release import DIGITS, FINE, ROUGH, WEIGHT_DIGITS, CurvatureRelease
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.whole_noise import whole_knorm
from dalenius.learning.sums.bends import BEND_DIGITS, Bends
from dalenius.noise import Bits

CURVATURE_SHARE = Fraction(1, 4)
"""The part of ε that the curvature takes."""


@dataclass(frozen=True, slots=True)
class WithCurvature(FitPlan):
    """A fit for three quarters of ε, and Σ b(x·w)xxᵀ at its weights w for the rest  [A Thm 3.3].

    b is the second derivative of the loss in its predictor. The weights are public when `CurvatureRelease` looks at the
    rows again, so the two costs add.
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
        unit = UnitRows(self.box, DIGITS, self.intercept)
        largest = CurvatureRelease(
            unit, self.encoder, self.bends, self.budget.relation, np.zeros(unit.width), 1 << BEND_DIGITS
        )
        whole_knorm(largest.fine_noise(DIGITS).sensitivity, min(ROUGH, FINE) * self.curvature_epsilon)

    def facts(self) -> dict[str, Any]:
        """The fit's, and that of the curvature."""
        inner = self.make(self.left).facts()
        return {"method": f"{inner['method']}, and its curvature in two looks", "fit": inner, "bends": repr(self.bends)}

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
        unit = UnitRows(self.box, DIGITS, self.intercept, None, radius)
        measured = self.release(unit, weights).run(view, self.curvature_epsilon, int(notes["rows"]), bits)
        errors = coefficient_errors(weights, measured, fit, unit, self.bends.dispersion)  # type: ignore[arg-type]
        return Outcome((), notes=notes | errors)

    def release(self, unit: UnitRows, weights: Matrix) -> CurvatureRelease:
        """That of the curvature at public weights."""
        held = np.round(np.clip(weights, -1e4, 1e4) * 2.0**WEIGHT_DIGITS)
        most = self.bends.most(held * 2.0**-WEIGHT_DIGITS, unit.radius, self.intercept)
        return CurvatureRelease(unit, self.encoder, self.bends, self.budget.relation, held, most)
