"""A fit that knows how many rows there are, from a private count where the number is not public."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalenius.curator import Outcome
from dalenius.guarantees import ApproxDP
from dalenius.learning.data.encoded_rows import AnyRows, size_of
from dalenius.learning.plans.budget import COUNT_SHARE, FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.mechanisms import Geometric, calibrate
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits

_FEW, _MANY = 1, 10**12


@dataclass(frozen=True, slots=True)
class CountedRows(FitPlan):
    """A fiftieth of the budget counts the rows, or the weight of weighted ones; `make` builds the fit for that number.

    One unit moves the count by at most 1. Whatever fit the released number leads to costs what is left: μ² adds, and so
    does ε  [A Thm 3.3, A §13.8 GDP composition].
    """

    budget: FitBudget
    public: tuple[str, ...]
    make: Callable[[int, FitBudget], FitPlan]
    added: bool = False
    """Whether the fit is accounted as (ε, δ) and not as μ: then the count is purely private, and ε is split."""

    def facts(self) -> dict[str, Any]:
        """The fits for few and for many rows, which say all else."""
        few, many = (self.make(rows, self.left).facts() for rows in (_FEW, _MANY))
        return {"method": f"count, then {many['method']}", "few": few, "many": many}

    @property
    def left(self) -> FitBudget:
        """What the fit may spend."""
        rest = 1 - COUNT_SHARE
        if self.added:
            return replace(self.budget, epsilon=self.budget.epsilon * rest)
        return replace(self.budget, part=self.budget.part * rest)

    @property
    def guarantee(self) -> Calibrated:
        """Count and fit together  [A Thm 3.3, A §13.8 GDP composition]."""
        if not self.added:
            return self.budget.guarantee(self.public)
        whole = ApproxDP(self.budget.epsilon, self.budget.delta, self.budget.relation)
        return Calibrated(whole, self.budget.epsilon, self.budget.delta, self.public)

    def run(self, view: AnyRows, bits: Bits) -> Outcome:
        """Count, then fit."""
        return self.make(self._count(size_of(view), bits), self.left).run(view, bits)

    def _count(self, size: int, bits: Bits) -> int:
        if not self.added:
            return self.budget.count(size, bits)
        mechanism = calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=self.budget.epsilon * COUNT_SHARE)
        return max(1, int(mechanism.release(np.array([size], np.int64), bits)[0]))
