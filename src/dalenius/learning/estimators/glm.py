"""The base of generalised linear models: the choice of an algorithm, bounds found on the way, and rows that stream."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Encoder, Span
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.plans.budget import Budget
from dalenius.learning.plans.descent import Descent
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.gaussian_objective import GaussianPerturbation
from dalenius.learning.plans.objective import Perturbation
from dalenius.learning.sums.loss_bounds import StatedLoss
from dalenius.learning.sums.losses import Slopes

METHODS = ("auto", "objective", "descent")


def chosen_method(method: Any, budget: Budget, loss: Slopes) -> str:
    """The algorithm that runs, from the budget and the loss alone.

    δ = 0: objective perturbation, the only one that is purely private. δ > 0: Gaussian objective perturbation for a
    loss whose slopes rise too fast for long steps of descent (Huber, Poisson), where it did better wherever either
    learned anything; descent for classes, where it did no better on the whole, and for more than two is not accounted.
    docs/benchmarks.md has the figures.
    """
    if method not in METHODS:
        raise InvalidParameter(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if budget.pure:
        if method == "descent":
            raise InvalidParameter("method='descent' needs delta > 0: Gaussian noise is not purely private")
        return "objective"
    if method == "auto":
        return "objective" if math.isfinite(loss.longest) else "descent"
    if method == "objective" and loss.outputs > 1:
        raise InvalidParameter("method='objective' with delta > 0 is accounted for two classes only: leave it out")
    return str(method)


class GeneralisedLinear(PrivateEstimator):
    """A model whose fit is objective perturbation or noisy descent, in memory or over chunks."""

    method: Any = "auto"

    def fit_parquet(self, path: str | Path, features: Sequence[str], target: str) -> Self:
        """Learn from columns of a file, read anew for each pass: only a chunk is ever in memory."""
        return self._fitted_stream(self._streamed(StreamedRows.open(path, features, target)))

    def fit_arrow(self, table: Any, features: Sequence[str], target: str) -> Self:
        """Learn from columns of an Arrow table or data set, read anew for each pass, a chunk at a time."""
        return self._fitted_stream(self._streamed(StreamedRows.of(table, features, target)))

    @abstractmethod
    def _fitted_stream(self, rows: StreamedRows) -> Self:
        """The model, from rows that are read in passes."""

    def _glm(
        self, rows: Rows | StreamedRows, stated: StatedLoss, clipped: Slopes, encoder: Encoder | None, *labels: str
    ) -> FitPlan:
        """The plan for declared bounds, or for bounds that are found first; `encoder` is None for a span to find."""
        known, intercept, public = self._known_rows(rows), bool(self.fit_intercept), self._public(*labels)
        budget = self._budget(counts=True)
        way = chosen_method(self.method, budget, clipped)
        if way == "objective":
            budget = replace(budget, counted=False)

        def plan(box: Box, span: Span | None, left: Budget) -> FitPlan:
            read = span or encoder
            assert read is not None
            if way == "descent":
                return Descent(box, clipped, left, intercept, known, public, read)
            kind = Perturbation if left.pure else GaussianPerturbation
            return kind(box, stated, left, intercept, public, read)

        target = getattr(self, "target_bounds", None)
        return self._with_bounds(plan, budget, public, target=target, added=way == "objective" and not budget.pure)
