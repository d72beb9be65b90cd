"""Holds on rows and slopes that fade as rows grow in number: less noise for few, the plain model for many."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.encoded_rows import AnyRows
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.whole_noise import moves
from dalenius.learning.solvers.convex_terms import Separable
from dalenius.learning.solvers.solver import FINE_ROWS, FINE_TOLERANCE, TOLERANCE
from dalenius.learning.sums.class_weights import ClassWeighted
from dalenius.learning.sums.loss_bounds import Logistic, StatedLoss
from dalenius.learning.sums.regression_loss_bounds import Poisson

LITTLE, AMPLE = 45.0, 100.0
"""The signals, over the root of the number of weights, up to which rows and slopes are held and from which on they are
not at all: among d features a weight sees a d-th of a row, so the same signal tells less of each."""
_OF_PRODUCTS = 200.0, 2000.0
"""The same for sums of products, whose noise a shorter row lessens twice."""
CENTRE_FROM = 4.0
"""The signal from which a private mean of the rows is worth its price."""
_PARTS = 64
_STRONGEST = 1e12
STRONGEST_BESIDE, _FARTHEST = 2.0**22, 2.0**8
"""Beside a convex term: the strongest penalty, and how far from 0 bounds keep a weight, that floats can prove."""
_FIRM = Fraction(1, 64)
"""The least ridge at which the solver is asked for more digits."""


def freedom(signal: float, ends: tuple[float, float] | None = None) -> Fraction:
    """0 up to the first of `ends`, 1 from the second on, by the logarithm between; `LITTLE` and `AMPLE` if left out.

    The signal is the number of rows over the length of the noise that their gradients are summed with. It grows as
    n·ε, so for every budget there is a number of rows from which on nothing is held, and the fit is that of the plain
    loss on whole rows. Before that the mean gradient is off by at most the part of a slope beyond its bound.
    """
    little, ample = (LITTLE, AMPLE) if ends is None else ends
    if not signal > little:
        return Fraction(0)
    share = math.log(signal / little) / math.log(ample / little)
    return min(Fraction(1), Fraction(math.floor(share * _PARTS), _PARTS))


def eased(loss: StatedLoss, share: Fraction) -> StatedLoss:
    """The loss with slopes held to ½ + share/2 where its plain slopes go up to 1; others are plain as they are."""
    if isinstance(loss, ClassWeighted):
        return ClassWeighted(eased(loss.loss, share), loss.shares)  # type: ignore[arg-type]
    bound = (1 + share) / 2
    if isinstance(loss, Logistic):
        return Logistic(bound)
    return Poisson(loss.ceiling, bound) if isinstance(loss, Poisson) else loss


def held_radius(unit: UnitRows, share: Fraction, row_norm: float | None) -> float:
    """The declared length of a row with its constant, or from the narrow radius to that of the box as share grows."""
    if row_norm is not None:
        declared = math.hypot(row_norm, float(unit.intercept))
        return min(UnitRows(unit.box, 1, unit.intercept).full, declared)
    full = unit.full if unit.centre is None else math.sqrt(unit.box.features + unit.intercept)
    if share == 1:
        return full
    narrow = min(unit.narrow, full)
    return narrow * math.pow(full / narrow, float(share))


def held_for_products(unit: UnitRows, rows: int, budget: FitBudget) -> UnitRows:
    """Rows held by the signal of sums of their products: the noise of those has a length of about √(2d) deviations."""
    total = float(budget.total)
    noise = unit.width / total if budget.pure else math.sqrt(2 / total)
    moved = noise * moves(budget.relation) * math.sqrt(2 * unit.width)
    return replace(unit, held=held_radius(unit, freedom(rows / moved, _OF_PRODUCTS), None))


@dataclass(frozen=True, slots=True)
class FitTerms:
    """What a fit of a generalised linear model takes besides box, loss and budget; all public.

    rows        their number: declared, counted under CHANGE_ONE, or released before
    row_norm    the declared length of a row of features mapped to [−1, 1], or None
    strength    of ½·strength·‖coef‖² beside the sum of losses, in the units of the data
    lasso       λ of λ·‖coef‖₁ beside the sum of losses, in the units of the data
    held        the declared (lower, upper) of every coefficient, in the units of the data, or None
    people      whether a unit has many rows, whose weights add up to at most 1
    plain       whether nothing is held, however few rows there are
    """

    rows: int
    row_norm: float | None = None
    strength: float = 0.0
    people: bool = False
    plain: bool = False
    lasso: float = 0.0
    held: tuple[float, float] | None = None

    def facts(self) -> dict[str, Any]:
        """As JSON holds them."""
        form = {"row_norm": self.row_norm, "strength": self.strength, "people": self.people}
        ends = None if self.held is None else [repr(end) for end in self.held]
        more = {"lasso": self.lasso, "held": ends} if self.lasso or ends else {}
        return {"rows": self.rows} | form | more | ({"plain": True} if self.plain else {})

    def tolerance(self, view: AnyRows, steady: bool, ridge: Fraction) -> float:
        """Where the solver ends: closer where the rows are known to be so few that floats can prove it.

        All of it is public: the released number of rows, the loss, and whether rows have weights, whose sum is no
        number of rows. A ridge that is all but 0 leaves weights so long that floats would lose their last digits.
        """
        few = self.rows <= FINE_ROWS and not isinstance(view, WeightedRows)
        smooth = steady and not self.lasso and self.held is None and ridge >= _FIRM
        return FINE_TOLERANCE if few and smooth else TOLERANCE

    def freedom(self, signal: float) -> Fraction:
        """How far slopes and rows are free of their holds."""
        return Fraction(1) if self.plain else freedom(signal)

    def term(self, unit: UnitRows) -> Separable | None:
        """Lasso and bounds of coefficients, for weights on rows of the unit ball; None where there are neither."""
        if not self.lasso and self.held is None:
            return None
        with np.errstate(all="ignore"):
            scale = unit.radius * unit.box.half  # a weight over a coefficient
            pull = np.minimum(np.nan_to_num(self.lasso / scale, nan=_STRONGEST), _STRONGEST)
            ends = (-np.inf, np.inf) if self.held is None else self.held
            lower, upper = (end * scale if end else np.zeros_like(scale) for end in ends)
            lower, upper = np.minimum(lower, _FARTHEST), np.maximum(upper, -_FARTHEST)
        free = unit.intercept
        return Separable(
            (*pull.tolist(), *[0.0] * free), (*lower.tolist(), *[-np.inf] * free), (*upper.tolist(), *[np.inf] * free)
        )

    def penalty(self, unit: UnitRows) -> Matrix:
        """A column of γⱼ: ½ Σ γⱼwⱼ² is that penalty for weights on rows of the unit ball; the intercept has none."""
        column = np.zeros((unit.width, 1))
        strongest = STRONGEST_BESIDE if self.lasso or self.held is not None else _STRONGEST
        with np.errstate(all="ignore"):
            pull = self.strength / (unit.radius * unit.box.half) ** 2
        column[: unit.box.features, 0] = np.minimum(np.nan_to_num(pull, nan=strongest), strongest)
        return column
