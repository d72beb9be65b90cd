"""Several plans, each with keys of its own, under one price."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import Plan, check_view
from dalenius.curator.plans.together import TogetherExplanation, composed
from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import Guarantee
from dalenius.ledger import to_form
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.queries import View

V = TypeVar("V", bound=View)


@dataclass(frozen=True, init=False)
class SeveralTables(Generic[V]):
    """Several plans over one view, charged once for all: either all are admitted, or nothing is  [A Thm 3.3].

    Unlike those of `Together` they need not share their keys: each gives a table of its own.
    """

    plans: tuple[Plan[V], ...]

    def __init__(self, plans: Iterable[Plan[V]]) -> None:
        object.__setattr__(self, "plans", tuple(plans))
        if not self.plans:
            raise InvalidParameter("SeveralTables needs at least one plan")
        if any(plan.unit != self.unit for plan in self.plans):
            raise MixedRelations(
                f"plans released together protect one unit, got {', '.join(str(plan.unit) for plan in self.plans)}"
            )
        if any(plan.blocks is not None for plan in self.plans):
            raise InvalidParameter("plans that are charged to blocks are released on their own")

    @cached_property
    def unit(self) -> Unit:
        """Who is protected, by every plan."""
        return self.plans[0].unit

    @cached_property
    def guarantee(self) -> Guarantee:
        """The composition of them all  [A Thm 3.3]."""
        return composed(self.plans)

    @property
    def blocks(self) -> None:
        return None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the fingerprints of the plans, in order."""
        facts = {"parts": [plan.fingerprint for plan in self.plans], "guarantee": to_form(self.guarantee)}
        return fingerprint_of("several tables", facts)

    def explain(self) -> TogetherExplanation:
        """Cost of all, then cost and error of each, for free."""
        parts: tuple[Any, ...] = tuple(plan.explain() for plan in self.plans)
        return TogetherExplanation(parts, self.guarantee, self.unit)

    def check(self, view: View) -> None:
        """Refuse a view that one of the plans refuses."""
        for plan in self.plans:
            check_view(plan, view)

    def run(self, view: V, bits: Bits) -> Outcome:
        """One after the other, each with noise of its own; what is read for one is not read again for the next."""
        with view.during_run():
            return Outcome((), tables=tuple(plan.run(view, bits) for plan in self.plans))
