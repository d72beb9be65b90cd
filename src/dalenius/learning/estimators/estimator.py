"""The base of all private estimators: parameters, input by rule, and a ledger that copies are charged to as well."""

import copy
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from dalenius.calls import Readable
from dalenius.curator import Curator, Outcome
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows
from dalenius.learning.data.rows import Matrix, Rows, numbers, vector
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Span
from dalenius.learning.data.training_data import TrainingData
from dalenius.learning.data.weighted_rows import WeightedRows, clamped
from dalenius.learning.estimators.cost import cost_of_privacy
from dalenius.learning.estimators.fitted import features_of
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.gate import answers_questions, gate_for
from dalenius.learning.plans.loaded_fit import LoadedFit
from dalenius.learning.plans.searched_bounds import SearchedBounds, sought
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.progress import working

SHARED = ("ledger", "curator", "bits")
"""Parameters that a clone shares with its original: what is spent is spent for both."""


GivenRows = AnyRows | TrainingData
"""What a fit is given: rows, or rows of people that are read once they are paid for."""


class PrivateEstimator(Readable, BaseEstimator):  # type: ignore[misc]
    """An estimator whose fit is a plan: priced before data is read, and charged if there is a ledger.

    `clone`, `cross_val_score` and `GridSearchCV` make copies; all are charged to the one ledger, each fit anew.
    """

    epsilon: Any
    delta: Any = 0
    bounds: Any
    fit_intercept: Any
    relation: Any
    n_public: Any = None
    ledger: Any
    dataset: Any
    curator: Any
    bits: Any
    largest_weight: Any = 1.0
    _declared_bounds: Any = None
    _fitted_box: Box
    _fitted_unit: UnitRows

    def _instead_of(self, name: str) -> str | None:
        return "it is there once fit(X, y) has run" if name.endswith("_") and not name.startswith("_") else None

    def __sklearn_clone__(self) -> Self:
        parameters = self.get_params(deep=False)
        kept = {name: parameters.pop(name) for name in SHARED if name in parameters}
        return type(self)(**{name: clone(value, safe=False) for name, value in parameters.items()}, **kept)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        for name, value in vars(self).items():
            new.__dict__[name] = value if name in SHARED else copy.deepcopy(value, memo)
        return new

    def __getattribute__(self, name: str) -> Any:
        # scikit-learn asks for the method before it fits a fold, so that a refusal comes before any charge
        if name == "score" and answers_questions(vars(self).get("curator")):
            raise UnprovenClaim(
                "a session shows no exact scores of rows: use cross_validate of this package, "
                "or score predictions for rows that are public"
            )
        return super().__getattribute__(name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        tags.non_deterministic = True
        return tags

    def cost_of_privacy(self, n: int, d: int, runs: int = 10) -> float:
        """How much worse than a plain model this one is expected to be on n rows of d features; spends nothing.

        By simulation on synthetic rows: see `learning.cost`.
        """
        return cost_of_privacy(self, n, d, runs, self.bits or Bits())

    def _streamed(self, rows: StreamedRows) -> StreamedRows:
        """Rows of a source; their names are noted as those of a frame are."""
        self.n_features_in_ = len(rows.features)
        self.feature_names_in_ = np.array(rows.features, object)
        return rows

    def _features(self, X: Any, reset: bool) -> Matrix:
        """The features as floats, their names and number noted or compared."""
        if isinstance(X, TrainingData):
            raise UnprovenClaim(
                f"{type(self).__name__} protects rows, and has no rule for people with many: use LinearRegression, "
                "LogisticRegression, HuberRegression, PoissonRegression or DPSGD"
            )
        return features_of(self, X, reset)

    def _rows(self, X: Any, y: Any) -> Rows:
        """What fit was given; an empty table is refused under CHANGE_ONE, where its size is public."""
        features = self._features(X, reset=True)
        return Rows(features, vector(y, len(features)))

    def _given(self, X: Any, y: Any, sample_weight: Any) -> GivenRows:
        """What fit was given: arrays with perhaps a weight for each row, or rows of people."""
        self._declared_bounds = None
        if not isinstance(X, TrainingData):
            return self._weighted(self._rows(X, y), sample_weight)
        if y is not None or sample_weight is not None:
            raise InvalidParameter("rows of people hold their target and weights: give fit them alone")
        if self.n_public is not None:
            raise InvalidParameter("n_public is a number of rows: leave it out for people, whose weight is counted")
        self.n_features_in_, self.feature_names_in_ = len(X.features), np.array(X.features, object)
        self._declared_bounds = X.bounds
        return X

    def _weighted(self, rows: Rows, sample_weight: Any) -> Rows | WeightedRows:
        """Rows that count by declared weights, each held to the largest that is declared."""
        if sample_weight is None:
            return rows
        largest = self.largest_weight
        if isinstance(largest, bool) or not isinstance(largest, int | float) or not 0 < largest < 1e9:
            raise InvalidParameter(f"largest_weight must be a number between 0 and 1e9, got {largest!r}")
        given = vector(sample_weight, len(rows), "sample_weight")
        return WeightedRows(rows.features, rows.target, clamped(numbers(given), float(largest)), None, float(largest))

    def _held(self, X: Any) -> Matrix:
        """Features by the rule of training: inside their bounds, the middle for what is no number."""
        features, box = self._features(X, reset=False), self._fitted_box
        with np.errstate(all="ignore"):
            return box.scaled(features) * box.half + box.middle

    def _score(self, X: Any) -> Matrix:
        """The linear predictors of rows that are shrunk as in training, toward the middle of a target's bounds."""
        middle = self._fitted_span.middle if hasattr(self, "_fitted_span") else 0.0
        with np.errstate(all="ignore"):
            scores = self._held(X) @ np.atleast_2d(self.coef_).T + (self.intercept_ - middle)
            if self._fitted_unit.radius < self._fitted_unit.full:
                scores = scores * self._fitted_unit.shares(self._features(X, reset=False))[:, None]
            finite: Matrix = np.nan_to_num(scores + middle)
        return finite

    def _unscaled(self, notes: Mapping[str, Any]) -> tuple[Matrix, Matrix]:
        """(coefficients, intercepts) in the units of the data, of what a plan has released."""
        centre, box = notes.get("centre"), notes.get("box")
        # what is changed in the parameters later does not change a fitted model
        self._fitted_box = self._box() if box is None else Box(tuple(box["lower"]), tuple(box["upper"]))
        if sought(self.bounds) is not None:
            self.bounds_ = np.array(self._fitted_box.lower), np.array(self._fitted_box.upper)
        about = None if centre is None else tuple(centre)
        self._fitted_unit = UnitRows(self._fitted_box, 1, bool(self.fit_intercept), about, notes.get("radius"))
        return self._fitted_unit.unscaled(np.array(notes["weights"]).T)

    def _declared_span(self, rows: GivenRows, given: Any) -> Span | None:
        """The target's bounds: the model's own, or those that the owner of people's rows declared; None if sought."""
        if given is None and isinstance(rows, TrainingData):
            given = rows.target_bounds
        return None if sought(given) is not None else Span.declare(given)

    def _target_span(self, notes: Mapping[str, Any], declared: Span | None) -> Span:
        """The target's bounds: as declared, or as they were found."""
        if declared is not None:
            return declared
        span = Span(notes["span"]["lower"], notes["span"]["upper"])
        self.target_bounds_ = (span.lower, span.upper)
        return span

    def _box(self) -> Box:
        return self._box_of(self.n_features_in_)

    def _box_of(self, features: int) -> Box:
        return Box.declare(self._declared_bounds if self.bounds is None else self.bounds, features)

    def _with_bounds(
        self,
        plan: Callable[[Box, Span | None, FitBudget], FitPlan],
        budget: FitBudget,
        public: tuple[str, ...],
        span: Span | None = None,
        target: Any = None,
        added: bool = False,
    ) -> FitPlan:
        """The plan within declared bounds, or one that finds them first where they are to be found."""
        wanted, beside = sought(self.bounds), sought(target)
        box = None if wanted is not None else self._box()
        search = wanted or beside
        if search is None:
            return plan(self._box(), span, budget)
        if wanted is not None and beside is not None and wanted != beside:
            raise InvalidParameter("bounds and target_bounds must ask for the same search: one share pays for both")
        made = SearchedBounds(budget, public, search, self.n_features_in_, box, span, beside is not None, plan, added)
        made.facts()  # a plan that no bounds would make valid is refused here, before anything is charged
        return made

    def _budget(self, counts: bool) -> FitBudget:
        counted = counts and self._relation is Relation.ADD_REMOVE and self.n_public is None
        return FitBudget.of(self.epsilon, self.delta, self._relation, counted)

    @property
    def _relation(self) -> Relation:
        return Relation.of(self.relation)

    def _known_rows(self, rows: GivenRows) -> int | None:
        """The number of rows where it is public: declared, or counted under CHANGE_ONE."""
        given = self.n_public
        if given is not None and (isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1):
            raise InvalidParameter(f"n_public must be a whole number ≥ 1, got {given!r}")
        if self._relation is Relation.CHANGE_ONE:
            if isinstance(rows, WeightedRows | TrainingData):
                return None if given is None else int(given)
            if len(rows) == 0:
                raise InvalidParameter("Found array with 0 sample(s) while a minimum of 1 is required.")
            return len(rows)
        return None if given is None else int(given)

    def _public(self, *more: str) -> tuple[str, ...]:
        """What the proof takes as known to everybody."""
        if self._relation is Relation.CHANGE_ONE:
            return ("the number of rows", *more)
        return ("the number of rows, as declared", *more) if self.n_public is not None else more

    def _release(self, plan: FitPlan, rows: GivenRows) -> Outcome:
        """The outcome of a plan: through the ledger if there is one, else straight."""
        from dalenius.learning.estimators.check import warn_of_leaks  # knows all estimators

        warn_of_leaks()
        self.guarantee_ = plan.guarantee
        if isinstance(rows, TrainingData):
            plan = LoadedFit(plan, rows.source)
        gate = self._gate(rows)
        self.charged_to_ = "no ledger: this fit counts against no budget" if gate is None else gate.dataset
        with (
            working(f"fitting {type(self).__name__}"),
            np.errstate(all="ignore"),
        ):  # under np.seterr(all="raise") an exception would tell of a row
            if gate is None:
                return plan.run(rows, self.bits or Bits())
            # another fit is another draw and another charge, never an old answer
            return gate.release(plan, fresh=True).outcome

    def _gate(self, rows: GivenRows) -> Curator[Any] | None:
        curator = self.curator
        if isinstance(rows, TrainingData) and rows.charged is not None:
            if curator is not None and curator is not rows.charged:
                raise InvalidParameter("these rows are charged to the session that they come from: leave curator out")
            curator = rows.charged
        return gate_for(rows, curator, self.ledger, self.dataset, self.bits)
