"""A fit by Gaussian objective perturbation, as a plan."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dalenius.curator import Outcome
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows, coded
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.centre import CENTRE_SHARE, noisy_mean
from dalenius.learning.plans.fading import CENTRE_FROM, FitTerms, eased, held_radius
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.gaussian_objective import GaussianObjective
from dalenius.learning.solvers.covered_minimum import ROW_DIGITS
from dalenius.learning.sums.loss_bounds import StatedLoss
from dalenius.noise import Bits


@dataclass(frozen=True, slots=True)
class GaussianPerturbation(FitPlan):
    """Gaussian objective perturbation of rows of a box; rows and slopes are held as `fading` says.

    While rows are held, they are so about their private mean, which takes a part of μ²: rows about their mean are
    shorter, so the same noise hides less of them.
    """

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
            "method": "gaussian objective perturbation",
            "box": self.box.facts(),
            "loss": repr(self.loss),
            "ridge": str(self.first.ridge),
            "intercept": self.intercept,
            "encoder": self.encoder.facts(),
            "terms": self.terms.facts(),
        }

    @property
    def guarantee(self) -> Calibrated:
        """(ε, δ): the profile of the mechanism at the ε that was asked for  [RKW23]."""
        return Calibrated(self.first.guarantee(), self.budget.epsilon, self.budget.delta, self.public)

    @property
    def first(self) -> GaussianObjective:
        """The mechanism with slopes held to ½: its ridge, and so its μ², are the same for any number of rows."""
        width = self.box.features + self.intercept
        size, rank = width * self.loss.outputs, self.loss.rank * width if self.terms.people else None
        epsilon, delta, relation = self.budget.epsilon, self.budget.delta, self.budget.relation
        return GaussianObjective.balanced(eased(self.loss, Fraction(0)), epsilon, delta, size, relation, rank)

    @property
    def signal(self) -> float:
        """The number of rows over the length of the noise with slopes held to ½."""
        size = (self.box.features + self.intercept) * self.loss.outputs
        return self.terms.rows / (self.first.deviation * math.sqrt(size))

    @property
    def freedom(self) -> Fraction:
        """How far slopes and rows are free of their holds."""
        size = (self.box.features + self.intercept) * self.loss.outputs
        return self.terms.freedom(self.signal / math.sqrt(size))

    @property
    def centred(self) -> bool:
        """Whether a private mean comes first."""
        held = self.terms.row_norm is None and self.freedom < 1
        return held and self.intercept and self.signal >= CENTRE_FROM

    def mechanism(self) -> GaussianObjective:
        """For as much of the slopes as the number of rows allows, with what is left of μ²."""
        first, share = self.first, self.freedom
        part = 1 - CENTRE_SHARE if self.centred else Fraction(1)
        loss, relation = eased(self.loss, share), self.budget.relation
        return GaussianObjective(loss, first.epsilon, first.delta, first.ridge, relation, first.rank, part)

    def noise(self) -> tuple[float, float]:
        """(the variance of each coordinate of the linear term, the ridge)."""
        made = self.mechanism()
        return made.deviation**2, float(made.ridge)

    def penalty_of(self, unit: UnitRows) -> Matrix:
        """The public γⱼ, before the ridge raises them."""
        return self.terms.penalty(unit)

    def run(self, view: AnyRows, bits: Bits) -> Outcome:
        """Find the centre if it pays, draw the linear term, solve, cover the solver's tracks."""
        first, relation = self.first, self.budget.relation
        centre = noisy_mean(view, self.box, relation, first.square * CENTRE_SHARE, bits) if self.centred else None
        unit = UnitRows(self.box, ROW_DIGITS, self.intercept, centre)
        unit = replace(unit, held=held_radius(unit, self.freedom, self.terms.row_norm))
        mechanism, penalty = self.mechanism(), self.terms.penalty(unit)
        rows, term = coded(view, unit, self.encoder), self.terms.term(unit)
        tolerance = self.terms.tolerance(view, mechanism.loss.steady, mechanism.ridge)
        weights = mechanism.release(rows, unit.width, bits, penalty, term, tolerance)
        bound = float(mechanism.loss.gradient / self.loss.gradient)
        return self.outcome(weights, self.terms.rows, 1, centre=centre, radius=unit.radius, slopes=bound)
