"""Regression by the exponential mechanism."""

from fractions import Fraction

from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.drawn import DrawnRegression
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.pinball import PinballLoss, quantile_level
from dalenius.learning.plans.region import Region
from dalenius.learning.plans.squared_loss import SquaredLoss
from dalenius.learning.sums.gram import NormalSums
from dalenius.numerics import positive


class ExponentialERM(DrawnRegression):
    """Private regression whose coefficients have density ∝ exp(−c · loss)  [A Ex 7.6, A Thm 7.10].

    The noise of privacy falls as 1/√n only, as slowly as that of sampling; `KNormGradient`, with the same parameters,
    is better wherever the least-squares solution lies inside of `coefficient_bound`. This one answers for any data: a
    solution far outside is drawn at the rim. Its ridge is 5/ε if left out; the proof takes ½ log(1 + 1/ridge) from ε.

    Purely ε, sampled exactly: a Gaussian law cut to a ball for the squared loss, a grid of up to three coefficients for
    the quantile loss.
    """

    def _plan(self, span: Span, region: Region, rows: UnitRows) -> FitPlan:
        budget = self._budget(counts=False)
        given = (rows.box, span, budget, rows.intercept, self._public(), region)
        if self.loss == "quantile":
            return PinballLoss(*given, quantile_level(self.level))
        ridge = Fraction(5) / budget.epsilon if self.ridge is None else positive(self.ridge, "ridge")
        NormalSums.check(ridge)
        made = SquaredLoss(*given, ridge)
        made.rate()  # refuses a ridge that leaves nothing of ε, before the charge
        return made
