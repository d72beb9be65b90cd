"""Regression of counts."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dalenius.learning.estimator import PrivateEstimator
from dalenius.learning.objective import Perturbation
from dalenius.learning.rows import Matrix
from dalenius.learning.stated import Poisson
from dalenius.learning.targets import Counts
from dalenius.neighbors import Relation


class PoissonRegression(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Private regression of counts: the mean is e^(x·coef + intercept), at most `ceiling`.

    Objective perturbation, purely ε: no δ is spent  [A Thm 6.1]. A count above `ceiling`, a public number, counts as
    it. The other parameters are those of `LinearRegression`.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        bounds: Any = None,
        ceiling: float | None = None,
        fit_intercept: bool = True,
        relation: Relation | str = "add-remove",
        ledger: Any = None,
        dataset: str | None = None,
        curator: Any = None,
        bits: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.ceiling = ceiling
        self.fit_intercept = fit_intercept
        self.relation = relation
        self.ledger = ledger
        self.dataset = dataset
        self.curator = curator
        self.bits = bits

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        self._fitted_counts = Counts.declare(self.ceiling)
        found = self._release(self._plan(self._fitted_counts), rows).notes
        coefficients, intercept = self._unscaled(found)
        self.coef_, self.intercept_ = coefficients[0], float(intercept[0])
        self.n_iter_ = int(found["steps"])
        return self

    def predict(self, X: Any) -> Matrix:
        """The expected count of each row, at most the ceiling."""
        features, most = self._held(X), np.log(self._fitted_counts.ceiling)
        with np.errstate(all="ignore"):
            found: Matrix = np.exp(np.minimum(features @ self.coef_ + self.intercept_, most))
        return found

    def _plan(self, counts: Counts) -> Perturbation:
        loss, intercept = Poisson(counts.ceiling), bool(self.fit_intercept)
        return Perturbation(self._box(), loss, self._budget(counts=False), intercept, self._public(), counts)
