"""Support vector machines with a rounded hinge."""

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from dalenius.errors import InvalidParameter
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.data.training_data import TrainingData
from dalenius.learning.estimators.estimator import GivenRows
from dalenius.learning.estimators.glm import GeneralisedLinear, positive_number, scale_of
from dalenius.learning.estimators.parameters import PerturbedParameters
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.sums.class_weights import ClassWeighted, class_shares
from dalenius.learning.sums.hinge import HuberHinge
from dalenius.numerics import positive

_NARROWEST = Fraction(1, 64)


@dataclass(eq=False, repr=False)
class HuberSVM(ClassifierMixin, GeneralisedLinear, PerturbedParameters):  # type: ignore[misc]
    """Private linear support vector machine of two classes, by Huber's hinge  [A Thm 6.1, A Ex 7.5, CMS11].

    It minimises ½‖coef‖² + C·Σ hinge, where the hinge's corner is a parabola of half width `rounding`: privacy needs a
    second derivative. scikit-learn has no model of this loss, hence the name; as `rounding` falls the fit becomes that
    of `SVC(kernel="linear")`, and the noise grows. As rows grow in number it becomes the plain fit of its own loss.

    rounding        half the width of the parabola in place of the hinge's corner, from 1/64 to 1
    C               as in scikit-learn's SVC
    classes         the two labels; left out, those of the data are taken as public, and `guarantee_` says so
    class_weight    {label: weight}, declared; the largest of them pays for both

    The other parameters are those of `LogisticRegression`; `method` is "auto" or "objective".

    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 400)[:, None]
    >>> model = HuberSVM(epsilon=5, bounds=(-1, 1), classes=[0, 1]).fit(X, X[:, 0] > 0)
    >>> model.coef_.shape, str(model.guarantee_)[:26]
    ((1, 1), '5-differential privacy for')
    """

    epsilon: float = 1.0
    _: KW_ONLY
    classes: Any = None
    C: float = 1.0
    rounding: float = 0.5
    class_weight: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from private rows, or from people's by `learning.from_sql`; charged once, before they are read."""
        rows = self._given(X, y, sample_weight)
        return self._fitted(rows, self._labels(rows))

    def _fitted_stream(self, rows: StreamedRows) -> Self:
        return self._fitted(rows, self._labels(rows))

    def _labels(self, rows: GivenRows) -> ClassLabels:
        if isinstance(rows, TrainingData | StreamedRows):
            if self.classes is None:
                raise InvalidParameter("classes= must be declared: files and people's rows are not searched for labels")
            known = ClassLabels.of(self.classes, np.zeros(0))
        else:
            known = ClassLabels.of(self.classes, rows.target)
        if len(known.classes) != 2:
            raise InvalidParameter(
                "Only binary classification is supported. The type of the target is multiclass: "
                "fit a HuberSVM for each class against the others, or use LogisticRegression"
            )
        return known

    def _fitted(self, rows: GivenRows, known: ClassLabels) -> Self:
        notes = self._release(self._plan(rows, known), rows).notes
        self.coef_, self.intercept_ = self._unscaled(notes)
        self.classes_ = np.array(known.classes)
        self.n_iter_ = int(notes["steps"])
        self._set_holds(notes)
        return self

    def decision_function(self, X: Any) -> Matrix:
        """Scores, positive for the second class."""
        return self._score(X)[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The label on whose side each row lies."""
        beyond = self.decision_function(X) > 0
        labels: NDArray[Any] = self.classes_[beyond.astype(np.int64)]
        return labels

    def _plan(self, rows: GivenRows, known: ClassLabels) -> FitPlan:
        width = positive(self.rounding, "rounding")
        if not _NARROWEST <= width <= 1:
            raise InvalidParameter(f"rounding must lie between {_NARROWEST} and 1, got {self.rounding!r}")
        weights = class_shares(self.class_weight, known.classes)
        strength = 1 / (positive_number(self.C, "C") * scale_of(rows) * (1.0 if weights is None else weights[1]))
        plain = HuberHinge(width)
        loss = plain if weights is None else ClassWeighted(plain, weights[0])
        labels = () if self.classes is not None else ("the set of labels",)
        return self._glm(rows, loss, None, known, lambda _: strength, *labels)
