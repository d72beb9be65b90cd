"""Plans as earlier versions made them, with other noise at the same price: what those have answered stays answered."""

from dataclasses import is_dataclass, replace
from typing import Any

from dalenius.curator.plans.derived import Derived
from dalenius.curator.plans.plan import Measure, PlanAround
from dalenius.curator.plans.several_tables import SeveralTables
from dalenius.curator.plans.together import Together
from dalenius.errors import UnprovenClaim


def with_earlier_noise(plan: Any) -> Any | None:
    """The same question with the noise that an earlier version added; None where that is the plan itself.

    None, too, where that noise has no proven price here, such as a ρ on a sample: no version has answered it.
    """
    before = _with_earlier_noise(plan)
    try:
        return None if before is None or before.guarantee is None else before
    except UnprovenClaim:
        return None


def _with_earlier_noise(plan: Any) -> Any | None:
    if isinstance(plan, Measure):
        before = plan.noise_before
        return None if before is None else replace(plan, mechanism=before, noise_before=None)
    if isinstance(plan, Derived | PlanAround) and is_dataclass(plan):
        inside = _with_earlier_noise(plan.plan)
        return None if inside is None else replace(plan, plan=inside)
    if isinstance(plan, Together | SeveralTables):
        parts = [_with_earlier_noise(part) for part in plan.plans]
        kind: Any = type(plan)
        if any(part is not None for part in parts):
            return kind(now if part is None else part for part, now in zip(parts, plan.plans, strict=True))
    return None
