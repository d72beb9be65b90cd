"""Logistic regression by the K-norm gradient mechanism."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.logistic_gradient import HALF_GRIDS, LogisticGradient
from dalenius.learning.plans.region import Region
from dalenius.numerics import Number, positive


@dataclass(eq=False, repr=False)
class KNormLogistic(ClassifierMixin, PrivateEstimator, BoundedParameters):  # type: ignore[misc]
    """Private logistic regression of two classes, drawn with density ∝ exp(−ε/(2Δ) ‖gradient‖∞)·g  [A Thm 7.11].

    Drawn exactly from a grid of up to three coefficients, the intercept among them: the answer is no finer than the
    grid, whose step is coefficient_bound over 1024, 48 or 14. `LogisticRegression` has no such limits.

    coefficient_bound   the greatest length of the coefficients, where features are scaled to [−1, 1] and the intercept
                        is among them
    base_deviation      the base measure g: left out, uniform on that ball; a number, the normal law of that deviation
                        in each coefficient, which is what comes out where rows say nothing  [A Rem 7.8]
    classes             the two labels; left out, those of the data are taken as public, and `guarantee_` says so

    Purely ε. The other parameters are those of `LinearRegression`.

    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 500)[:, None]
    >>> model = KNormLogistic(epsilon=5, bounds=(-1, 1), classes=[0, 1]).fit(X, X[:, 0] > 0)
    >>> bool(model.coef_[0, 0] > 0), str(model.guarantee_)[:26]
    (True, '5-differential privacy for')
    """

    epsilon: float = 1.0
    _: KW_ONLY
    classes: Any = None
    coefficient_bound: Number = 5
    base_deviation: Number | None = None
    fit_intercept: bool = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        self._known_rows(rows)
        known = ClassLabels.of(self.classes, rows.target)
        if len(known.classes) != 2:
            raise InvalidParameter(
                "Only binary classification is supported. The type of the target is multiclass: use LogisticRegression"
            )
        notes = self._release(self._plan(known), rows).notes
        self.coef_, self.intercept_ = self._unscaled(notes)
        self.classes_ = np.array(known.classes)
        self.n_iter_ = 1
        return self

    def decision_function(self, X: Any) -> Matrix:
        """Scores, positive for the second class."""
        return self._score(X)[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The likelier label of each row."""
        beyond = self.decision_function(X) > 0
        labels: NDArray[Any] = self.classes_[beyond.astype(np.int64)]
        return labels

    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each label, by the model."""
        with np.errstate(all="ignore"):
            second = 0.5 * (1 + np.tanh(self.decision_function(X) / 2))
        return np.column_stack([1 - second, second])

    def _plan(self, known: ClassLabels) -> LogisticGradient:
        rows = UnitRows(self._box(), 1, bool(self.fit_intercept))
        if rows.width not in HALF_GRIDS:
            raise InvalidParameter(
                f"the logistic gradient is drawn from a grid of at most {max(HALF_GRIDS)} coefficients, the intercept "
                f"among them, got {rows.width}: select features, or use LogisticRegression"
            )
        bound = positive(self.coefficient_bound, "coefficient_bound")
        deviation = None if self.base_deviation is None else positive(self.base_deviation, "base_deviation")
        labels = () if self.classes is not None else ("the set of labels",)
        region, budget = Region.of(bound, rows), self._budget(counts=False)
        return LogisticGradient(
            rows.box, known, budget, rows.intercept, self._public(*labels), region, bound, deviation
        )
