"""Logistic regression."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from dalenius.calls import shown
from dalenius.errors import InvalidParameter
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.data.training_data import TrainingData
from dalenius.learning.estimators.estimator import GivenRows
from dalenius.learning.estimators.glm import GeneralisedLinear, nonnegative_number, positive_number, scale_of
from dalenius.learning.estimators.parameters import PerturbedParameters
from dalenius.learning.plans.fading import STRONGEST_BESIDE
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.searched_bounds import sought
from dalenius.learning.sums.bends import LogisticBends
from dalenius.learning.sums.class_weights import ClassWeighted, class_shares
from dalenius.learning.sums.loss_bounds import Logistic, Softmax
from dalenius.learning.sums.losses import ClippedLogistic, ClippedSoftmax, Slopes

_MOST_WEIGHTS = 512
"""Beyond them the search for a minimum with corners would take too long to end with a proof."""


@dataclass(eq=False, repr=False)
class LogisticRegression(ClassifierMixin, GeneralisedLinear, PerturbedParameters):  # type: ignore[misc]
    """Private logistic regression of two or more classes.

    It estimates what scikit-learn's LogisticRegression does: as rows grow in number its coefficients and probabilities
    become those of the plain fit. δ > 0: Gaussian objective perturbation  [RKW23]; δ = 0: objective perturbation
    [A Thm 6.1, AS21]. With few rows (n·ε small), slopes are held to ½ and long rows are shrunk, in `predict` as well:
    `slope_share_` and `row_norm_` say how far, 1 and the length of the box's corner where nothing is held.

    bounds          (lower, upper) of the features, numbers or one for each; from public knowledge. Or "private": a
                    fifth of the budget finds them among ±2^k, k from −10 to 40; another share or other exponents by
                    `dalenius.statistics.PrivateBounds`
    classes         the labels; left out, those of the data are taken as public, and `guarantee_` says so
    C               as in scikit-learn: beside the sum of losses stands ‖coef‖²/(2C); privacy needs a small ridge anyway
    l1_ratio        as in scikit-learn: this part of the penalty is ‖coef‖₁/C. The cover of the solver is added last,
                    so that coefficients which the penalty makes 0 come out as numbers of some 10⁻³ or less
    coef_bounds     (lower, upper) that every coefficient of two classes is held in, such as (0, inf); costs nothing.
                    A bound that would keep a row's score hundreds away from 0 counts as one that does not
    standard_errors   True: a quarter of ε releases the curvature, nothing is held, and `confidence_interval(level)` is
                    there, with `debiased_coef_` and `standard_errors_`; for two classes
    class_weight    {label: weight}, declared; the largest of them pays for all
    row_norm        the largest length of a row whose features are mapped to [−1, 1]; longer rows are shrunk, in `fit`
                    and in `predict`. Left out, it follows from the bounds
    largest_weight  of `sample_weight`, declared: larger weights count as it
    method          "auto"; "objective"; or "descent", few steps of held slopes, which tells classes apart with few
                    rows, as "auto" does with fewer still; with many rows each is the perturbed minimum
    n_public        the number of rows, if it is public; left out, a private count takes a fiftieth of the budget
    relation        ADD_REMOVE, or CHANGE_ONE, which makes the number of rows public and doubles the noise
    ledger, dataset or curator   what every fit, also of clones, is charged to

    NaN features count as the middle of their bounds; rows with an unknown label count as no row.

    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 400)[:, None]
    >>> model = LogisticRegression(epsilon=5, delta=1e-6, bounds=(-1, 1), classes=[0, 1]).fit(X, X[:, 0] > 0)
    >>> model.coef_.shape, str(model.guarantee_)[:30]
    ((1, 1), '(5, 1e-6)-differential privacy')
    """

    epsilon: float = 1.0
    _: KW_ONLY
    classes: Any = None
    C: float = 1.0
    class_weight: Any = None
    l1_ratio: float = 0.0
    standard_errors: bool = False
    coef_bounds: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from private rows, or from people's by `learning.from_sql`; charged once, before they are read."""
        rows = self._given(X, y, sample_weight)
        if isinstance(rows, TrainingData) and self.classes is None:
            raise InvalidParameter("classes= must be declared: people's rows are not searched for their labels")
        target = np.zeros(0) if isinstance(rows, TrainingData | StreamedRows) else rows.target
        return self._fitted(rows, ClassLabels.of(self.classes, target))

    def _fitted_stream(self, rows: StreamedRows) -> Self:
        if self.classes is None:
            raise InvalidParameter("classes= must be declared: a file is not searched for its labels")
        return self._fitted(rows, ClassLabels.of(self.classes, np.zeros(0)))

    def _fitted(self, rows: GivenRows, known: ClassLabels) -> Self:
        notes = self._release(self._plan(rows, known), rows).notes
        self.coef_, self.intercept_ = self._unscaled(notes)
        # what is added to all classes alike is noise alone: scikit-learn's add up to 0
        if len(known.classes) > 2 and not self.l1_ratio:
            self.coef_ = self.coef_ - self.coef_.mean(axis=0)
            self.intercept_ = self.intercept_ - self.intercept_.mean()
        self.classes_ = np.array(known.classes)
        self.n_iter_ = int(notes["steps"])
        self._set_holds(notes)
        self._judge(notes)
        return self

    def decision_function(self, X: Any) -> Matrix:
        """Scores: one for two classes (positive for the second), else one for each class."""
        scores = self._score(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest label of each row."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each label, by the model."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        with np.errstate(all="ignore"):
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances: Matrix = weights / weights.sum(axis=1, keepdims=True)
        return chances

    def predict_log_proba(self, X: Any) -> Matrix:
        """The logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _plan(self, rows: GivenRows, known: ClassLabels) -> FitPlan:
        kinds, weights = len(known.classes), class_shares(self.class_weight, known.classes)
        whole = 1 / (positive_number(self.C, "C") * scale_of(rows) * (1.0 if weights is None else weights[1]))
        part, held = nonnegative_number(self.l1_ratio, "l1_ratio"), _held(self.coef_bounds, kinds)
        if part > 1:
            raise InvalidParameter(f"l1_ratio must lie between 0 and 1, got {self.l1_ratio!r}")
        strength, lasso = (1 - part) * whole, part * whole
        if (lasso or held) and (self.n_features_in_ + 1) * kinds > _MOST_WEIGHTS:
            raise InvalidParameter(f"l1_ratio and coef_bounds are for models of at most {_MOST_WEIGHTS} weights")
        if lasso or held:
            self._refuse_narrow(strength)
        plain: Logistic | Softmax = Logistic() if kinds == 2 else Softmax(kinds)
        clipped: Slopes = ClippedLogistic() if kinds == 2 else ClippedSoftmax(kinds)
        labels = () if self.classes is not None else ("the set of labels",)
        loss = plain if weights is None else ClassWeighted(plain, weights[0])
        descends = weights is None and not part and held is None
        taken = clipped if descends else None
        bends = LogisticBends() if self.standard_errors else None
        if bends is not None and kinds > 2:
            raise InvalidParameter("standard_errors are for two classes: fit one class against the others")
        return self._glm(rows, loss, taken, known, lambda _: strength, *labels, lasso=lasso, held=held, bends=bends)

    def _refuse_narrow(self, strength: float) -> None:
        """A penalty that declared bounds make so strong that floats prove no minimum beside a convex term."""
        if sought(self.bounds) is not None:
            return
        with np.errstate(all="ignore"):
            strongest = float((strength / self._box().half ** 2).max())
        if not strongest <= STRONGEST_BESIDE:
            raise InvalidParameter(
                "bounds of a feature are too narrow for l1_ratio or coef_bounds at this C: give it in a smaller unit"
            )


def _held(bounds: Any, kinds: int) -> tuple[float, float] | None:
    if bounds is None:
        return None
    if kinds > 2:
        raise InvalidParameter("coef_bounds are for two classes: those of many share one constant that nothing fixes")
    ends = tuple(bounds) if isinstance(bounds, tuple | list) and len(bounds) == 2 else (1.0, 0.0)
    numbers = all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
    if not numbers or not ends[0] <= ends[1] or ends[0] == math.inf or ends[1] == -math.inf:
        raise InvalidParameter(f"coef_bounds must be (lower, upper), the lower one first, got {shown(bounds)}")
    return float(ends[0]), float(ends[1])
