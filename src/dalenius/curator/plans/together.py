"""Several plans under one price."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.answer.shown import AS_RELEASED, ShownKey
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import ColumnPlan, Plan, check_names, check_view
from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import to_form
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, View

V = TypeVar("V", bound=View)


@dataclass(frozen=True, slots=True)
class TogetherExplanation:
    """What several plans would cost in all, and what each says of itself."""

    parts: tuple[object, ...]
    guarantee: Guarantee
    unit: Unit

    @escaped
    def __str__(self) -> str:
        total = f"{len(self.parts)} together\nprotects     {self.unit}\ncost         {self.guarantee}"
        return "\n\n".join([total, *map(str, self.parts)])


@dataclass(frozen=True, init=False)
class Together(Generic[V]):
    """Several plans over one view, charged once for all  [A Thm 3.3].

    They share their public keys, or have none; no name of one hides that of another.
    """

    plans: tuple[ColumnPlan[V], ...]

    def __init__(self, plans: Iterable[ColumnPlan[V]]) -> None:
        object.__setattr__(self, "plans", tuple(plans))
        if not self.plans:
            raise InvalidParameter("Together needs at least one plan")
        if any(plan.unit != self.unit for plan in self.plans):
            raise MixedRelations(
                f"plans released together protect one unit, got {', '.join(str(plan.unit) for plan in self.plans)}"
            )
        if any(plan.keys != self.keys for plan in self.plans):
            raise InvalidParameter("plans released together must have the same keys, or none")
        if any(getattr(plan, "arrangement", AS_RELEASED) != AS_RELEASED for plan in self.plans):
            raise InvalidParameter("plans released together share one order of rows: arrange the whole, not a part")
        check_names(self.keys, self.names)

    @cached_property
    def unit(self) -> Unit:
        """Who is protected, by every plan."""
        return self.plans[0].unit

    @cached_property
    def keys(self) -> Keys | None:
        """The public keys of them all."""
        return self.plans[0].keys

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the released columns are called."""
        return tuple(name for plan in self.plans for name in plan.names)

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
        facts = {
            "parts": [plan.fingerprint for plan in self.plans],
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("together", facts)

    def explain(self) -> TogetherExplanation:
        """Cost of all, then cost and error of each, for free."""
        return TogetherExplanation(tuple(plan.explain() for plan in self.plans), self.guarantee, self.unit)

    def check(self, view: View) -> None:
        """Refuse a view that one of the plans refuses."""
        for plan in self.plans:
            check_view(plan, view)

    def run(self, view: V, bits: Bits) -> Outcome:
        """One after the other, each with noise of its own; what is read for one is not read again for the next."""
        with view.during_run():
            outcomes = [plan.run(view, bits) for plan in self.plans]
        columns = tuple(column for outcome in outcomes for column in outcome.columns)
        notes = {name: note for outcome in outcomes for name, note in outcome.notes.items()}
        if not any(outcome.layout for outcome in outcomes):
            return Outcome(columns, self.keys, notes=notes)
        keys = tuple(item for item in outcomes[0].shown if isinstance(item, ShownKey))
        return Outcome(
            columns, self.keys, keys + tuple(item for outcome in outcomes for item in outcome.numbers), notes=notes
        )


def composed(plans: Sequence[Plan[Any]]) -> Guarantee:
    """The guarantee of all plans together: each draws its own noise, whatever the others released  [A Thm 3.3]."""
    first, *others = (plan.guarantee for plan in plans)
    return first.compose(*others) if others else first
