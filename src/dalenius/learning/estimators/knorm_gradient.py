"""Regression by the K-norm gradient mechanism."""

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.drawn import DrawnRegression
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.pinball import PinballCells, PinballGradient, quantile_level
from dalenius.learning.plans.region import Region
from dalenius.learning.plans.squared_gradient import SquaredGradient, least_ridge
from dalenius.learning.sums.gram import NormalSums
from dalenius.numerics import positive


class KNormGradient(DrawnRegression):
    """Private regression whose coefficients have density ∝ exp(−ε/(2Δ) ‖gradient of the loss‖)  [A Thm 7.11].

    The noise of privacy falls as 1/n, where the exponential mechanism's falls as 1/√n  [A Thm 7.12, A Thm 7.10].

    bounds              (lower, upper) of the features, numbers or one for each; from public knowledge
    target_bounds       (lower, upper) of the target; predictions stay within them
    loss                "squared", for any number of features; or "quantile" at `level`, 0.5 for the median, with one
                        feature without intercept, or drawn from a grid of up to three coefficients
    coefficient_bound   the greatest length of the coefficients, where features and target are scaled to [−1, 1] and the
                        intercept is among them. With the squared loss a least-squares solution far outside of it
                        makes the draw stop without an answer: `stopped_` is then True and all coefficients are 0
    ridge               of the squared loss, on rows scaled into the unit ball; left out, the least that the proof
                        allows, 1/(e^(ε/2) − 1), which moves the answer by no more than the noise does

    Purely ε, sampled exactly: no Markov chain, no δ. The other parameters are those of `LinearRegression`.

    >>> import numpy as np
    >>> X = np.linspace(0, 10, 5000)[:, None]
    >>> model = KNormGradient(epsilon=10, bounds=(0, 10), target_bounds=(0, 100)).fit(X, 7 * X[:, 0] + 20)
    >>> bool(abs(model.coef_[0] - 7) < 0.5), str(model.guarantee_)[:27]
    (True, '10-differential privacy for')
    """

    def _plan(self, span: Span, region: Region, rows: UnitRows) -> FitPlan:
        budget = self._budget(counts=False)
        given = (rows.box, span, budget, rows.intercept, self._public(), region)
        if self.loss == "quantile":
            level = quantile_level(self.level)
            return PinballCells(*given, level) if rows.width == 1 else PinballGradient(*given, level)
        least = least_ridge(budget.epsilon)
        ridge = least if self.ridge is None else positive(self.ridge, "ridge")
        if ridge < least:
            raise InvalidParameter(f"ridge must be at least 1/(e^(ε/2) − 1), {float(least):.6g} here, got {self.ridge}")
        NormalSums.check(ridge)
        return SquaredGradient(*given, ridge)
