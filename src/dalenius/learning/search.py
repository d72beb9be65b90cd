"""Private choice among models and hyperparameters, at its real cost."""

from fractions import Fraction
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.learning.calibrated import Calibrated
from dalenius.learning.estimator import PrivateEstimator
from dalenius.learning.folds import drawn_parts, noisy_hits, taken
from dalenius.learning.rows import Matrix, Rows
from dalenius.neighbors import Relation
from dalenius.noise import Bits, UniformInteger
from dalenius.numerics import Number, positive

_PARTS = 4
"""One row in four tests; the others train."""


class PrivateSearch(ClassifierMixin, PrivateEstimator):  # type: ignore[misc]
    """The best of purely ε-private classifiers tried at random, for three times the ε of one trial.

    A trial draws one candidate, trains it on three quarters of the rows and scores it by noisy counts on the rest; a
    row is in one of the two, so a trial costs ε/3, the ε that the candidates are given. The number of trials is
    geometric with mean `trials`, and secret. The best trial is then ε-private, however many candidates there are
    [LT19; PS22]. Fitting each candidate and releasing all scores would cost ε for each.

    candidates      purely private classifiers of this package (delta=0), classes declared
    """

    def __init__(
        self,
        candidates: Any = None,
        *,
        epsilon: float = 1.0,
        trials: Number = 20,
        relation: Relation | str = "add-remove",
        bits: Any = None,
    ) -> None:
        self.candidates = candidates
        self.epsilon = epsilon
        self.trials = trials
        self.relation = relation
        self.bits = bits

    ledger = curator = dataset = None

    def fit(self, X: Any, y: Any) -> Self:
        """Try candidates on private rows; all trials together cost ε."""
        rows: Rows = self._rows(X, y)
        share = positive(self.epsilon, "epsilon") / 3
        known = self._candidates()
        source = self.bits or Bits()
        self.guarantee_ = Calibrated(PureDP(3 * share, self._relation), 3 * share, 0, self._public())
        best: tuple[int, Any] | None = None
        while best is None or self._goes_on(source):
            drawn = int(UniformInteger(len(known)).sample(source, 1)[0])
            score, fitted = self._trial(known[drawn], X, rows, share, source)
            if best is None or score > best[0]:
                best = score, fitted
        self.best_estimator_ = best[1]
        self.classes_ = self.best_estimator_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """What the chosen model predicts."""
        self._features(X, reset=False)
        found: NDArray[Any] = self.best_estimator_.predict(X)
        return found

    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each label, by the chosen model."""
        self._features(X, reset=False)
        found: Matrix = self.best_estimator_.predict_proba(X)
        return found

    def _trial(self, candidate: Any, X: Any, rows: Rows, share: Fraction, bits: Bits) -> tuple[int, Any]:
        test = drawn_parts(len(rows), _PARTS, bits) == 0
        model = clone(candidate).set_params(epsilon=share, relation=self.relation)
        model.fit(taken(X, ~test), rows.target[~test])
        right, wrong = noisy_hits(model, taken(X, test), rows.target[test], share, self._relation, bits)
        return right - wrong, model

    def _goes_on(self, bits: Bits) -> bool:
        """A coin that stops with chance 1/trials: the number of trials is geometric from 1 on."""
        stop = 1 / positive(self.trials, "trials")
        if stop >= 1:
            return False
        return int(UniformInteger(stop.denominator).sample(bits, 1)[0]) >= stop.numerator

    def _candidates(self) -> list[Any]:
        known = list(self.candidates or ())
        if not known:
            raise InvalidParameter("candidates must name at least one classifier")
        for each in known:
            if not isinstance(each, PrivateEstimator) or getattr(each, "classes", None) is None:
                raise UnprovenClaim("a candidate must be a classifier of this package with declared classes=")
            if each.delta != 0 or each.ledger is not None or each.curator is not None or each.n_public is not None:
                raise UnprovenClaim("a candidate must be purely private: delta=0, no n_public, no ledger of its own")
        return known
