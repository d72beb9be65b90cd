"""Candidate events: scores of an output whose upper sets {score ≥ t} may tell x from x2.

The best events are upper sets of the likelihood ratio (Neyman and Pearson) [A Thm 3.4]; each score here is a guess at
one: a coordinate whose ratio is monotone, a table of ratios, a product of tables, a regression, boosted trees.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]
"""Named columns of some draws: numbers as floats, symbols as integers."""

_BINS, _HEAVY = 28, 12


class Score(ABC):
    """A function of one output, fixed once it is fitted."""

    name: str
    fixed: ClassVar[bool] = False
    """Whether fitting learns nothing, so that every draw may judge it."""

    @property
    def fitted(self) -> bool:
        """Whether it has learnt all that it will."""
        return self.fixed

    def sparse(self, columns: Columns) -> bool:
        """Whether it counts symbols, most of which may be rare."""
        return False

    def fit(self, first: Columns, second: Columns) -> "Score":
        """Learn from draws on x and on x2."""
        return self

    @abstractmethod
    def __call__(self, columns: Columns) -> Floats:
        """The score of each draw; NaN belongs to no event."""

    def event_text(self, threshold: float) -> str:
        """The event {score ≥ threshold} in words."""
        return f"{self.name} ≥ {threshold:.6g}"


@dataclass
class Nothing(Score):
    """The score of outputs that never vary: no event."""

    name: str = "a constant"
    fixed: ClassVar[bool] = True

    def __call__(self, columns: Columns) -> Floats:
        """Zero."""
        return np.zeros(len(columns["the whole output"]))

    def event_text(self, threshold: float) -> str:
        """No event."""
        return "no event: every output was the same"


@dataclass
class Tail(Score):
    """A numeric column as it is."""

    name: str
    fixed: ClassVar[bool] = True

    def __call__(self, columns: Columns) -> Floats:
        """The column."""
        column: Floats = columns[self.name]
        return column


@dataclass
class Ratios(Score):
    """The log ratio of how often a column takes a value: heavy values on their own, the rest in bins.

    Counts are smoothed by one, so a value seen once on x and never on x2 does not outrank one seen a hundred times.
    """

    column: str
    edges: Floats = field(default_factory=lambda: np.zeros(0))
    values: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    ratio: Floats = field(default_factory=lambda: np.zeros(1))
    bins: int = _BINS

    @property
    def name(self) -> str:  # type: ignore[override]
        """What the event calls it."""
        return f"log ratio of {self.column}"

    @property
    def fitted(self) -> bool:
        """Once its cells have ratios."""
        return len(self.ratio) > 1

    def sparse(self, columns: Columns) -> bool:
        """A column of symbols."""
        return columns[self.column].dtype.kind != "f"

    def fit(self, first: Columns, second: Columns) -> "Ratios":
        """Heavy values, quantile bins and their ratios."""
        a, b = first[self.column], second[self.column]
        both = np.concatenate([a, b])
        distinct, counts = np.unique(both, return_counts=True)
        numeric = both.dtype.kind == "f"
        heavy = counts >= (max(_HEAVY, len(both) // 400) if numeric else 2)
        values = distinct[heavy]
        edges = np.zeros(0)
        if numeric:
            values = values[~np.isnan(values)]
            rest = both[np.isfinite(both) & ~np.isin(both, values)]
            if len(rest) > 4 * self.bins:
                edges = np.unique(np.quantile(rest, np.linspace(0, 1, self.bins + 1)[1:-1]))
        fitted = Ratios(self.column, edges, values, bins=self.bins)
        cells = len(values) + len(edges) + 2
        one, other = (np.bincount(fitted._cells(side), minlength=cells) for side in (a, b))
        share = (len(a) + cells) / (len(b) + cells)
        ratio = np.log((one + 1.0) / (other + 1.0) / share)
        return Ratios(self.column, edges, values, ratio, self.bins)

    def _cells(self, column: NDArray[Any]) -> NDArray[np.int64]:
        """Which cell a value lies in: a heavy value's own, a bin, or the last one for NaN."""
        count = len(self.values)
        cell = count + np.searchsorted(self.edges, column) if column.dtype.kind == "f" else np.full(len(column), count)
        if column.dtype.kind == "f":
            cell = np.where(np.isnan(column), count + len(self.edges) + 1, cell)
        if count:
            at = np.clip(np.searchsorted(self.values, column), 0, count - 1)
            cell = np.where(self.values[at] == column, at, cell)
        numbers: NDArray[np.int64] = cell.astype(np.int64)
        return numbers

    def __call__(self, columns: Columns) -> Floats:
        """The ratio of the value's cell."""
        scores: Floats = self.ratio[self._cells(columns[self.column])]
        return scores

    def event_text(self, threshold: float) -> str:
        """The values or ranges whose ratio is at least the threshold."""
        chosen = np.flatnonzero(self.ratio >= threshold)
        count, pieces = len(self.values), []
        bounds = np.concatenate([[-np.inf], self.edges, [np.inf]])
        for cell in chosen[:6]:
            if cell < count:
                pieces.append(f"{self.values[cell]:g}" if self.values.dtype.kind == "f" else "a value")
            elif cell - count <= len(self.edges):
                low, high = bounds[cell - count], bounds[cell - count + 1]
                pieces.append("any other value" if not len(self.edges) else f"({low:.5g}, {high:.5g}]")
            else:
                pieces.append("NaN")
        more = f" and {len(chosen) - 6} more" if len(chosen) > 6 else ""
        return f"{self.column} in {{{', '.join(pieces)}{more}}}"


