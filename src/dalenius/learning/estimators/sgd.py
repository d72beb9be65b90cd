"""Stochastic gradient descent on secret samples."""

import math
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from dalenius.curator import Outcome
from dalenius.curator.plans.sampled import drawn
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Guarantee, Sampling
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import coded, size_of, whole_part
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.targets import ClassLabels, Encoder
from dalenius.learning.data.training_data import TrainingData
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.glm import unit_of
from dalenius.learning.estimators.logistic import LogisticRegression
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fading import freedom, held_radius
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.sampled_steps import SampledSteps, accounted, sampling_for
from dalenius.learning.plans.whole_noise import LARGEST_SCALE, LEAST_SCALE, moves
from dalenius.learning.sums.gradient import GradientSum, digits_for
from dalenius.learning.sums.losses import ClippedLogistic, ClippedSoftmax
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, Lattice
from dalenius.numerics import Number

MOMENTUM = 0.85
_CARRIED_FROM, _CARRIED_WHOLE = 500.0, 3000.0
"""What a step keeps of the way before it; the signals up to which it keeps nothing, and from which on all of that."""


@dataclass(frozen=True, slots=True)
class SampledDescent(FitPlan):
    """w ← w − pace · v, v ← momentum · v + (noisy sum of clipped gradients of a secret sample) / (its expected size).

    A Alg 7, corrected: one update a step, the sum over the sample. Two algorithms, never mixed: a Poisson sample under
    ADD_REMOVE, divided by its expected size, which one row moves by C; or m of n rows under CHANGE_ONE, moved by 2C.
    The price is the loss of the mechanism that runs, amplified by the sampling that is drawn, repeated: under
    CHANGE_ONE the T-fold product of C_p(f), not the larger of the two directions, which Rem 11.6 prints
    [A Alg 7, A Rem 11.5, A Thm 13.7].
    """

    box: Box
    loss: ClippedLogistic | ClippedSoftmax
    """With the clip of the plain loss: fewer rows are held to ½."""
    budget: FitBudget
    intercept: bool
    rows: int | None
    public: tuple[str, ...]
    encoder: Encoder
    sampling: Sampling
    steps: int
    pace: float

    def __post_init__(self) -> None:
        self.sampling.rate_for(self.budget.relation)  # refuses the other relation's sampling

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "descent on samples",
            "box": self.box.facts(),
            "loss": repr(self.loss),
            "intercept": self.intercept,
            "rows": self.rows,
            "encoder": self.encoder.facts(),
            "sampling": repr(self.sampling),
            "steps": self.steps,
            "pace": self.pace,
            "momentum": MOMENTUM,
        }

    @property
    def guarantee(self) -> Calibrated:
        """That of the steps, and of the count where there is one  [A Rem 11.5, A Thm 3.3]."""
        return self.spending.guarantee(self.steps_guarantee, self.public)

    def steps_guarantee(self) -> Guarantee:
        """The loss of a step with the least noise that is drawn, amplified and repeated  [A Rem 11.5, A Thm 13.7]."""
        return accounted(Gaussian(self.spending.multiplier), Sensitivity(1, Metric.L2), self.sampling, self.steps)

    def signal(self, rows: int) -> float:
        """The number of rows over the length of the noise of all steps together."""
        size = (self.box.features + self.intercept) * self.loss.outputs
        one = 0.5 * moves(self.budget.relation) / math.sqrt(float(self.budget.total))
        return rows / (one * math.sqrt(size))

    def momentum(self, rows: int) -> float:
        """What a step keeps of the way before it: a function of released gradients, so it costs nothing  [A Prop 3.1].

        Along an axis on which features hardly differ the gradient is small, and steps without it would end short of the
        minimum however many rows there are. Where rows are few it would carry noise on.
        """
        return MOMENTUM * float(freedom(self.signal(rows), (_CARRIED_FROM, _CARRIED_WHOLE)))

    def noisy_gradient(self, share: Fraction = Fraction(1)) -> tuple[GradientSum, Gaussian]:
        """The gradient as whole numbers, and noise with which all steps cost no more than what is left.

        The noise goes with the clip, so what is proved is the same for any of them.
        """
        loss = replace(self.loss, clip=0.5 * (self.loss.clip / 0.5) ** float(share))
        one = Fraction(loss.clip) * moves(self.budget.relation)
        ratio = self.spending.multiplier
        digits, slopes = digits_for(float(one * ratio))
        unit = UnitRows(self.box, digits, self.intercept)
        gradient = GradientSum(replace(unit, held=held_radius(unit, share, None)), loss, slopes)
        scale = math.ceil(gradient.sensitivity(self.budget.relation).value * ratio)
        if scale > LARGEST_SCALE:
            raise UnprovenClaim("this budget is too small for exact noise: raise epsilon or delta")
        return gradient, Gaussian(Fraction(max(scale, LEAST_SCALE)), Lattice(0))

    def run(self, view: Rows | WeightedRows, bits: Bits) -> Outcome:
        """Count if need be, then descend on samples, each drawn as it is priced.

        Where people have many rows, a sample is one of people: all rows of a person are in it, or none, and their
        weights add up to at most 1.
        """
        n = self.spending.count(size_of(view), bits) if self.rows is None else self.rows
        gradient, mechanism = self.noisy_gradient(freedom(self.signal(n)))
        parts = [whole_part(part) for part in coded(view, gradient.rows, self.encoder)]
        width = gradient.rows.width
        x = np.vstack([part[0] for part in parts]) if parts else np.zeros((0, width))
        y, share = (np.concatenate([part[k] for part in parts]) if parts else np.zeros(0) for k in (1, 2))
        people = view.people if isinstance(view, WeightedRows) and view.people is not None else np.arange(len(x))
        units = int(people.max(initial=-1)) + 1
        expected = max(1.0, float(self.sampling.rate) * n)
        weights = np.zeros((width, self.loss.outputs))
        mean, tail, way = np.zeros_like(weights), self.steps - self.steps // 2, np.zeros_like(weights)
        carried = self.momentum(n)
        for step in range(self.steps):
            chosen = np.zeros(units + 1, bool)  # the last is nobody's place, −1
            chosen[drawn(self.sampling, units, bits)] = True
            kept = chosen[people]
            total = gradient.over([(x[kept], y[kept], share[kept])], weights)
            noisy = mechanism.release(total, bits) * 2.0**gradient.step_exponent
            way = carried * way + noisy.reshape(weights.shape) / expected
            weights = weights - self.pace * way
            if step >= self.steps - tail:
                mean += weights / tail
        return self.outcome(mean, n, self.steps, radius=gradient.rows.radius)

    @property
    def spending(self) -> SampledSteps:
        """What the count and the steps may each spend."""
        return SampledSteps(self.budget, self.sampling, self.steps)


