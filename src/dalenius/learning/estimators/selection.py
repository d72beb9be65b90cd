"""Choosing features by a private criterion."""

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.targets import Span
from dalenius.learning.estimators.cost import synthetic
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.solvers.frank_wolfe import exact_least
from dalenius.mechanisms import MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, Lattice
from dalenius.numerics import Number, positive

CRITERIA = ("aic", "bic", "least squares")
_MOST_FEATURES, _ALL_SETS, _LARGEST_SET = 20, 6, 3
_DIGITS = 12
_UTILITY = Lattice(-20)
_GAP = 2.0**-10
"""The part of one row's largest loss that a minimum may be off by; it is paid for."""


@dataclass(frozen=True, slots=True)
class NoisyChoice(FitPlan):
    """The set of features with the least penalised squared error, by permute and flip.

    A set M scores min Σ(yᵢ − xᵢ·β)² + φ|M| over ‖β‖₁ ≤ R, features in [−1, 1], targets in [−1, 1], a constant among the
    features. One row raises every score, and by at most (1 + R)², since |x·β| ≤ ‖x‖∞‖β‖₁; so all scores move the same
    way and their differences by no more than that, and twice that under CHANGE_ONE  [A Ex 5.3, A Ex 5.4]. A minimum is
    found up to a certified gap, and twice the gap is added to that bound. Permute and flip errs less than the noisy
    minimum of the notes at the same ε.
    """

    box: Box
    span: Span
    budget: FitBudget
    rows: int | None
    public: tuple[str, ...]
    candidates: tuple[tuple[int, ...], ...]
    criterion: str
    size: Fraction
    variance: float

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "noisy choice",
            "box": self.box.facts(),
            "span": self.span.facts(),
            "rows": self.rows,
            "candidates": [list(each) for each in self.candidates],
            "criterion": self.criterion,
            "size": str(self.size),
            "variance": self.variance,
        }

    @property
    def moved(self) -> Fraction:
        """How far apart one row moves two scores, gap and rounding included; in real numbers."""
        one = (1 + self.size) ** 2
        return one * (1 + 2 * Fraction(_GAP)) + 2 * _UTILITY.step

    def mechanism(self) -> MonotonePermuteAndFlip | PermuteAndFlip:
        """The choice, at what is left of ε  [A Ex 5.4]."""
        kind = MonotonePermuteAndFlip if self.budget.relation is Relation.ADD_REMOVE else PermuteAndFlip
        spread = self.moved if self.budget.relation is Relation.ADD_REMOVE else 2 * self.moved
        return kind(spread / _UTILITY.step / self.budget.rest)

    def sensitivity(self) -> Sensitivity:
        """In steps of a score."""
        return Sensitivity(self.moved / _UTILITY.step, Metric.LINF)

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Count if need be, score all, choose one."""
        n = self.rows
        if n is None and self.criterion == "bic":
            n = self.budget.count(len(view), bits)
        scores = _UTILITY.toward_zero(np.array([-score for score in self.scores(view, n or 1)]))
        chosen = self.mechanism().release(scores, bits)
        return self.outcome(np.zeros((0, 0)), n, 1, chosen=list(self.candidates[chosen]))

    def scores(self, view: Rows, rows: int) -> Iterator[float]:
        """Each candidate's criterion; exact sums, minima with a certified gap."""
        gram = self._gram(view)
        penalty = {"aic": 2.0, "bic": math.log(rows), "least squares": 0.0}[self.criterion] * self.variance
        for candidate in self.candidates:
            places = [*candidate, self.box.features]
            matrix, products = gram[np.ix_(places, places)], gram[places, -1]
            yield least(matrix, products, float(gram[-1, -1]), float(self.size)) + penalty * len(candidate)

    def _gram(self, view: Rows) -> Matrix:
        """Σ of products of (features, 1, target), exact."""
        width = self.box.features + 2
        total = np.zeros((width, width), np.int64)
        for features, target in view.chunks():
            y = self.span.codes(target)
            whole = np.column_stack([self.box.scaled(features), np.ones(len(features)), y])
            whole[np.isnan(y)] = 0.0
            steps = np.trunc(whole * 2.0**_DIGITS)
            total += (steps.T @ steps).astype(np.int64)
        return np.asarray(total * 4.0**-_DIGITS, np.float64)


def least(matrix: Matrix, products: Matrix, squares: float, size: float) -> float:
    """The least βᵀAβ − 2b·β + c over ‖β‖₁ ≤ R, no more than the certified gap above the minimum, and never below it.

    The gap at β is ∇·β + R‖∇‖∞, the largest that a convex function can still fall to any point of the ball. Projected
    gradients name the signs, then the equations of those signs are solved. Where floats certify no point, exact steps
    find one: a value that stood in would show that they failed, which is the doing of rows.
    """
    allowed = (1 + size) ** 2 * _GAP
    smallest = None
    with suppress(np.linalg.LinAlgError):
        smallest = _certified(matrix, products, squares, size, allowed / 2)
    if smallest is None:
        smallest = float(exact_least(matrix, products, squares, Fraction(size), Fraction(allowed) / 2))
    return max(0.0, smallest)


def _certified(matrix: Matrix, products: Matrix, squares: float, size: float, allowed: float) -> float | None:
    for beta in _attempts(matrix, products, size):
        slope = 2 * (matrix @ beta - products)
        gap = float(slope @ beta + size * np.abs(slope).max(initial=0.0))
        if np.abs(beta).sum() <= size * (1 + 1e-12) and gap <= allowed:
            return float(beta @ matrix @ beta - 2 * products @ beta) + squares
    return None


