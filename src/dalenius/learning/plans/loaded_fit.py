"""A fit whose rows are read once it is paid for."""

from dataclasses import dataclass
from typing import Any

from dalenius.curator import Outcome
from dalenius.learning.data.training_data import TrainingData
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.noise import Bits


@dataclass(frozen=True, slots=True)
class LoadedFit(FitPlan):
    """Another plan, over rows that `TrainingData` reads when it runs."""

    plan: FitPlan
    source: str

    @property
    def budget(self) -> FitBudget:  # type: ignore[override]
        """That of the plan."""
        return self.plan.budget

    @property
    def public(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the plan takes as public."""
        return self.plan.public

    @property
    def guarantee(self) -> Calibrated:
        """That of the plan: reading rows releases nothing  [A Prop 3.1]."""
        return self.plan.guarantee

    def facts(self) -> dict[str, Any]:
        """Those of the plan, and what is read."""
        return self.plan.facts() | {"source": self.source, "unit": self.budget.unit}

    def run(self, view: TrainingData, bits: Bits) -> Outcome:
        """Read, then run the plan."""
        return self.plan.run(view._load(), bits)