@dataclass(eq=False, repr=False)
class DPSGD(ClassifierMixin, PrivateEstimator, BoundedParameters):  # type: ignore[misc]
    """Private classification by stochastic gradient descent of the logistic loss, or softmax for many classes.

    rate            the part of the rows in a step: each row by itself ("add-remove"), or a fixed number ("change-one")
    steps, pace     how many steps, and how long each is
    sampling        "poisson" or "fixed"; left out, the one that goes with the relation; the other is refused

    With many rows steps carry some of their way on (momentum), so that features that go together are told apart too; it
    is where so many steps end, and more of them come closer. The other parameters are those of `LogisticRegression`,
    which is better on data that fits in memory.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 1e-6
    classes: Any = None
    rate: Number = 0.1
    steps: int = 200
    pace: float = 8.0
    sampling: str | None = None
    fit_intercept: bool = True
    n_public: int | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from private rows, or from people's by `learning.from_frame`; charged once, before they are read."""
        rows = self._given(X, y, None)
        if isinstance(rows, TrainingData):
            return self._of_people(rows)
        assert isinstance(rows, Rows)
        return self._learned(rows, ClassLabels.of(self.classes, rows.target))

    def _of_people(self, rows: TrainingData) -> Self:
        if self.classes is None:
            raise InvalidParameter("classes= must be declared: people's rows are not searched for their labels")
        if rows.unit is not None and (rows.charged is not None or self._relation is not Relation.ADD_REMOVE):
            raise UnprovenClaim(
                "people are sampled one by one from a frame, by from_frame, under add-remove neighbors only: for a "
                "session use LogisticRegression"
            )
        return self._learned(rows, ClassLabels.of(self.classes, np.zeros(0)))

    def _learned(self, rows: Rows | TrainingData, known: ClassLabels) -> Self:
        notes = self._release(self._plan(rows, known), rows).notes
        self.coef_, self.intercept_ = self._unscaled(notes)
        self.classes_ = np.array(known.classes)
        self.n_iter_ = int(notes["steps"])
        return self

    def decision_function(self, X: Any) -> Matrix:
        """Scores: one for two classes (positive for the second), else one for each class."""
        return LogisticRegression.decision_function(self, X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest label of each row."""
        return LogisticRegression.predict(self, X)

    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each label, by the model."""
        return LogisticRegression.predict_proba(self, X)

    def _plan(self, rows: Rows | TrainingData, known: ClassLabels) -> SampledDescent:
        budget = replace(self._budget(counts=True), unit=unit_of(rows))
        if budget.pure:
            raise InvalidParameter("delta must be > 0 for descent on samples: the Gaussian's loss has no bound")
        for name in ("steps",):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {value!r}")
        if not isinstance(self.pace, int | float) or not 0 < self.pace < 1e6:
            raise InvalidParameter(f"pace must be a number between 0 and 1e6, got {self.pace!r}")
        kinds, count = len(known.classes), self._known_rows(rows)
        return SampledDescent(
            self._box(),
            ClippedLogistic(1.0) if kinds == 2 else ClippedSoftmax(kinds, math.sqrt(2)),
            budget,
            bool(self.fit_intercept),
            count,
            self._public(*(() if self.classes is not None else ("the set of labels",))),
            known,
            sampling_for(self._relation, self.rate, count, self.sampling),
            int(self.steps),
            float(self.pace),
        )