def _attempts(matrix: Matrix, products: Matrix, size: float) -> Iterator[Matrix]:
    """Candidates for the minimum, better and better."""
    free = np.asarray(np.linalg.lstsq(matrix, products, rcond=None)[0], np.float64)
    if np.abs(free).sum() <= size:
        yield free
    pace = 1 / max(float(np.linalg.eigvalsh(matrix)[-1]), 1e-9)
    beta = ahead = _projected(free, size)
    momentum = 1.0
    for round_ in range(20_000):
        step = _projected(ahead - pace * (matrix @ ahead - products), size)
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead, beta, momentum = step + (momentum - 1) / following * (step - beta), step, following
        if round_ % 50 == 49:
            yield beta
            yield from _with_signs(matrix, products, beta, size)


def _with_signs(matrix: Matrix, products: Matrix, beta: Matrix, size: float) -> Iterator[Matrix]:
    """The minimum on the face of the ball that these signs name: A β + λ s = b, s·β = R."""
    kept = np.flatnonzero(np.abs(beta) > 1e-9)
    if kept.size:
        signs = np.sign(beta[kept])
        system = np.block([[matrix[np.ix_(kept, kept)], signs[:, None]], [signs[None, :], np.zeros((1, 1))]])
        solved = np.linalg.lstsq(system, np.append(products[kept], size), rcond=None)[0]
        weights = np.zeros_like(beta)
        weights[kept] = solved[:-1]
        yield weights * min(1.0, size / max(float(np.abs(weights).sum()), 1e-300))


def _projected(beta: Matrix, size: float) -> Matrix:
    """The nearest point with ‖β‖₁ ≤ R: all coordinates shrunk by one threshold."""
    lengths = np.sort(np.abs(beta))[::-1]
    if lengths.sum() <= size:
        return beta
    thresholds = (np.cumsum(lengths) - size) / np.arange(1, len(lengths) + 1)
    threshold = thresholds[np.flatnonzero(lengths > thresholds)[-1]]
    shrunk: Matrix = np.sign(beta) * np.maximum(np.abs(beta) - threshold, 0.0)
    return shrunk


def _left(X: Matrix, y: Matrix) -> float:
    """The part of the variance that least squares leaves."""
    design = np.column_stack([X, np.ones(len(X))])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(rest @ rest / (len(y) * np.var(y)))


@dataclass(eq=False, repr=False)
class PrivateSelection(SelectorMixin, PrivateEstimator, BoundedParameters):  # type: ignore[misc]
    """A feature selector for least squares with a purely ε-private criterion  [A Ex 5.3, A Ex 5.4].

    criterion       "bic", "aic" or "least squares"
    candidates      lists of feature numbers to choose among; left out, all sets of up to 6 features, or the
                    sets of at most 3 out of up to 20
    size            R, a bound on the sum of absolute coefficients, features and target scaled to [−1, 1]
    deviation       a public guess of the residual's spread, as a part of half the target's width; scales the penalty
    n_public        the number of rows, if public; for "bic" a private count takes a fiftieth of ε otherwise

    The other parameters are those of `LinearRegression`. `selected_` are the numbers of the chosen features.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    target_bounds: Any = None
    criterion: str = "bic"
    candidates: Any = None
    size: Number = 1
    deviation: float = 0.2
    n_public: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Choose from private rows; charged once, before they are read."""
        rows = self._rows(X, y)
        if self.criterion not in CRITERIA:
            raise InvalidParameter(f"criterion must be one of {', '.join(CRITERIA)}, got {self.criterion!r}")
        plan = NoisyChoice(
            self._box(),
            Span.declare(self.target_bounds),
            self._budget(counts=self.criterion == "bic"),
            self._known_rows(rows),
            self._public(),
            self._candidates(),
            self.criterion,
            positive(self.size, "size"),
            float(positive(self.deviation, "deviation")) ** 2,
        )
        self.selected_ = tuple(self._release(plan, rows).notes["chosen"])
        return self

    def cost_of_privacy(self, n: int, d: int, runs: int = 10) -> float:
        """How much more of the target's variance the chosen features leave than the best candidate does.

        By simulation on synthetic rows, as for a regressor: the mean over `runs`; spends nothing.
        """
        losses = []
        for _ in range(runs):
            X, y = synthetic(self, n, d, self.bits or Bits())
            chosen = clone(self).set_params(ledger=None, dataset=None, curator=None).fit(X, y)
            best = min(_left(X[:, list(each)], y) for each in chosen._candidates())
            losses.append(_left(X[:, list(chosen.selected_)], y) - best)
        return float(np.mean(losses))

    def transform(self, X: Any) -> Any:
        """The chosen columns; values are left as they are."""
        features = self._features(X, reset=False)
        return X.iloc[:, list(self.selected_)] if hasattr(X, "iloc") else features[:, list(self.selected_)]

    def _get_support_mask(self) -> NDArray[np.bool_]:
        mask = np.zeros(self.n_features_in_, bool)
        mask[list(self.selected_)] = True
        return mask

    def _candidates(self) -> tuple[tuple[int, ...], ...]:
        count = self.n_features_in_
        if self.candidates is None:
            if count > _MOST_FEATURES:
                raise InvalidParameter(f"{count} features have too many sets: name candidates=")
            largest = count if count <= _ALL_SETS else _LARGEST_SET
            return tuple(c for k in range(1, largest + 1) for c in combinations(range(count), k))
        try:
            given = tuple(tuple(sorted({int(place) for place in each})) for each in self.candidates)
        except (TypeError, ValueError):
            given = ()
        if not given or any(not each or each[0] < 0 or each[-1] >= count for each in given):
            raise InvalidParameter(f"candidates must be lists of feature numbers from 0 to {count - 1}")
        return given
