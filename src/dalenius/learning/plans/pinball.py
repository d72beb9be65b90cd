"""Quantile regression by the K-norm gradient and by the exponential mechanism, drawn exactly from finite sets."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.plans.region import FINE
from dalenius.learning.plans.region_plan import RegionPlan
from dalenius.mechanisms import Ranks
from dalenius.mechanisms.rank_choice import RankChoice
from dalenius.noise import Bits
from dalenius.noise.choice import Choice
from dalenius.numerics import Number, probability

MOST_COEFFICIENTS = 3
CELLS = 1 << 20
"""Of the interval [−B, B] where there is one coefficient."""
_HALF_GRIDS = {1: 1 << 11, 2: 128, 3: 20}
"""Points on either side of 0 along each axis, by the number of coefficients."""
_CELL_DIGITS, _GRID_DIGITS = 14, 10
_FINEST_LEVEL = 1000


def quantile_level(level: Number) -> Fraction:
    """A level between 0 and 1 with a denominator of at most 1000."""
    fraction = probability(level, "level")
    if not 0 < fraction < 1 or fraction.denominator > _FINEST_LEVEL:
        raise InvalidParameter(f"level must lie between 0 and 1, with at most 3 decimals, got {level}")
    return fraction


@dataclass(frozen=True, slots=True)
class Pinball(RegionPlan):
    """Rows, bounds and level that the three draws share: loss Σ ρ(y − x·θ), ρ(r) = r(level − 1[r < 0])."""

    level: Fraction

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return RegionPlan.facts(self) | {"level": str(self.level)}

    @property
    def rows(self) -> UnitRows:
        """Rows of the unit ball."""
        return UnitRows(self.box, _GRID_DIGITS, self.intercept)

    @property
    def steep(self) -> Fraction:
        """The steepest slope of ρ."""
        return max(self.level, 1 - self.level)

    def outcome_at(self, theta: Matrix) -> Outcome:
        """The drawn coefficients."""
        return self.outcome(theta[:, None], None, 1, stopped=False)


@dataclass(frozen=True, slots=True)
class PinballCells(Pinball):
    """One coefficient: a cell of [−B, B], with probability ∝ exp(−ε/(2Δ) min |gradient| in it)  [A Thm 7.11].

    The gradient t − Σ{|x| : y/x < θ}, with t = level·Σ{x : x > 0} + (1 − level)·Σ{|x| : x < 0}, is constant between
    the places y/x, so its distance from 0 is that of a weighted rank from t: what `RankChoice` draws from, piece by
    piece, without a float. A row moves t minus any rank by at most max(level, 1 − level)·|x|, two rows by twice that. A
    row whose place lies outside of [−B, B] is counted in the cell next to it. Places are exact quotients of whole
    numbers.
    """

    @property
    def method(self) -> str:
        return f"K-norm gradient, pinball loss, {CELLS} cells"

    @property
    def rows(self) -> UnitRows:
        """Rows of the unit ball."""
        return UnitRows(self.box, _CELL_DIGITS, self.intercept)

    def scale(self) -> Fraction:
        """2Δ/ε, in steps  [A Thm 7.11]."""
        return 2 * self.moved_rows * self.steep * (1 << _CELL_DIGITS) / self.budget.epsilon

    def law(self, view: Rows) -> RankChoice:
        """That of the cell."""
        places, weights, target = [], [], Fraction(0)
        for features, values in view.chunks():
            x, y = self.rows.steps_with(features, self.span.codes(values))
            x, y = x[:, 0].astype(np.int64), y.astype(np.int64)
            rising, falling = int(x[x > 0].sum()), -int(x[x < 0].sum())
            target += self.level * rising + (1 - self.level) * falling
            held = x != 0
            places.append(self._cells(x[held], y[held]))
            weights.append(np.abs(x[held]))
        empty = np.zeros(0, np.int64)
        ranks = Ranks.of(np.concatenate([empty, *places]), np.concatenate([empty, *weights]), size=CELLS)
        return RankChoice(ranks, target, self.scale())

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """One draw: the middle of the cell."""
        cell = self.law(view).sample(bits)
        return self.outcome_at(np.array([float(self.region.radius * (2 * cell + 1 - CELLS) / CELLS)]))

    def _cells(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
        """⌊(y/x + B)·cells/(2B)⌋, with B = wholes/FINE: numbers below 2⁶², since wholes < 2¹⁸."""
        sign, size, wholes = np.sign(x), np.abs(x), self.region.wholes
        far = np.clip(sign * y * FINE, -2 * size * wholes, 2 * size * wholes)  # |y/x| beyond 2B counts as 2B
        # the whole part and the rest, lest CELLS times the numerator leave int64
        place, rest = np.divmod(far + wholes * size, 2 * wholes * size)
        cell: NDArray[np.int64] = place * CELLS + rest * CELLS // (2 * wholes * size)
        return cell


@dataclass(frozen=True, slots=True)
class PinballGrid(Pinball):
    """Up to three coefficients, of a public grid in Θ: every point's score is a whole number, the choice exact.

    The grid is the range of the mechanism, fixed beforehand; nothing is claimed about what lies between its points. It
    is walked line by line along the last axis, where a residual changes its sign at one place.
    """

    def points(self) -> NDArray[np.int64]:
        """The grid, in units of B/m: all whole vectors of length at most m, line by line."""
        return np.vstack([self._line(lead)[0] for lead in self._leads()])

    @abstractmethod
    def choice(self, view: Rows) -> Choice:
        """The law of the point."""

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """One draw."""
        at = int(self.choice(view).sample(bits, 1)[0])
        return self.outcome_at(self.points()[at] * float(self.region.radius) / self._half)

    @property
    def _half(self) -> int:
        return _HALF_GRIDS[self.rows.width]

    def _leads(self) -> Iterator[tuple[int, ...]]:
        """The first coordinates of each line."""
        m = self._half
        for lead in product(range(-m, m + 1), repeat=self.rows.width - 1):
            if sum(u * u for u in lead) <= m * m:
                yield lead

    def _line(self, lead: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The points of a line that lie in Θ, and which of −m, …, m they are."""
        places = np.arange(-self._half, self._half + 1)
        inside = places * places + sum(u * u for u in lead) <= self._half**2
        kept = places[inside]
        return np.column_stack([np.broadcast_to(np.array(lead, np.int64), (len(kept), len(lead))), kept]), inside

    def _whole(self, view: Rows) -> Iterator[tuple[Matrix, Matrix]]:
        """Rows and targets in steps, some thousands at a time."""
        for features, values in view.chunks():
            yield self.rows.steps_with(features, self.span.codes(values))

    def _residuals(self, x: Matrix, y: Matrix, lead: tuple[int, ...]) -> Matrix:
        """Those at the middle of a line, in steps times FINE·m; from one point to the next they fall by x·wholes."""
        residuals: Matrix = y * (FINE * self._half) - x[:, :-1] @ (np.array(lead, np.float64) * self.region.wholes)
        return residuals

    def _below(self, residuals: Matrix, last: Matrix, columns: Matrix) -> NDArray[np.int64]:
        """Σ of each column over the rows with residual − last·wholes·j < 0, for j = −m, …, m: exact, below 2⁵³.

        Such a j lies above residual/(last·wholes) where last > 0, from its floor plus 1 on; below it where last < 0, up
        to its ceiling less 1; and everywhere or nowhere where last = 0.
        """
        m = self._half
        slope = (last * self.region.wholes).astype(np.int64)
        whole = residuals.astype(np.int64)
        rising, falling = slope > 0, slope < 0
        start = np.where(falling | ((slope == 0) & (whole < 0)), -m, m + 1)
        start[rising] = whole[rising] // slope[rising] + 1
        end = np.full(len(slope), m + 1)
        end[falling] = -(-whole[falling] // slope[falling])
        first, stop = (np.clip(place, -m, m + 1) + m for place in (start, end))
        size = 2 * m + 2
        parts = [
            np.bincount(first, column, size) - np.bincount(np.maximum(stop, first), column, size)
            for column in columns.T
        ]
        return np.cumsum(np.column_stack(parts), axis=0)[:-1].astype(np.int64)


@dataclass(frozen=True, slots=True)
class PinballGradient(PinballGrid):
    """θ with probability ∝ exp(−ε/(2Δ) ‖Σ x(level − 1[y < x·θ])‖∞)  [A Thm 7.11]."""

    @property
    def method(self) -> str:
        return f"K-norm gradient, pinball loss, grid of {_HALF_GRIDS[self.rows.width]}"

    def rate(self) -> Fraction:
        """ε/(2Δ) for scores in steps over the level's denominator  [A Thm 7.11]."""
        most = self.steep * self.level.denominator * (1 << _GRID_DIGITS)
        return self.budget.epsilon / (2 * self.moved_rows * most)

    def choice(self, view: Rows) -> Choice:
        """The law of the point."""
        p, q = self.level.as_integer_ratio()
        gradients: NDArray[np.int64] | int = 0
        for x, y in self._whole(view):
            total = p * x.sum(axis=0).astype(np.int64)
            lines = []
            for lead in self._leads():
                below = self._below(self._residuals(x, y, lead), x[:, -1], x)
                lines.append(total - q * below[self._line(lead)[1]])
            gradients = gradients + np.vstack(lines)  # 2⁴³ rows fit
        if isinstance(gradients, int):
            return Choice([0] * len(self.points()), self.rate())
        return Choice(-np.abs(gradients).max(axis=1), self.rate())


@dataclass(frozen=True, slots=True)
class PinballLoss(PinballGrid):
    """θ with probability ∝ exp(−c Σ ρ(y − x·θ)), c = ε/Δ, or ε/(2Δ) where a row is replaced  [A Thm 7.1].

    A row that comes only adds to the loss, by at most Δ at every θ: weights and their sum fall together, so once ε/Δ is
    enough. In steps the loss of a row is at most max(level, 1 − level)·(1 + B), scaled.
    """

    @property
    def method(self) -> str:
        return f"exponential mechanism, pinball loss, grid of {_HALF_GRIDS[self.rows.width]}"

    def rate(self) -> Fraction:
        """The factor c for scores in steps over the level's denominator."""
        whole = (1 << _GRID_DIGITS) * self._half * (FINE + self.region.wholes)
        return self.budget.epsilon / (self.moved_rows * self.steep * self.level.denominator * whole)

    def choice(self, view: Rows) -> Choice:
        """The law of the point."""
        p, q = self.level.as_integer_ratio()
        scores = np.zeros(len(self.points()), object)  # Python's integers: the sum of all rows may leave int64
        for x, y in self._whole(view):
            lines = []
            for lead in self._leads():
                points, inside = self._line(lead)
                residuals, along = self._residuals(x, y, lead), self.region.wholes * points[:, -1]
                below = self._below(residuals, x[:, -1], np.column_stack([residuals, x[:, -1]]))[inside]
                total = int(residuals.sum()) - along * int(x[:, -1].sum())
                lines.append(q * (below[:, 0] - along * below[:, 1]) - p * total)  # below 2⁶³ for a chunk
            scores = scores + np.concatenate(lines).astype(object)
        return Choice(scores.tolist(), self.rate())
