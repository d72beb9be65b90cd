"""What an answer knows of the mean of one group: noisy sums, and what bounds the spread of its people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.curator import Measured, Release, Shown
from dalenius.curator.formula import Cell, Formula, Held, Linear, Ratio
from dalenius.errors import UnknownName, UnprovenClaim
from dalenius.inference.arguments import check_not_picked
from dalenius.inference.cells import ReleasedCells
from dalenius.inference.noise import Floats, ReleaseNoise
from dalenius.inference.sampling import contributions_of


@dataclass(frozen=True, slots=True)
class Summary:
    """Noisy parts whose sums, with constant weights, are Σx and the number of rows, each x in [low, high].

    `squares` are the weights that make Σ(x − low)² of the parts, where that was released. `contributions` is how many
    rows of one person count in full.
    """

    parts: Floats
    noises: tuple[ReleaseNoise, ...]
    total: Floats
    count: Floats
    low: float
    high: float
    squares: Floats | None = None
    total_constant: float = 0.0
    count_constant: float = 0.0
    contributions: int = 1
    yes_or_no: bool = False
    """Whether each x is low or high and nothing between."""

    @property
    def size(self) -> float:
        """The noisy number of rows, or the public one."""
        return float(self.count @ self.parts) + self.count_constant

    @property
    def sum(self) -> float:
        """The noisy Σx."""
        return float(self.total @ self.parts) + self.total_constant

    @property
    def estimate(self) -> float:
        """The mean, held in the bounds; their middle where nobody seems to be there."""
        if self.size <= 0:
            return (self.low + self.high) / 2
        return min(self.high, max(self.low, self.sum / self.size))

    def excess(self, m: Floats) -> Floats:
        """Σ(x − m), noise included: 0 on average where m is the mean."""
        return self.sum - m * self.size

    def weights(self, m: Floats) -> Floats:
        """How much the noise of each part weighs in `excess`: a row for each part."""
        return self.total[:, None] - np.atleast_1d(m)[None, :] * self.count[:, None]

    def noise_variance(self, m: Floats) -> Floats:
        """The variance of the noise in `excess`."""
        variances = np.array([noise.variance for noise in self.noises])
        return np.asarray((self.weights(m) ** 2 * variances[:, None]).sum(axis=0))

    def noise_cumulant(self, m: Floats) -> Floats:
        """The fourth cumulant of the noise in `excess`."""
        fourth = np.array([noise.fourth_cumulant for noise in self.noises])
        return np.asarray((self.weights(m) ** 4 * fourth[:, None]).sum(axis=0))

    def spread(self, m: Floats) -> Floats:
        """At least the variance of Σ(x − m) over draws of people, if m is the mean of the population.

        The rows of one person weigh T together at most, so with s their weight and r their own mean the square of
        their part is s²(r − m)² ≤ T·Σw(x − m)², by Cauchy and Schwarz: T times the spread of rows will do, whatever
        rows a person has. Of rows that are not known better, Σ(x − m)² is n(m − low)(high − m) on average, at most
        [BD00].
        """
        most = np.maximum(self.size, 0.0) * (m - self.low) * (self.high - m)
        if self.squares is None or self.yes_or_no:
            return np.asarray(self.contributions * most)
        shifted = m - self.low
        total = self.sum - self.low * self.size
        about = float(self.squares @ self.parts) - 2 * shifted * total + shifted**2 * self.size
        # one standard error of its own noise on top: too small a spread is worse than too large a one
        return np.asarray(self.contributions * np.clip(about + self._doubt(shifted), 0.0, np.maximum(most, 0.0)))

    def _doubt(self, shifted: Floats) -> Floats:
        """The standard error of the noise in Σ(x − m)²."""
        assert self.squares is not None
        total = self.total - self.low * self.count
        at = np.atleast_1d(shifted)[None, :]
        weights = self.squares[:, None] - 2 * at * total[:, None] + at**2 * self.count[:, None]
        variances = np.array([noise.variance for noise in self.noises])
        return np.asarray(np.sqrt((weights**2 * variances[:, None]).sum(axis=0)))


def of_cells(cells: ReleasedCells, contributions: int = 1) -> Summary:
    """A share as the mean of 1 for the one cell and 0 for the others."""
    numbers = (cells.one, *cells.others)
    ones = np.ones(len(numbers))
    return Summary(
        parts=np.array([number.value for number in numbers]),
        noises=tuple(number.noise for number in numbers),
        total=np.array([1.0, *([0.0] * len(cells.others))]),
        count=ones,
        low=0.0,
        high=1.0,
        contributions=contributions,
        yes_or_no=True,
    )


def mean_columns(release: Release) -> list[Shown]:
    """The columns of an answer that are means: AVG, and ratios of sums in public bounds."""
    return [item for item in release.outcome.numbers if mean_form(item.formula) is not None]


def summary_of(release: Release, formula: Formula, row: int) -> Summary:
    """What an answer knows of the mean that a formula is, in one of its rows."""
    shape = mean_form(formula)
    assert shape is not None
    return _summary(release, shape, row, stated_contributions(release))


def stated_contributions(release: Release) -> int:
    """How many rows of one person count in full, refused where the release does not say."""
    most = contributions_of(release)
    if most is None:
        raise UnprovenClaim(
            f"the release does not say how many rows of a {release.unit.column} count in full: ask again"
        )
    return most


def labelled_rows(release: Release) -> list[tuple[Any, int]]:
    """The key of each row that the answer shows, None where it has no keys, and the row's place."""
    keys = release.outcome.keys
    rows = release.outcome.rows().tolist()
    return [(None if keys is None else _label(keys.rows[row]), row) for row in rows]


