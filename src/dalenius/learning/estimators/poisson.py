"""Regression of counts."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Counts
from dalenius.learning.estimators.estimator import GivenRows
from dalenius.learning.estimators.glm import GeneralisedLinear, nonnegative_number
from dalenius.learning.estimators.parameters import PerturbedParameters
from dalenius.learning.sums.bends import PoissonBends
from dalenius.learning.sums.losses import ClippedPoisson
from dalenius.learning.sums.regression_loss_bounds import Poisson


@dataclass(eq=False, repr=False)
class PoissonRegression(RegressorMixin, GeneralisedLinear, PerturbedParameters):  # type: ignore[misc]
    """Private regression of counts: the mean is e^(x·coef + intercept), at most `ceiling`.

    It estimates what scikit-learn's PoissonRegressor does while rates stay below `ceiling`, by objective perturbation
    as `LogisticRegression`, whose `method`, `row_norm`, `largest_weight` and `n_public` these are. A count above
    `ceiling`, a public number, counts as it. `alpha` is that of PoissonRegressor, ½·alpha·‖coef‖² beside the mean loss;
    here it is 0 if left out. `standard_errors` is as in `LogisticRegression`; a count's variance is taken to be its
    rate. The other parameters are those of `LinearRegression`.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    ceiling: float | None = None
    alpha: float = 0.0
    standard_errors: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from private rows, or from people's by `learning.from_sql`; charged once, before they are read."""
        return self._fitted(self._given(X, y, sample_weight))

    def _fitted_stream(self, rows: StreamedRows) -> Self:
        return self._fitted(rows)

    def _fitted(self, rows: GivenRows) -> Self:
        counts = Counts.declare(self.ceiling)
        alpha = nonnegative_number(self.alpha, "alpha") / counts.ceiling
        loss, clipped = Poisson(counts.ceiling), ClippedPoisson(counts.ceiling)
        bends = PoissonBends(counts.ceiling) if self.standard_errors else None
        plan = self._glm(rows, loss, clipped, counts, lambda n: alpha * n, bends=bends)
        notes = self._release(plan, rows).notes
        coefficients, intercept = self._unscaled(notes)
        self._fitted_counts = counts
        self.coef_, self.intercept_ = coefficients[0], float(intercept[0])
        self.n_iter_ = int(notes["steps"])
        self._set_holds(notes)
        self._judge(notes)
        return self

    def predict(self, X: Any) -> Matrix:
        """The expected count of each row, at most the ceiling."""
        scores = self._score(X)[:, 0]
        with np.errstate(all="ignore"):
            rates: Matrix = np.exp(np.minimum(scores, np.log(self._fitted_counts.ceiling)))
        return rates
