"""Private choice among models and hyperparameters, at its real cost."""

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.logistic import LogisticRegression
from dalenius.learning.estimators.parameters import ChargedParameters
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.folds import drawn_parts, noisy_hits
from dalenius.noise import Bits, UniformInteger
from dalenius.numerics import Number, positive

_PARTS = 4
"""One row in four tests; the others train."""


@dataclass(frozen=True, slots=True)
class Trials(FitPlan):
    """The best of a secret, geometric number of trials, for three times the ε of one  [LT19; PS22].

    A trial draws one candidate, trains it on three quarters of the rows and scores it by noisy counts on the rest. A
    row's part is drawn by itself and it is in one of the two, so a trial costs ε/3: the ε of its fit, or that of its
    counts. The geometric law is the negative binomial of order η = 1, whose best trial costs (2 + η) times one.
    """

    candidates: tuple[Any, ...]
    budget: FitBudget
    trials: Fraction
    public: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        known = [{name: repr(value) for name, value in c.get_params().items()} for c in self.candidates]
        return {"method": "trials", "candidates": known, "trials": str(self.trials)}

    @property
    def share(self) -> Fraction:
        """What one trial may cost."""
        return self.budget.total / 3

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Try until the coin says stop, and keep the best."""
        best = self._trial(view, bits)
        while self.goes_on(bits):
            best = max(best, self._trial(view, bits), key=lambda trial: trial[0])
        _, number, model = best
        more = {"chosen": number, "coefficients": model.coef_.tolist(), "intercepts": model.intercept_.tolist()}
        more["radius"] = model._fitted_unit.radius
        return self.outcome(np.zeros((0, 0)), None, int(self.trials), **more)

    def goes_on(self, bits: Bits) -> bool:
        """A coin that stops with chance 1/trials: the number of trials is geometric from 1 on."""
        stop = 1 / self.trials
        return stop < 1 and int(UniformInteger(stop.denominator).sample(bits, 1)[0]) >= stop.numerator

    def _trial(self, view: Rows, bits: Bits) -> tuple[int, int, Any]:
        number = int(UniformInteger(len(self.candidates)).sample(bits, 1)[0])
        test = drawn_parts(len(view), _PARTS, bits) == 0
        relation = self.budget.relation
        model = clone(self.candidates[number]).set_params(epsilon=self.share, relation=relation, bits=bits)
        model.fit(view.features[~test], view.target[~test])
        right, wrong = noisy_hits(model, view.features[test], view.target[test], self.share, relation, bits)
        return right - wrong, number, model


@dataclass(eq=False, repr=False)
class PrivateSearch(ClassifierMixin, PrivateEstimator, ChargedParameters):  # type: ignore[misc]
    """The best of purely ε-private classifiers, tried at random on private rows  [LT19; PS22].

    However many candidates there are, the search costs ε, and each trial is made with ε/3. To fit each candidate and
    release all scores would cost ε for each; to take the best of exact scores has no price that is finite.

    candidates      `LogisticRegression`s with delta=0 and declared bounds; their ε is replaced
    classes         the labels, for candidates that declare none; left out, those of the data are taken as public, and
                    `guarantee_` says so
    trials          the mean number of trials, which is drawn and stays secret
    ledger, dataset or curator   what the whole search is charged to, once
    """

    candidates: Any = None
    _: KW_ONLY
    epsilon: float = 1.0
    classes: Any = None
    trials: Number = 20

    def fit(self, X: Any, y: Any) -> Self:
        """Search among private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        known, public = self._candidates(rows)
        trials = positive(self.trials, "trials")
        if not 1 <= trials <= 10**6:
            raise InvalidParameter(f"trials must lie between 1 and a million, got {self.trials}")
        self._known_rows(rows)
        notes = self._release(Trials(known, self._budget(counts=False), trials, self._public(*public)), rows).notes
        self.best_index_ = int(notes["chosen"])
        model = clone(known[self.best_index_])
        model.coef_, model.intercept_ = np.array(notes["coefficients"]), np.array(notes["intercepts"])
        model.classes_ = np.unique(np.asarray(model.classes))
        model.n_features_in_, model.n_iter_, model.guarantee_ = self.n_features_in_, 1, self.guarantee_
        model._fitted_box = model._box_of(self.n_features_in_)
        model._fitted_unit = UnitRows(model._fitted_box, 1, bool(model.fit_intercept), None, float(notes["radius"]))
        self.best_estimator_, self.classes_ = model, model.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """What the chosen model predicts."""
        features = self._features(X, reset=False)
        predicted: NDArray[Any] = self.best_estimator_.predict(features)
        return predicted

    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each label, by the chosen model."""
        features = self._features(X, reset=False)
        chances: Matrix = self.best_estimator_.predict_proba(features)
        return chances

    def _candidates(self, rows: Rows) -> tuple[tuple[LogisticRegression, ...], tuple[str, ...]]:
        """The candidates with their labels, and what is public of the labels."""
        known = tuple(self.candidates or ())
        if not known:
            raise InvalidParameter("candidates must name at least one classifier")
        for each in known:
            if not isinstance(each, LogisticRegression):
                raise UnprovenClaim("a candidate must be a LogisticRegression")
            if each.method not in ("auto", "objective"):
                raise UnprovenClaim("a candidate must be purely private: method='objective', or left out")
            if each.delta != 0 or each.ledger is not None or each.curator is not None or each.n_public is not None:
                raise UnprovenClaim("a candidate must be purely private: delta=0, no n_public, no ledger of its own")
            each._box_of(self.n_features_in_)  # a bound that does not fit is refused before data is read
        if all(each.classes is not None for each in known):
            return known, ()
        labels = list(ClassLabels.of(self.classes, rows.target).classes)
        full = tuple(each if each.classes is not None else clone(each).set_params(classes=labels) for each in known)
        return full, () if self.classes is not None else ("the set of labels",)
