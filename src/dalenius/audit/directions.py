"""Two more candidate events: a direction in very many coordinates, and the lattice on which outputs lie."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.scores import Columns, Floats, Ratios, Score

EVERYTHING = "all places"
"""The column that holds all coordinates of vectors which have more than are looked at one by one."""
_SCALES = (1.0, 10.0, 100.0, 1e3, 1024.0, 1e4, 1e6, 2.0**20)
_EXACT = 2.0**50


@dataclass
class Direction(Score):
    """The difference of the means over all coordinates, each in units of its spread.

    It is the best linear score for independent coordinates: a leak too thin to see in any of them adds up in it.
    """

    center: Floats = field(default_factory=lambda: np.zeros(0))
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    name: str = "difference of means over all places"

    def fit(self, first: Columns, second: Columns) -> "Direction":
        """Means of clipped coordinates, so that no heavy tail decides."""
        a, b = (np.nan_to_num(side[EVERYTHING], nan=0.0, posinf=1e12, neginf=-1e12) for side in (first, second))
        both = np.concatenate([a, b])
        center = np.median(both, axis=0)
        spread = np.maximum(np.quantile(np.abs(both - center), 0.75, axis=0), 1e-12)
        one, other = (np.clip((side - center) / spread, -4, 4).mean(axis=0) for side in (a, b))
        return Direction(center, (one - other) / spread)

    def __call__(self, columns: Columns) -> Floats:
        """The projection."""
        values = np.nan_to_num(columns[EVERYTHING], nan=0.0, posinf=1e12, neginf=-1e12)
        scores: Floats = (values - self.center) @ self.weights
        return scores


@dataclass
class Coset(Score):
    """The log ratio of an output's remainder: noise in steps leaves the remainder of the answer as it was.

    The step is the largest that all outputs of one side share and those of both together do not.
    """

    column: str
    scale: float = 0.0
    step: int = 1
    table: Ratios | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """What the event calls it."""
        return f"remainder of {self.column} by {self.step / self.scale:g}" if self.scale else "remainder"

    def fit(self, first: Columns, second: Columns) -> "Coset":
        """The unit in which outputs are whole, the step of each side, and the ratios of the remainders."""
        a, b = first[self.column], second[self.column]
        scale = unit(np.concatenate([a, b]))
        if scale is None:
            return Coset(self.column, 1.0, 1, Ratios("remainder", ratio=np.zeros(2)))
        one, other, both = (common_step(side, scale) for side in (a, b, np.concatenate([a, b])))
        step = max(one, other)
        if both == 0 or step <= both:
            return Coset(self.column, scale, 1, Ratios("remainder", ratio=np.zeros(2)))
        bare = Coset(self.column, scale, step)
        return Coset(
            self.column, scale, step, Ratios("remainder").fit(bare._remainders(first), bare._remainders(second))
        )

    def _remainders(self, columns: Columns) -> Columns:
        values = columns[self.column] * self.scale
        inside = np.isfinite(values) & (np.abs(values) < _EXACT)
        whole = np.rint(np.where(inside, values, 0.0)).astype(np.int64)
        return {"remainder": np.where(inside, whole % self.step, -1)}

    def __call__(self, columns: Columns) -> Floats:
        """The ratio of the remainder."""
        assert self.table is not None
        return self.table(self._remainders(columns))


def unit(values: Floats) -> float | None:
    """The first of a few scales in which all values are whole numbers; None if there is none."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return None
    for scale in _SCALES:
        scaled = finite * scale
        if np.all(np.abs(scaled) < _EXACT) and np.all(np.abs(scaled - np.rint(scaled)) < 1e-6):
            return scale
    return None


def common_step(values: NDArray[np.float64], scale: float) -> int:
    """The largest step of which all values are multiples, counted from the first; 0 if they never vary."""
    whole = np.rint(values[np.isfinite(values)] * scale).astype(np.int64)
    return math.gcd(*np.unique(whole - whole[0]).tolist()) if len(whole) else 0
