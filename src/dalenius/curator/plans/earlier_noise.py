"""Plans as earlier versions made them, with other noise at the same price: what those have answered stays answered."""

from dataclasses import is_dataclass, replace
from typing import Any

from dalenius.curator.plans.derived import Derived
from dalenius.curator.plans.plan import Measure, PlanAround


def with_earlier_noise(plan: Any) -> Any | None:
    """The same question with the noise that an earlier version added; None where that is the plan itself."""
    if isinstance(plan, Measure):
        before = plan.noise_before
        return None if before is None else replace(plan, mechanism=before, noise_before=None)
    if isinstance(plan, Derived | PlanAround) and is_dataclass(plan):
        inside = with_earlier_noise(plan.plan)
        return None if inside is None else replace(plan, plan=inside)
    return None
