"""K-means clustering."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.estimators.estimator import PrivateEstimator
from dalenius.learning.estimators.parameters import BoundedParameters
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.tallies import DIGITS, Integers, Reach, deviation, released, tallied
from dalenius.neighbors import Relation
from dalenius.noise import Bits

_PLACE_DIGITS = 18
"""Rows and centres are compared in steps of 2⁻¹⁸: distances of up to 2¹³ features are exact in floats."""
_CANDIDATES = 64
_MOST = 1000


@dataclass(frozen=True, slots=True)
class NoisyLloyd(FitPlan):
    """A fixed number of Lloyd's steps with noisy counts and sums; the first centres come from chance and bounds alone.

    In each step a row adds (1, z) to the cluster of the nearest centre, z its features in [−1, 1]: by at most 1 + d in
    ℓ1 and in ℓ2 squared. The centres that it is compared with were released, and the comparison is of whole numbers, so
    what a row adds is its own doing. Steps share the budget evenly  [A Thm 3.3, A §13.8 GDP composition].
    """

    box: Box
    clusters: int
    steps: int
    budget: FitBudget
    public: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {"method": "noisy Lloyd", "box": self.box.facts(), "clusters": self.clusters, "steps": self.steps}

    def reach(self) -> Reach:
        """How far one unit moves the sums of a step  [A Ex 3.4, A Rem 3.9].

        A row replaced: twice in ℓ1; in ℓ2 squared 2(1 + d) in two clusters, 4d in one.
        """
        d = self.box.features
        if self.budget.relation is Relation.ADD_REMOVE:
            return Reach(Fraction(1 + d), Fraction(1 + d))
        return Reach(Fraction(2 * (1 + d)), Fraction(max(2 * (1 + d), 4 * d)))

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Draw centres, then move them."""
        centres = first_centres(self.clusters, self.box.features, bits)
        mechanism = self.reach().noise(self.budget, self.steps)
        sizes = np.zeros(self.clusters)
        for _ in range(self.steps):
            sums = tallied(self.parts(view, centres), self.clusters, 1 + self.box.features)
            noisy = released(mechanism, sums, bits)
            sizes = np.maximum(noisy[:, 0], 0.0)
            # a mean over fewer rows than the noise counts for would be noise: such a centre stays
            clear = noisy[:, 0] > 2 * deviation(mechanism)
            moved = np.clip(noisy[:, 1:] / np.maximum(noisy[:, :1], 1.0), -1, 1)
            centres = np.where(clear[:, None], moved, centres)
        return Outcome((), notes={"centres": centres.tolist(), "sizes": sizes.tolist()})

    def parts(self, view: Rows, centres: Matrix) -> Iterator[tuple[Integers, Matrix]]:
        """The cluster of each row, and what it adds, in steps."""
        for features, _ in view.chunks():
            z = self.box.scaled(features)
            steps = np.trunc(z * 2.0**DIGITS)
            yield nearest(z, centres), np.column_stack([np.full(len(z), 2.0**DIGITS), steps])


def nearest(z: Matrix, centres: Matrix) -> Integers:
    """Which centre is nearest, the first of equals: exact, so it does not depend on the other rows.

    ‖c‖² − 2 z·c in whole numbers of steps 2⁻³⁶: below 2⁵² for 2¹³ features.
    """
    rows, places = np.trunc(z * 2.0**_PLACE_DIGITS), np.trunc(centres * 2.0**_PLACE_DIGITS)
    closest: Integers = ((places * places).sum(axis=1) - 2 * (rows @ places.T)).argmin(axis=1).astype(np.int64)
    return closest


def first_centres(count: int, features: int, bits: Bits) -> Matrix:
    """Points of the box [−1, 1]^d that lie apart: each is the best of some random ones. Free of the data."""
    drawn = 2 * (bits.words(np.uint32, count * _CANDIDATES * features) / 2.0**32).reshape(-1, _CANDIDATES, features) - 1
    centres = drawn[0, :1] * 0.5
    for candidates in drawn[1:]:
        apart = ((candidates[:, None] - centres) ** 2).sum(axis=2).min(axis=1)
        # as far from the rim as from half the others, as spheres are packed
        rim = (2 * (1 - np.abs(candidates)).min(axis=1)) ** 2 if features <= 3 else np.inf
        centres = np.vstack([centres, candidates[np.minimum(apart, rim).argmax()]])
    return centres


@dataclass(eq=False, repr=False)
class KMeans(TransformerMixin, PrivateEstimator, BoundedParameters):  # type: ignore[misc]
    """Private clustering by Lloyd's steps with noisy counts and sums.

    n_clusters   how many centres
    n_steps      how many of Lloyd's steps: each costs its part of the budget, so few are better

    The other parameters are those of `LinearRegression`. `cluster_centers_` and `cluster_sizes_` are released. There is
    no `labels_`: which cluster a training row is in is private; `predict` tells whoever has rows.
    """

    n_clusters: int = 8
    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 0.0
    n_steps: int = 5

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from private rows; charged once, before they are read. `y` is not looked at."""
        features = self._features(X, reset=True)
        rows = Rows(features, np.zeros(len(features)))
        self._known_rows(rows)
        clusters, steps = _whole("n_clusters", self.n_clusters, _MOST), _whole("n_steps", self.n_steps, _MOST)
        plan = NoisyLloyd(self._box(), clusters, steps, self._budget(counts=False), self._public())
        plan.reach().noise(plan.budget, steps)  # a budget too small for exact noise is refused before the charge
        notes = self._release(plan, rows).notes
        self._fitted_box = box = plan.box
        self._centres = np.array(notes["centres"])
        self.cluster_centers_ = self._centres * box.half + box.middle
        self.cluster_sizes_ = np.array(notes["sizes"])
        self.n_iter_ = steps
        return self

    def predict(self, X: Any) -> Integers:
        """The number of the nearest centre for each row, where every feature is scaled by its bounds."""
        features = self._features(X, reset=False)
        return nearest(self._fitted_box.scaled(features), self._centres)

    def fit_predict(self, X: Any, y: Any = None) -> Integers:
        """`fit`, then `predict` of the same rows: exact, so no public numbers."""
        return self.fit(X).predict(X)

    def transform(self, X: Any) -> Matrix:
        """The distance of each row from each centre, in the units of the data."""
        features = self._held(X)
        with np.errstate(all="ignore"):
            distances: Matrix = np.sqrt(((features[:, None, :] - self.cluster_centers_) ** 2).sum(axis=2))
        return distances

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the sum of squared distances from the nearest centre. Exact, so on private rows no public number."""
        with np.errstate(all="ignore"):
            return -float((self.transform(X) ** 2).min(axis=1).sum())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


def _whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
        raise InvalidParameter(f"{name} must be a whole number from 1 to {most}, got {value!r}")
    return int(value)