def summaries(release: Release, column: str | None, what: str) -> dict[Any, Summary]:
    """A summary for each key of the answer, or one under the key None."""
    check_not_picked(release)
    means = mean_columns(release)
    if column is not None:
        means = [item for item in means if item.name == column]
        if not means:
            raise UnknownName(f"the answer has no mean called {column!r}")
    if len(means) != 1:
        raise UnprovenClaim(f"{what} needs an answer with one mean: ask for AVG(x), or say which with column=")
    return {label: summary_of(release, means[0].formula, row) for label, row in labelled_rows(release)}


def _label(key: tuple[Any, ...]) -> Any:
    return key[0] if len(key) == 1 else key


_Shape = tuple[Linear, Linear, float, float]


def mean_form(formula: Formula) -> _Shape | None:
    """Σx and the number of rows as sums of parts, and the bounds of the mean."""
    if isinstance(formula, Ratio):
        total, count = formula.part.linear(), formula.whole.linear()
        assert total is not None
        assert count is not None
        return total, count, float(formula.low), float(formula.high)
    if isinstance(formula, Held) and (inner := formula.of.linear()) is not None and len(inner.terms) == 1:
        low, high = formula.low, formula.high
        if inner.constant == (low + high) / 2 and inner.terms[0][1] > 0:
            rows = (high - low) / 2 / inner.terms[0][1]  # the mean of a public number of rows: middle + half/rows · sum
            if rows.denominator == 1:
                return inner.times(rows), Linear.of({}, rows), float(low), float(high)
    return None


def _summary(release: Release, shape: _Shape, row: int, contributions: int) -> Summary:
    total, count, low, high = shape
    names = sorted({name for name, _ in (*total.terms, *count.terms)}, key=_order(release))
    columns = {c.name: c for c in release.outcome.columns if isinstance(c, Measured)}
    weights = [np.array([float(dict(form.terms).get(name, 0)) for name in names]) for form in (total, count)]
    return Summary(
        parts=np.array([float(columns[name].values[row]) for name in names]),
        noises=tuple(ReleaseNoise.of(columns[name].mechanism, columns[name].lattice.step) for name in names),
        total=weights[0],
        count=weights[1],
        low=low,
        high=high,
        squares=_squares(weights[0], weights[1], low, high),
        total_constant=float(total.constant),
        count_constant=float(count.constant),
        contributions=contributions,
    )


def _order(release: Release) -> Any:
    places = {column.name: place for place, column in enumerate(release.outcome.columns)}
    return lambda name: places[name]


def _squares(total: Floats, count: Floats, low: float, high: float) -> Floats | None:
    """The weights of Σ(x − low)², if the parts are the sums of (1 − t)², 2t(1 − t) and t²: of t they are 0, ½ and 1."""
    if total.size != 3 or not np.all(count > 0):
        return None
    places = (total - low * count) / ((high - low) * count)
    if not np.allclose(places, [0.0, 0.5, 1.0], atol=1e-9):
        return None
    return np.asarray((high - low) ** 2 * count * np.array([0.0, 0.0, 1.0]))


def bare_counts(release: Release) -> Sequence[Shown]:
    """The columns of an answer that are counts as released."""
    names = {c.name for c in release.outcome.columns if isinstance(c, Measured) and c.counts}
    return [i for i in release.outcome.numbers if isinstance(i.formula, Cell) and i.formula.name in names]
