"""Gaussian naive Bayes."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.tallies import DIGITS, Integers, Reach, deviation, released, tallied
from dalenius.neighbors import Relation
from dalenius.noise import Bits

_LEAST_VARIANCE = 1e-4
"""Of a feature in [−1, 1]."""


@dataclass(frozen=True, slots=True)
class ClassMoments(FitPlan):
    """The number of rows, Σz and Σ(z² − ½) of each feature in each class, released once  [A Prop 3.1, A Ex 3.4].

    z is a feature in [−1, 1]. A row counts in its class only. With the square about ½, a feature moves the sums by at
    most |z| + |z² − ½| ≤ 3/2 in ℓ1 and z² + (z² − ½)² ≤ 5/4 in ℓ2 squared, where plain squares would move them by 2.
    """

    box: Box
    labels: ClassLabels
    budget: FitBudget
    public: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {"method": "moments of each class", "box": self.box.facts(), "labels": self.labels.facts()}

    def reach(self) -> Reach:
        """How far one unit moves the sums  [A Ex 3.4, A Rem 3.9].

        A row replaced: in ℓ1 twice as far. In ℓ2 two rows of different classes lie 2(1 + 5d/4) apart, two of one class
        at most 4d, for (z − u)² + (z² − u²)² = (z − u)²(1 + (z + u)²) ≤ 4.
        """
        d = self.box.features
        one = Reach(1 + Fraction(3 * d, 2), 1 + Fraction(5 * d, 4))
        if self.budget.relation is Relation.ADD_REMOVE:
            return one
        return Reach(2 * one.l1, max(2 * one.square, Fraction(4 * d)))

    def sums(self, view: Rows) -> Integers:
        """Of each class: rows, Σz, Σ(z² − ½), in steps."""
        return tallied(self._parts(view), len(self.labels.classes), 1 + 2 * self.box.features)

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Sum, add noise, divide."""
        mechanism = self.reach().noise(self.budget)
        noisy = released(mechanism, self.sums(view), bits)
        d, spread = self.box.features, deviation(mechanism)
        counts = np.maximum(noisy[:, 0], 1.0)
        means = np.clip(noisy[:, 1 : 1 + d] / counts[:, None], -1, 1)
        squares = np.clip(noisy[:, 1 + d :] / counts[:, None] + 0.5, 0, 1)
        # a variance below what the noise alone makes of it is none
        floor = np.minimum(_LEAST_VARIANCE + spread / counts, 1.0)[:, None]
        variances = np.maximum(squares - means**2, floor)
        statistics = {"counts": counts.tolist(), "means": means.tolist(), "variances": variances.tolist()}
        return Outcome((), notes=statistics)

    def _parts(self, view: Rows) -> Iterator[tuple[Integers, Matrix]]:
        for features, target in view.chunks():
            codes = self.labels.codes(target)
            group = np.where(np.isnan(codes), -1, np.nan_to_num(codes)).astype(np.int64)
            z = np.trunc(self.box.scaled(features) * 2.0**DIGITS)
            half = z * z * 2.0**-DIGITS - 2.0 ** (DIGITS - 1)  # z² is below 2⁴¹: exact until it is cut
            yield group, np.column_stack([np.full(len(z), 2.0**DIGITS), z, np.trunc(half)])


@dataclass(eq=False, repr=False)
class NaiveBayes(ClassifierMixin, PrivateEstimator, BoundedParameters):  # type: ignore[misc]
    """Private classification by a normal law for each feature in each class.

    classes   the labels; left out, those of the data, which are then public
    priors    the public chance of each class; left out, from the released counts

    The other parameters are those of `LogisticRegression`. `theta_`, `var_`, `class_count_` and `class_prior_` are as
    scikit-learn's `GaussianNB` has them, made from released sums.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 0.0
    classes: Any = None
    priors: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        known = ClassLabels.of(self.classes, rows.target)
        self._known_rows(rows)
        priors = self._priors(len(known.classes))
        public = self._public(*(() if self.classes is not None else ("the set of labels",)))
        plan = ClassMoments(self._box(), known, self._budget(counts=False), public)
        plan.reach().noise(plan.budget)  # a budget too small for exact noise is refused before the charge
        notes = self._release(plan, rows).notes
        self._fitted_box = box = plan.box
        self.classes_ = np.array(known.classes)
        self.theta_ = np.array(notes["means"]) * box.half + box.middle
        self.var_ = np.array(notes["variances"]) * box.half**2
        self.class_count_ = np.array(notes["counts"])
        self.class_prior_ = self.class_count_ / self.class_count_.sum() if priors is None else priors
        self._means, self._variances = np.array(notes["means"]), np.array(notes["variances"])
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest label of each row."""
        likeliest = self._scores(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[likeliest]
        return labels

    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each label, by the model."""
        scores = self._scores(X)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances: Matrix = weights / weights.sum(axis=1, keepdims=True)
        return chances

    def predict_log_proba(self, X: Any) -> Matrix:
        """The logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _scores(self, X: Any) -> Matrix:
        features = self._features(X, reset=False)
        with np.errstate(all="ignore"):
            away = (self._fitted_box.scaled(features)[:, None, :] - self._means) ** 2 / self._variances
            fit = (away + np.log(self._variances)).sum(axis=2)
            scores: Matrix = np.log(np.maximum(self.class_prior_, 1e-300)) - fit / 2
        return scores

    def _priors(self, classes: int) -> Matrix | None:
        if self.priors is None:
            return None
        try:
            given = np.asarray(self.priors, np.float64)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        if given.shape != (classes,) or not np.all(given >= 0) or not np.isclose(given.sum(), 1):
            raise InvalidParameter(f"priors must be {classes} chances that add up to 1")
        return given
