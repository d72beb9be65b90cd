"""Regression of counts."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Counts
from dalenius.learning.estimators.glm import GeneralisedLinear
from dalenius.learning.sums.loss_bounds import Poisson
from dalenius.learning.sums.losses import ClippedPoisson
from dalenius.neighbors import Relation


class PoissonRegression(RegressorMixin, GeneralisedLinear):  # type: ignore[misc]
    """Private regression of counts: the mean is e^(x·coef + intercept), at most `ceiling`.

    δ = 0: objective perturbation  [A Thm 6.1]; δ > 0: as `LogisticRegression`, whose `method` and `n_public` these are.
    A count above `ceiling`, a public number, counts as it. The other parameters are those of `LinearRegression`.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 0.0,
        bounds: Any = None,
        ceiling: float | None = None,
        method: str = "auto",
        fit_intercept: bool = True,
        n_public: int | None = None,
        relation: Relation | str = "add-remove",
        ledger: Any = None,
        dataset: str | None = None,
        curator: Any = None,
        bits: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.ceiling = ceiling
        self.method = method
        self.fit_intercept = fit_intercept
        self.n_public = n_public
        self.relation = relation
        self.ledger = ledger
        self.dataset = dataset
        self.curator = curator
        self.bits = bits

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        return self._fitted(self._rows(X, y))

    def _fitted_stream(self, rows: StreamedRows) -> Self:
        return self._fitted(rows)

    def _fitted(self, rows: Rows | StreamedRows) -> Self:
        counts = Counts.declare(self.ceiling)
        plan = self._glm(rows, Poisson(counts.ceiling), ClippedPoisson(counts.ceiling), counts)
        found = self._release(plan, rows).notes
        coefficients, intercept = self._unscaled(found)
        self._fitted_counts = counts
        self.coef_, self.intercept_ = coefficients[0], float(intercept[0])
        self.n_iter_ = int(found["steps"])
        return self

    def predict(self, X: Any) -> Matrix:
        """The expected count of each row, at most the ceiling."""
        features, most = self._held(X), np.log(self._fitted_counts.ceiling)
        with np.errstate(all="ignore"):
            found: Matrix = np.exp(np.minimum(features @ self.coef_ + self.intercept_, most))
        return found
