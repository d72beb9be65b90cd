"""Bounds of features and target, found privately before a fit."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Outcome
from dalenius.guarantees import ApproxDP
from dalenius.learning.data.box import Box
from dalenius.learning.data.encoded_rows import AnyRows, chunks_with_weights
from dalenius.learning.data.rows import Matrix, numbers
from dalenius.learning.data.targets import Span
from dalenius.learning.data.weighted_rows import WEIGHT_DIGITS, WeightedRows
from dalenius.learning.plans.budget import FitBudget, gaussian_for
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.whole_noise import whole_gaussian
from dalenius.mechanisms import Geometric, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.statistics.private_bounds import PrivateBounds

_FINER = 4
"""Bins to a doubling."""
_LEVEL = 1 / 200
"""The part of the rows that may lie beyond either bound."""
_DOUBT = 1e-4
"""How likely noise may make some empty window of bins of a column look taken."""

Integers = NDArray[np.int64]


def sought(bounds: Any) -> PrivateBounds | None:
    """The search that bounds ask for, or None where they are declared."""
    if isinstance(bounds, str) and bounds == "private":
        return PrivateBounds()
    return bounds if isinstance(bounds, PrivateBounds) else None


@dataclass(frozen=True, slots=True)
class SearchedBounds(FitPlan):
    """A fit within bounds that were found first, for `share` of the budget: two private quantiles of each column.

    The columns are counted into public bins, four to a doubling, between ±2^most. A row is in one bin of each of the m
    columns, so one vector of counts is released that a row moves by m in ℓ1 and √m in ℓ2, a changed one by 2m and √2m
    [A Ex 3.4]: noise is geometric, or Gaussian where the fit has a δ. Counts and fit add up to the budget, in ε or μ²
    [A Thm 3.3, A §13.8 GDP composition], and the bounds are a function of noisy counts  [A Prop 3.1].
    """

    budget: FitBudget
    public: tuple[str, ...]
    search: PrivateBounds
    features: int
    box: Box | None
    """None where the bounds of the features are sought."""
    span: Span | None
    """None where the bounds of the target are sought, or where it has none."""
    with_target: bool
    """Whether the bounds of the target are sought."""
    make: Callable[[Box, Span | None, FitBudget], FitPlan]
    added: bool = False
    """Whether the fit is accounted as (ε, δ) and not as μ: then the counts are purely private, and ε is split."""

    def facts(self) -> dict[str, Any]:
        """The search, and the fit for bounds of ±1, which says all else."""
        search = {"share": str(self.search.share), "least": self.search.least, "most": self.search.most}
        box, span = self.box or Box.declare((-1, 1), self.features), self.span or Span(-1.0, 1.0)
        then = self.make(box, span, self._left).facts()
        sides = {"features": self.box is None, "target": self.with_target}
        return {"method": f"bounds, then {then['method']}", "search": search, "sought": sides, "then": then}

    @property
    def guarantee(self) -> Calibrated:
        """Counts and fit together: squares of μ add, and so do ε and δ  [A Thm 3.3, A §13.8 GDP composition]."""
        if not self.added:
            return self.budget.guarantee(self.public)
        whole = ApproxDP(self.budget.epsilon, self.budget.delta, self.budget.relation)
        return Calibrated(whole, self.budget.epsilon, self.budget.delta, self.public)

    @property
    def columns(self) -> int:
        """How many columns are counted."""
        return (self.features if self.box is None else 0) + self.with_target

    @property
    def edges(self) -> Matrix:
        """−2^most, …, −2^least, 2^least, …, 2^most."""
        exponents = np.arange(self.search.least * _FINER, self.search.most * _FINER + 1) / _FINER
        return np.concatenate([-(2.0 ** exponents[::-1]), 2.0**exponents])

    def sensitivity(self, metric: Metric) -> Sensitivity:
        """How far a row moves the counts of all columns  [A Ex 3.4]."""
        moved = self.columns * (1 if self.budget.relation is Relation.ADD_REMOVE else 2)
        return Sensitivity(moved, metric) if metric is Metric.L1 else Sensitivity.root(moved, metric)

    def run(self, view: AnyRows, bits: Bits) -> Outcome:
        """Count, choose bounds, fit."""
        noisy, scale = self._released(self.counts(view), bits, WEIGHT_DIGITS if isinstance(view, WeightedRows) else 0)
        ends = [self.chosen(column, scale) for column in noisy]
        box, span = self.box, self.span
        if self.with_target:
            span = Span(*ends.pop())
        if box is None:
            box = Box(tuple(low for low, _ in ends), tuple(high for _, high in ends))
        outcome = self.make(box, span, self._left).run(view, bits)
        intervals = {"box": box.facts(), "span": None if span is None else span.facts()}
        return replace(outcome, notes=outcome.notes | intervals)

    def counts(self, view: AnyRows) -> Integers:
        """Rows by column and bin; a number beyond all bins is in the last, what is no number in none.

        Rows with weights count by them, in steps of 2⁻²⁰, so a unit of weight 1 has one whole in each column.
        """
        edges = self.edges
        total = np.zeros((self.columns, len(edges) - 1), np.int64)
        for features, target, weight in chunks_with_weights(view):
            whole = None if weight is None else weight * 2.0**WEIGHT_DIGITS
            parts = list(features.T) if self.box is None else []
            if self.with_target:
                parts.append(numbers(target))
            for at, values in enumerate(parts):
                here = ~np.isnan(values)
                present = values[here]
                # the side away from zero belongs to a bin: 1 is in (2^−¼, 1], −1 in [−1, −2^−¼)
                place = np.searchsorted(edges, present, side="right") - 1
                upward = np.searchsorted(edges, present, side="left") - 1
                place = np.clip(np.where(present > 0, upward, place), 0, len(edges) - 2)
                shares = None if whole is None else whole[here]
                total[at] += np.bincount(place, shares, minlength=len(edges) - 1).astype(np.int64)
        return total

    def chosen(self, counts: Matrix, scale: float) -> tuple[float, float]:
        """The least interval of bins but for a two-hundredth of the rows on either side, or what the noise hides.

        From the outside in, the first bin at which a window of 1, 2, 4, … bins holds more than both. Where none does,
        the bounds are ±1.
        """
        edges, least = self.edges, _LEVEL * max(0.0, float(counts.sum()))
        low, high = (self._first(side, scale, least) for side in (counts, counts[::-1]))
        if low is None or high is None:
            return -1.0, 1.0
        low, high = sorted((low, len(counts) - 1 - high))
        return float(edges[low]), float(edges[high + 1])

    def _released(self, counts: Integers, bits: Bits, digits: int) -> tuple[Matrix, float]:
        """The counts, of steps 2^−digits, with noise for a unit that moves each column by one whole; and its scale."""
        flat, whole = counts.ravel(), 1 << digits
        if self.budget.pure or self.added:
            share = self.budget.epsilon * self.search.share
            moved = Sensitivity(self.sensitivity(Metric.L1).value * whole, Metric.L1)
            mechanism = calibrate(Geometric, moved, epsilon=share)
            noisy = np.asarray(mechanism.release(flat, bits), np.float64) / whole
            return noisy.reshape(counts.shape), float(mechanism.scale) / whole
        if digits:
            moved = Sensitivity.root(self.sensitivity(Metric.L2).square * whole**2, Metric.L2)
            steps = whole_gaussian(moved, self.budget.total * self.search.share)
            return np.asarray(steps.release(flat, bits) / whole).reshape(counts.shape), float(steps.scale) / whole
        gaussian = gaussian_for(self.sensitivity(Metric.L2), self.budget.total * self.search.share)
        finer = -gaussian.lattice.exponent
        held = np.minimum(flat, (1 << 62) >> finer) << finer
        shown = np.asarray(gaussian.release(held, bits) * 2.0**-finer, np.float64)
        return shown.reshape(counts.shape), float(gaussian.scale)

    def _first(self, counts: Matrix, scale: float, least: float) -> int | None:
        """The first bin at which a window that ends there holds more than `least` and than its noise."""
        upto = np.concatenate([[0.0], np.cumsum(counts)])
        ends = []
        width = 1
        while width <= len(counts):
            held = upto[width:] - upto[:-width]
            over = np.flatnonzero(held >= max(least, scale * self._hidden(width, len(counts))))
            if over.size:
                ends.append(int(over[0]) + width - 1)
            width *= 2
        return min(ends, default=None)

    def _hidden(self, width: int, bins: int) -> float:
        """What the noise of a window stays below, in its scale, but for a part of the doubt.

        Gaussian: e^(−t²/2w). Geometric, which is less than Laplace in every moment: log E e^θZ = −log(1 − θ²) ≤ 1.39 θ²
        for θ² ≤ ½, so e^(−t²/(5.56 w)) up to t = 1.96 w, and e^(−t/√2 + 0.7 w) beyond.
        """
        rare = math.log(bins * bins.bit_length() / _DOUBT)
        if not self.budget.pure and not self.added:
            return math.sqrt(2 * width * rare)
        return math.sqrt(5.56 * width * rare) if 5.56 * rare <= 3.86 * width else math.sqrt(2) * (rare + 0.7 * width)

    @property
    def _left(self) -> FitBudget:
        left = 1 - self.search.share
        if self.added:
            return replace(self.budget, epsilon=self.budget.epsilon * left)
        return replace(self.budget, part=left)
