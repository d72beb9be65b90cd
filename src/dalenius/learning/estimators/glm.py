"""The base of generalised linear models: the choice of an algorithm, bounds found on the way, and rows that stream."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.special import stdtrit

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import ClassLabels, Encoder, Span
from dalenius.learning.data.training_data import TrainingData
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.estimators.estimator import GivenRows, PrivateEstimator
from dalenius.learning.estimators.fitted import check_fitted
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.counted_rows import CountedRows
from dalenius.learning.plans.curvature import WithCurvature
from dalenius.learning.plans.descent import Descent
from dalenius.learning.plans.fading import FitTerms
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.gaussian_perturbation import GaussianPerturbation
from dalenius.learning.plans.objective import Perturbation
from dalenius.learning.sums.bends import Bends
from dalenius.learning.sums.loss_bounds import StatedLoss
from dalenius.learning.sums.losses import Slopes
from dalenius.learning.sums.regression_loss_bounds import Poisson

METHODS = ("auto", "objective", "descent")
SOFTMAX_FROM, LOGISTIC_FROM = 80.0, 10.0
"""The signal from which on "auto" perturbs the minimum, for more than two classes; for two, the same over the root of
the number of weights. Below, held slopes descend."""

_DESCENT_UP_TO = 220.0
"""The signal up to which descent is taken where it is asked for by name."""


def chosen_method(method: Any, budget: FitBudget, enough: float, signal: float) -> str:
    """The algorithm that runs, from the budget, the kind of loss and the released or public number of rows alone.

    Objective perturbation ends at the minimum of the loss whatever the rows. Descent takes a few steps of held slopes:
    "auto" takes it for labels while the signal is below `enough`, where the minimum would be all noise. Asked for by
    name it is taken until the signal is ample: from there on its few steps would fall short of the fit that noise
    leaves to be seen, so that with many rows either way is the plain model. docs/benchmarks.md has the figures.
    """
    if method not in METHODS:
        raise InvalidParameter(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if budget.pure:
        if method == "descent":
            raise InvalidParameter("method='descent' needs delta > 0: Gaussian noise is not purely private")
        return "objective"
    until = {"auto": enough, "descent": _DESCENT_UP_TO}.get(method, 0.0)
    return "descent" if signal < until else "objective"


def scale_of(rows: GivenRows) -> float:
    """What a weight of 1 stands for."""
    return rows.scale if isinstance(rows, WeightedRows | TrainingData) else 1.0


def unit_of(rows: GivenRows) -> str | None:
    """The column that says whose row it is; None where a row is a unit."""
    return rows.unit if isinstance(rows, WeightedRows | TrainingData) else None


def nonnegative_number(value: Any, name: str) -> float:
    """A finite number ≥ 0, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InvalidParameter(f"{name} must be a number ≥ 0, got {value!r}")
    return float(value)


