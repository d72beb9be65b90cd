"""Cross-validation whose scores are private."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from dalenius.calls import named_arguments
from dalenius.errors import UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.learning.data.rows import Rows, matrix, vector
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.plans.folds import drawn_parts, noisy_hits, taken, whole
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.numerics import Number, positive


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Private scores of each fold, and what all of it cost."""

    test_score: tuple[float, ...]
    guarantee: Guarantee

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(np.mean(self.test_score))

    def __str__(self) -> str:
        return f"{self.mean:.3f} over {len(self.test_score)} folds, {self.guarantee}"


@named_arguments
def cross_validate(
    model: PrivateEstimator, X: Any, y: Any, *, epsilon: Number, folds: int = 5, bits: Bits | None = None
) -> CrossValidation:
    """The accuracy of a private classifier on rows that it has not seen, itself private.

    Every row is in folds − 1 training sets and one test set: the fits compose folds − 1 times, the test counts take
    `epsilon` once, since a row is in one of them  [A Thm 3.3, A Prop 4.3]. scikit-learn's `cross_val_score` gives exact
    scores of private rows: they are outside every guarantee. A row's fold is drawn by itself, so that removing a row
    moves no other.

    The model must take its labels as declared. If it has a ledger or a curator, its fits are charged there one by one,
    and so are the counts.
    """
    count = whole(folds, "folds", 2)
    if not isinstance(model, PrivateEstimator) or not is_classifier(model):
        raise UnprovenClaim("cross_validate takes a private classifier of this package")
    if model.classes is None:
        raise UnprovenClaim("declare classes=: the labels of a fold are not public")
    source, share = bits or Bits(), positive(epsilon, "epsilon")
    rows = len(matrix(X))
    target = vector(y, rows)
    parts = drawn_parts(rows, count, source)
    if (gate := model._gate(Rows(np.zeros((0, 1)), np.zeros(0)))) is not None:
        tests_cost = PureDP(share, Relation.of(model.relation))
        gate.ledger.reserve(tests_cost, dataset=gate.dataset, unit=gate.unit, analyst=gate.analyst)
    scores, cost = [], None
    for fold in range(count):
        fitted = clone(model).fit(taken(X, parts != fold), target[parts != fold])
        cost = fitted.guarantee_
        right, wrong = noisy_hits(fitted, taken(X, parts == fold), target[parts == fold], share, cost.relation, source)
        scores.append(min(1.0, max(0.0, right / max(1, right + wrong))))
    assert cost is not None
    tests = PureDP(share, cost.relation)
    return CrossValidation(tuple(scores), cost.repeat(count - 1).compose(tests))
