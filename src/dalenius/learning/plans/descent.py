"""Noisy gradient descent over all rows, as a plan."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.curator import Outcome
from dalenius.errors import UnprovenClaim
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows, coded, size_of
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.centre import CENTRE_SHARE, noisy_mean
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.whole_noise import moves, whole_gaussian
from dalenius.learning.sums.gradient import GradientSum, digits_for
from dalenius.learning.sums.losses import Slopes
from dalenius.mechanisms import Gaussian
from dalenius.noise import Bits


@dataclass(frozen=True, slots=True)
class Schedule:
    """How many steps, how long each is for a gradient divided by the number of rows, and whether to centre first."""

    steps: int
    rate: float
    centred: bool


_SCHEDULES: tuple[tuple[float, Schedule], ...] = (
    (0.0, Schedule(10, 16.0, False)),
    (15.0, Schedule(15, 24.0, True)),
    (25.0, Schedule(30, 32.0, True)),
    (70.0, Schedule(45, 40.0, True)),
    (130.0, Schedule(60, 64.0, True)),
    (500.0, Schedule(120, 96.0, True)),
)


def schedule(rows: int, width: int, outputs: int, noise: float) -> Schedule:
    """By public numbers alone: rows, size of the model, and the noise of one gradient that took the whole budget.

    The signal is the number of rows over the length of that noise. With more of it, more and longer steps pay, and so
    does a centre: rows about their mean are shorter, so the same noise hides less of them.
    """
    signal = rows / (noise * math.sqrt(width * outputs))
    return next(chosen for least, chosen in reversed(_SCHEDULES) if signal >= least)


@dataclass(frozen=True, slots=True)
class Descent(FitPlan):
    """w ← w − rate · (noisy sum of clipped gradients) / rows, and the mean of the second half of all w.

    Each step releases a sum that one row moves by at most the clip, with Gaussian noise. Count, centre and steps
    compose to the budget's μ, whatever number of steps is chosen: it may depend on what was released before
    [A Thm 13.1, A §13.8 GDP composition]. What is done with the sums costs nothing  [A Prop 3.1].

    The steps are few, and slopes and rows are held: this tells classes apart with few rows, and would not end at the
    minimum of the plain loss with many, for which estimators do not take it.
    """

    box: Box
    loss: Slopes
    budget: FitBudget
    intercept: bool
    rows: int | None
    """The number of rows where it is public; None takes a private count."""
    public: tuple[str, ...]
    encoder: Encoder

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "descent",
            "box": self.box.facts(),
            "loss": repr(self.loss),
            "intercept": self.intercept,
            "rows": self.rows,
            "encoder": self.encoder.facts(),
        }

    def run(self, view: AnyRows, bits: Bits) -> Outcome:
        """Count if need be, find the centre if it pays, then descend."""
        n = self.budget.count(size_of(view), bits) if self.rows is None else self.rows
        chosen = self.schedule(n)
        centre, square = None, self.budget.rest
        if chosen.centred:
            centre = noisy_mean(view, self.box, self.budget.relation, square * CENTRE_SHARE, bits)
            square *= 1 - CENTRE_SHARE
        gradient, mechanism = self.noisy_gradient(chosen.steps, square, centre)
        gradient.reread(coded(view, gradient.rows, self.encoder))
        weights = descend(gradient, mechanism, n, chosen, bits)
        return self.outcome(weights, n, chosen.steps, centre=centre, radius=gradient.rows.radius)

    def schedule(self, rows: int) -> Schedule:
        """The steps for this many rows."""
        one = self.loss.clip * moves(self.budget.relation) / math.sqrt(float(self.budget.rest))
        return schedule(rows, self.box.features + self.intercept, self.loss.outputs, one)

    def noisy_gradient(
        self, steps: int, square: Fraction, centre: tuple[float, ...] | None = None
    ) -> tuple[GradientSum, Gaussian]:
        """The gradient as whole numbers, and noise with which `steps` of it cost at most μ² = `square`.

        The noise's scale is a whole number of steps of the lattice, rounded up  [A Thm 13.1].
        """
        relation = self.budget.relation
        digits, slopes = digits_for(self.loss.clip * moves(relation) * math.sqrt(steps / float(square)))
        whole = UnitRows(self.box, digits, self.intercept, centre)
        gradient = GradientSum(replace(whole, held=whole.narrow), self.loss, slopes)
        sensitivity = gradient.sensitivity(relation)
        mechanism = whole_gaussian(sensitivity, square / steps)
        if mechanism.guarantee(sensitivity, relation).repeat(steps).square > square:
            raise UnprovenClaim("the noise does not cover the steps")
        return gradient, mechanism


def descend(gradient: GradientSum, mechanism: Gaussian, rows: int, chosen: Schedule, bits: Bits) -> Matrix:
    """The mean of the second half of the weights."""
    weights = np.zeros((gradient.rows.width, gradient.loss.outputs))
    mean, tail = np.zeros_like(weights), chosen.steps - chosen.steps // 2
    rate = min(chosen.rate, gradient.loss.longest)
    for step in range(chosen.steps):
        noisy = mechanism.release(gradient.at(weights), bits) * 2.0**gradient.step_exponent
        weights = weights - rate * noisy.reshape(weights.shape) / rows
        if step >= chosen.steps - tail:
            mean += weights / tail
    return mean