@dataclass
class Product(Score):
    """The sum of the log ratios of several columns: the whole ratio if they are independent."""

    columns: tuple[str, ...]
    tables: tuple[Ratios, ...] = ()
    name: str = "sum of the log ratios of all places"

    def fit(self, first: Columns, second: Columns) -> "Product":
        """A table for each column."""
        tables = tuple(Ratios(column, bins=12).fit(first, second) for column in self.columns)
        return Product(self.columns, tables)

    def __call__(self, columns: Columns) -> Floats:
        """The sum over the columns."""
        total: Floats = np.sum([table(columns) for table in self.tables], axis=0, dtype=np.float64)
        return total


@dataclass
class ScorePair(Score):
    """The log ratio over the cells of two columns together."""

    one: str
    other: str
    cuts: tuple[Floats, Floats] | None = None
    ratio: Floats = field(default_factory=lambda: np.zeros(1))

    @property
    def name(self) -> str:  # type: ignore[override]
        """What the event calls it."""
        return f"log ratio of {self.one} and {self.other} together"

    def fit(self, first: Columns, second: Columns) -> "ScorePair":
        """Quantile cuts of both, and the ratios of the cells."""
        cuts = tuple(
            np.unique(np.quantile(known, np.linspace(0, 1, 9)[1:-1])) if len(known) else np.zeros(0)
            for known in (
                both[np.isfinite(both)]
                for both in (np.concatenate([first[k], second[k]]) for k in (self.one, self.other))
            )
        )
        fitted = ScorePair(self.one, self.other, (cuts[0], cuts[1]))
        size = (len(cuts[0]) + 1) * (len(cuts[1]) + 1)
        a, b = (np.bincount(fitted._cells(side), minlength=size) for side in (first, second))
        ratio = np.log((a + 1.0) / (b + 1.0))
        return ScorePair(self.one, self.other, fitted.cuts, ratio)

    def _cells(self, columns: Columns) -> NDArray[np.int64]:
        assert self.cuts is not None
        rows, across = (
            np.searchsorted(cut, columns[name]) for cut, name in zip(self.cuts, (self.one, self.other), strict=True)
        )
        cells: NDArray[np.int64] = np.minimum(rows, len(self.cuts[0])) * (len(self.cuts[1]) + 1) + np.minimum(
            across, len(self.cuts[1])
        )
        return cells

    def __call__(self, columns: Columns) -> Floats:
        """The ratio of the cell."""
        scores: Floats = self.ratio[self._cells(columns)]
        return scores


@dataclass
class LogisticScore(Score):
    """Logistic regression on standardised columns, with a small ridge: the ratio of shifted Gaussians."""

    columns: tuple[str, ...]
    center: Floats = field(default_factory=lambda: np.zeros(0))
    spread: Floats = field(default_factory=lambda: np.zeros(0))
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    name: str = "logistic regression"

    def fit(self, first: Columns, second: Columns) -> "LogisticScore":
        """Newton's method."""
        a, b = (matrix_of(side, self.columns) for side in (first, second))
        X = np.concatenate([a, b])
        center = np.median(X, axis=0)
        spread = np.maximum(np.quantile(np.abs(X - center), 0.75, axis=0), 1e-12)
        X = np.column_stack([np.ones(len(X)), np.clip((X - center) / spread, -8, 8)])
        y = np.concatenate([np.ones(len(a)), np.zeros(len(b))])
        w = np.zeros(X.shape[1])
        ridge = 1e-3 * len(X) * np.eye(len(w))
        for _ in range(8):
            p = 1 / (1 + np.exp(-np.clip(X @ w, -30, 30)))
            hessian = (X * (p * (1 - p))[:, None]).T @ X + ridge
            w = w + np.linalg.solve(hessian, X.T @ (y - p) - ridge @ w)
        return LogisticScore(self.columns, center, spread, w)

    def __call__(self, columns: Columns) -> Floats:
        """The linear part."""
        X = np.clip((matrix_of(columns, self.columns) - self.center) / self.spread, -8, 8)
        scores: Floats = X @ self.weights[1:]
        return scores


@dataclass
class Trees(Score):
    """Boosted trees of scikit-learn on all columns: events in several coordinates at once."""

    columns: tuple[str, ...]
    model: Any = None
    name: str = "boosted trees"
    fixed: ClassVar[bool] = True  # fitted by the caller on one half alone: trees are the costly part

    def fit(self, first: Columns, second: Columns) -> "Trees":
        """Few shallow trees: the select slice decides whether they were worth it."""
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits

        a, b = (matrix_of(side, self.columns) for side in (first, second))
        model = HistGradientBoostingClassifier(
            max_iter=30, max_leaf_nodes=8, learning_rate=0.2, min_samples_leaf=30, max_bins=64, early_stopping=False
        )
        with threadpool_limits(1):  # on few rows threads cost ten times what they give
            model.fit(np.concatenate([a, b]), np.r_[np.ones(len(a)), np.zeros(len(b))])
        return Trees(self.columns, model)

    def __call__(self, columns: Columns) -> Floats:
        """The decision function."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            scores: Floats = self.model.decision_function(matrix_of(columns, self.columns))
        return scores


def matrix_of(columns: Columns, names: tuple[str, ...]) -> Floats:
    """The named columns side by side, with a far number where there is none."""
    joined: Floats = np.column_stack([columns[name] for name in names])
    return np.nan_to_num(joined, nan=-1e6, posinf=1e12, neginf=-1e12)