def positive_number(value: Any, name: str) -> float:
    """A finite number > 0, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise InvalidParameter(f"{name} must be a number > 0, got {value!r}")
    return float(value)


class GeneralisedLinear(PrivateEstimator):
    """A model whose fit is objective perturbation or noisy descent, in memory or over chunks."""

    method: Any = "auto"
    row_norm: Any = None

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
        self,
        rows: GivenRows,
        stated: StatedLoss,
        clipped: Slopes | None,
        encoder: Encoder | None,
        strength: Callable[[int], float],
        *labels: str,
        lasso: float = 0.0,
        held: tuple[float, float] | None = None,
        bends: Bends | None = None,
    ) -> FitPlan:
        """The plan for declared bounds, or for bounds that are found first; `encoder` is None for a span to find.

        `clipped` is the loss as descent takes it, None where it takes none; `strength` is that of the penalty for a
        number of rows, `lasso` and `held` are as `FitTerms` says; `bends` are given where standard errors are wanted.
        """
        known, intercept, public = self._known_rows(rows), bool(self.fit_intercept), self._public(*labels)
        unit = unit_of(rows)
        norm, budget, people = self._row_norm(), replace(self._budget(counts=False), unit=unit), unit is not None
        enough = self._enough(stated.outputs) if isinstance(encoder, ClassLabels) and clipped is not None else 0.0
        if chosen_method(self.method, budget, enough, 0.0) == "descent" and clipped is None:
            raise InvalidParameter("method='descent' has no rule for this loss, weight or penalty: leave it out")

        if bends is not None:
            self._refuse_errors(rows, clipped is None and not isinstance(stated, Poisson))

        def plan(box: Box, span: Span | None, left: FitBudget) -> FitPlan:
            read = span or encoder
            assert read is not None

            def counted(count: int, rest: FitBudget) -> FitPlan:
                terms = FitTerms(count, norm, strength(count), people, bends is not None, lasso, held)

                def fitted(own: FitBudget) -> FitPlan:
                    kind = Perturbation if own.pure else GaussianPerturbation
                    return kind(box, stated, own, intercept, public, read, terms)

                if bends is not None:
                    return WithCurvature(rest, public, box, intercept, read, bends, fitted)
                if rest.pure:
                    return Perturbation(box, stated, rest, intercept, public, read, terms)
                made = GaussianPerturbation(box, stated, rest, intercept, public, read, terms)
                if clipped is None or chosen_method(self.method, rest, enough, made.signal) == "objective":
                    return made
                return Descent(box, clipped, rest, intercept, count, public, read)

            return CountedRows(left, public, counted, not left.pure) if known is None else counted(known, left)

        return self._with_bounds(
            plan, budget, public, target=getattr(self, "target_bounds", None), added=not budget.pure
        )

    def _enough(self, outputs: int) -> float:
        weights = self.n_features_in_ + bool(self.fit_intercept)
        return SOFTMAX_FROM if outputs > 1 else LOGISTIC_FROM * math.sqrt(weights)

    def _refuse_errors(self, rows: GivenRows, penalised: bool) -> None:
        """Standard errors are proved for plain fits of rows alone."""
        if isinstance(rows, WeightedRows | TrainingData):
            raise InvalidParameter("standard_errors are for rows without weights and people of one row: leave it out")
        if penalised:
            raise InvalidParameter("standard_errors take no class_weight, l1_ratio or coef_bounds: leave them out")
        if self.method == "descent":
            raise InvalidParameter("standard_errors are for the fit of the plain loss: leave method out")

    def _judge(self, notes: Mapping[str, Any]) -> None:
        """Note coefficients without shrinkage and their standard errors, where the curvature was released."""
        if "spread" not in notes:
            return
        features = self.n_features_in_
        units = 1 / (self._fitted_unit.radius * self._fitted_box.half)
        deviations = np.sqrt(np.maximum(np.diag(np.array(notes["spread"])), 0.0))[:features]
        self.standard_errors_ = np.where(np.array(notes["hidden"])[:features], np.inf, deviations * units)
        self.debiased_coef_ = np.array(notes["debiased"])[:features] * units
        self.degrees_of_freedom_ = np.array(notes["degrees"])[:features]

    def confidence_interval(self, level: float = 0.95) -> Matrix:
        """The ends (lower, upper) for each coefficient, one row each, about `debiased_coef_`; nothing is spent.

        By Student's law: sampling of the rows, the noise of privacy, and what the noise in the curvature leaves open.
        Coverage is asymptotic, and the model's own variance is taken to be the true one.
        """
        check_fitted(self)
        if not hasattr(self, "standard_errors_"):
            raise InvalidParameter("there are no standard errors: fit with standard_errors=True, for a quarter of ε")
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
            raise InvalidParameter(f"level must lie between 0 and 1, got {level!r}")
        wide = stdtrit(self.degrees_of_freedom_, (1 + level) / 2) * self.standard_errors_
        return np.column_stack([self.debiased_coef_ - wide, self.debiased_coef_ + wide])

    def _row_norm(self) -> float | None:
        given = self.row_norm
        if given is None:
            return None
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1e6:
            raise InvalidParameter(f"row_norm must be a number between 0 and 1e6, got {given!r}")
        return float(given)

    def _set_holds(self, notes: Mapping[str, Any]) -> None:
        """Note what was held: lengths of rows, and slopes as a part of the plain ones."""
        unit = self._fitted_unit
        beside = unit.constant if unit.intercept else 0.0
        self.row_norm_ = math.sqrt(max(0.0, unit.radius**2 - beside**2))
        self.slope_share_ = float(notes.get("slopes", 0.5))
