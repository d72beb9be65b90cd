"""Regression by the exponential mechanism."""

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.drawn import DrawnRegression
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.pinball import PinballLoss, quantile_level
from dalenius.learning.plans.region import Region
from dalenius.learning.plans.squared_loss import SquaredLoss
from dalenius.learning.plans.squared_loss_l1 import MOST_COEFFICIENTS, SquaredLossL1
from dalenius.learning.sums.gram import NormalSums
from dalenius.neighbors import Metric
from dalenius.numerics import positive

NORMS = ("l2", "l1")


@dataclass(eq=False, repr=False)
class ExponentialERM(DrawnRegression):
    """Private regression whose coefficients have density ∝ exp(−c · loss)  [A Ex 7.6, A Thm 7.10].

    The noise of privacy falls as 1/√n only, as slowly as that of sampling; `KNormGradient`, with the same parameters,
    is better wherever the least-squares solution lies inside of `coefficient_bound`. This one answers for any data: a
    solution far outside is drawn at the rim. Its ridge is 5/ε if left out; the proof takes ½ log(1 + 1/ridge) from ε.

    coefficient_norm   "l2": `coefficient_bound` is the greatest length of the coefficients; or "l1", for the squared
                       loss: the greatest sum of their sizes, as in the lasso, the intercept among them, and features
                       are within ±1 one by one. One row then weighs (1 + bound)² in the loss however many features
                       there are, so there is less noise. Its ridge is 5·d/ε if left out, d the number of coefficients,
                       at most 32; the proof takes ½ log(1 + d/ridge). A solution far outside, where many coefficients
                       are held at 0, makes the draw stop without an answer: `stopped_` is then True and all are 0

    Purely ε, sampled exactly: a Gaussian law cut to a ball for the squared loss, a grid of up to three coefficients for
    the quantile loss.
    """

    _: KW_ONLY
    coefficient_norm: str = "l2"

    def _plan(self, span: Span, region: Region, rows: UnitRows) -> FitPlan:
        if self.coefficient_norm not in NORMS:
            raise InvalidParameter(f"coefficient_norm must be one of {', '.join(NORMS)}, got {self.coefficient_norm!r}")
        budget = self._budget(counts=False)
        if self.coefficient_norm == "l1":
            return self._plan_in_l1(span, rows)
        given = (rows.box, span, budget, rows.intercept, self._public(), region)
        if self.loss == "quantile":
            return PinballLoss(*given, quantile_level(self.level))
        ridge = Fraction(5) / budget.epsilon if self.ridge is None else positive(self.ridge, "ridge")
        NormalSums.check(ridge)
        made = SquaredLoss(*given, ridge)
        made.rate()  # refuses a ridge that leaves nothing of ε, before the charge
        return made

    def _plan_in_l1(self, span: Span, rows: UnitRows) -> FitPlan:
        if self.loss != "squared":
            raise InvalidParameter("coefficient_norm='l1' is for the squared loss: leave it out for the quantile loss")
        if rows.width > MOST_COEFFICIENTS:
            raise InvalidParameter(
                f"coefficient_norm='l1' takes at most {MOST_COEFFICIENTS} coefficients, the intercept among them, got "
                f"{rows.width}: select features, or use coefficient_norm='l2'"
            )
        budget, region = self._budget(counts=False), Region.of(self.coefficient_bound, rows, Metric.L1)
        ridge = 5 * rows.width / budget.epsilon if self.ridge is None else positive(self.ridge, "ridge")
        NormalSums.check(ridge)
        made = SquaredLossL1(rows.box, span, budget, rows.intercept, self._public(), region, ridge)
        made.rate()
        return made
