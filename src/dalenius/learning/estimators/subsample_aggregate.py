"""Any scikit-learn model, made private by fitting it on random blocks."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from threadpoolctl import threadpool_limits

from dalenius.curator.plans.blocked import unheard
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.blocked_fit import BlockedFit, Fitted, Numbers, seeded
from dalenius.learning.plans.blocked_range import RANGE_SHARE, RangeSearch
from dalenius.learning.plans.budget import FitBudget
from dalenius.numerics import Number, rational

MOST_BLOCKS = 1 << 16
_FLOATS = Fraction(2) ** 400
"""Numbers beyond it count as it where no bounds are declared."""


def _has(name: str) -> Any:
    return available_if(lambda self: hasattr(self.estimator, name))


@dataclass(eq=False, repr=False)
class SubsampleAggregate(PrivateEstimator, BoundedParameters):
    """Private for any regressor or classifier of scikit-learn that is told by a few numbers  [A Alg 1, A Thm 8.2].

    estimator           what is fitted on each block; it may do anything with its rows
    blocks              how many: public, and chosen before looking at the data; about √n is a start
    parameter_bounds    (lower, upper) of every number that is released, or a pair for each attribute by its name; or
                        "private", which needs a delta: a quarter of ε finds them  [A Rem 8.3]. It names a power of two
                        once some 16·log(1/δ)·numbers/ε blocks agree on it; `parameter_bounds_` says which were found
    delta               0 unless the bounds are private
    attributes          what a fitted model is told by: ("coef_", "intercept_") suits all linear models
    default             what stands in for a block whose fit fails, warns or gives no number; 0 held in the bounds if
                        left out; a number, or one for each attribute by its name
    n_jobs              blocks are fitted in that many processes, as joblib counts them

    Each row draws its own block, so one row changes one block's answer, and the noisy widened winsorized mean of the
    answers is purely ε  [A Alg 2]. ε is shared by all released numbers: few features do best. `model_` is the estimator
    with the released numbers set. What the shapes of the attributes are is found by fitting synthetic rows.

    The other parameters are those of `LinearRegression` and `LogisticRegression`. The estimator runs in this process or
    its children: what it writes elsewhere, and how long it takes, are outside the guarantee.
    """

    estimator: Any = None
    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 0.0
    blocks: int = 50
    parameter_bounds: Any = None
    attributes: tuple[str, ...] = ("coef_", "intercept_")
    default: Any = None
    classes: Any = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            return tags
        own = get_tags(self.estimator)
        tags.estimator_type = own.estimator_type
        tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        self._known_rows(rows)
        plan, probe = self._planned(rows)
        notes = self._release(plan, rows).notes
        numbers = np.array(notes["numbers"])
        if plan.search is not None:
            self.parameter_bounds_ = np.array(notes["ranges"])
        for name, value in plan.fitted.parts(numbers).items():
            setattr(probe, name, value)
        self.model_ = probe
        self._fitted_box = plan.box
        for name in plan.fitted.attributes:
            setattr(self, name, getattr(probe, name))
        if plan.labels is not None:
            self.classes_ = np.array(plan.labels)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """What the model with the released numbers predicts."""
        predicted: NDArray[Any] = self._asked("predict", X)
        return predicted

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each label, by the model."""
        chances: Matrix = self._asked("predict_proba", X)
        return chances

    @_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Matrix:
        """The model's scores."""
        scores: Matrix = self._asked("decision_function", X)
        return scores

    def score(self, X: Any, y: Any) -> float:
        """The model's own score: R² or accuracy. Exact, so on private rows it is no public number."""
        features = self._held(X)
        with np.errstate(all="ignore"):
            return float(self.model_.score(features, y))

    def cost_of_privacy(self, n: int, d: int, runs: int = 10) -> float:
        """Refused: how a target is spread is not declared."""
        raise InvalidParameter(
            "SubsampleAggregate is told no bounds of the target: fit public or synthetic rows, and compare"
        )

    def _asked(self, method: str, X: Any) -> Any:
        features = self._held(X)
        with np.errstate(all="ignore"):
            return getattr(self.model_, method)(features)

    def _planned(self, rows: Rows) -> tuple[BlockedFit, Any]:
        """The plan, and the estimator fitted to synthetic rows, which shows the shapes of what it learns."""
        if (
            isinstance(self.blocks, bool)
            or not isinstance(self.blocks, int | np.integer)
            or not 4 <= self.blocks <= MOST_BLOCKS
        ):
            raise InvalidParameter(f"blocks must be a whole number from 4 to {MOST_BLOCKS}, got {self.blocks!r}")
        if self.n_jobs is not None and (isinstance(self.n_jobs, bool) or not isinstance(self.n_jobs, int | np.integer)):
            raise InvalidParameter(f"n_jobs must be a whole number, got {self.n_jobs!r}")
        if self.estimator is None or not (is_classifier(self.estimator) or is_regressor(self.estimator)):
            raise InvalidParameter("estimator must be a regressor or a classifier of scikit-learn's kind")
        known = ClassLabels.of(self.classes, rows.target) if is_classifier(self.estimator) else None
        box, budget = self._box(), self._budget(counts=False)
        labels = None if known is None else known.classes
        probe = self._probe(box, labels)
        fitted = self._fitted(probe)
        shown = ("the set of labels",) if known is not None and self.classes is None else ()
        public, jobs = self._public(*shown), None if self.n_jobs is None else int(self.n_jobs)
        encoder = Numbers() if known is None else known
        search = self._search(budget, len(fitted.names))
        plan = BlockedFit(box, encoder, budget, public, self.estimator, labels, fitted, int(self.blocks), jobs, search)
        if search is None:
            plan.aggregate()  # refuses bounds that no aggregate takes, before the charge
        return plan, probe

    def _search(self, budget: FitBudget, numbers: int) -> RangeSearch | None:
        """How bounds of the released numbers are found, where none are declared."""
        if not isinstance(self.parameter_bounds, str):
            if not budget.pure:
                raise InvalidParameter("delta pays for parameter_bounds='private' alone: leave it out")
            return None
        if self.parameter_bounds != "private":
            raise InvalidParameter("parameter_bounds must be (lower, upper), a pair for each attribute, or 'private'")
        if budget.pure:
            raise InvalidParameter("parameter_bounds='private' needs delta > 0: without one no range can be found")
        return RangeSearch(budget.epsilon * RANGE_SHARE, budget.delta, numbers)

    def _probe(self, box: Box, labels: tuple[Any, ...] | None) -> Any:
        """The estimator fitted to rows made up from the bounds alone."""
        d = box.features
        count = 20 * (d + 2) * (1 if labels is None else len(labels))
        place = np.modf(np.outer(np.arange(1, count + 1), np.sqrt(np.arange(2, d + 2))))[0] * 2 - 1
        X = place * box.half + box.middle
        y = place.sum(axis=1) if labels is None else np.array(labels)[np.arange(count) % len(labels)]
        made, failure = seeded(self.estimator, 0), None
        with unheard(), threadpool_limits(1):
            warnings.simplefilter("error")
            try:
                made.fit(X, y)
            except Exception as error:
                failure = error
        if failure is not None:
            raise InvalidParameter(
                f"the estimator fails or warns on made-up rows within the bounds: {type(failure).__name__}: {failure}"
            )
        return made

    def _fitted(self, probe: Any) -> Fitted:
        if not self.attributes or isinstance(self.attributes, str):
            raise InvalidParameter("attributes must be a list of names, such as ('coef_', 'intercept_')")
        shapes = []
        for name in self.attributes:
            values = np.asarray(getattr(probe, name, None))
            if values.dtype.kind not in "fiu" or values.size == 0:
                raise InvalidParameter(
                    f"the fitted estimator has no numbers called {name!r}: name others in attributes"
                )
            shapes.append(values.shape)
        wanted = (-_FLOATS, _FLOATS) if isinstance(self.parameter_bounds, str) else self.parameter_bounds
        ends = tuple(_ends(name, _of(name, wanted)) for name in self.attributes)
        default = tuple(
            _default(name, pair, _of(name, self.default)) for name, pair in zip(self.attributes, ends, strict=True)
        )
        return Fitted(tuple(self.attributes), tuple(shapes), ends, default)


def _of(name: str, given: Any) -> Any:
    return given.get(name) if isinstance(given, Mapping) else given


def _ends(name: str, given: Any) -> tuple[Fraction, Fraction]:
    if given is None:
        raise UnboundedQuery(
            f"parameter_bounds=(lower, upper) is missing for {name}: state between which values it may lie"
        )
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidParameter(f"parameter_bounds of {name} must be (lower, upper), got {given!r}")
    low, high = (rational(end, f"parameter_bounds of {name}") for end in given)
    if not low < high or not math.isfinite(float(high - low)):
        raise InvalidParameter(f"parameter_bounds of {name} must be two numbers, the lower one first")
    return low, high


def _default(name: str, ends: tuple[Fraction, Fraction], given: Number | None) -> Fraction:
    if given is None:
        return min(max(Fraction(0), ends[0]), ends[1])
    default = rational(given, f"default of {name}")
    if not ends[0] <= default <= ends[1]:
        raise InvalidParameter(f"the default of {name} must lie in its bounds, got {given}")
    return default
