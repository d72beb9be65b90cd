"""A regression whose coefficients are drawn from a public ball."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from dalenius.learning.data.box import Box
from dalenius.learning.data.targets import Span
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.region import Region
from dalenius.neighbors import Relation


@dataclass(frozen=True, slots=True)
class RegionPlan(FitPlan):
    """What every such regression declares; `method` names the law that it draws from."""

    box: Box
    span: Span
    budget: FitBudget
    intercept: bool
    public: tuple[str, ...]
    region: Region

    @property
    @abstractmethod
    def method(self) -> str:
        """What is drawn."""

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": self.method,
            "box": self.box.facts(),
            "span": self.span.facts(),
            "intercept": self.intercept,
            "region": str(self.region.radius),
        }

    @property
    def moved_rows(self) -> int:
        """How many rows differ between neighbors: 2 where one leaves and another comes, else 1."""
        return 1 if self.budget.relation is Relation.ADD_REMOVE else 2
