"""A plan whose answer is made, by formulas, from what another plan releases."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.answer.shown import AS_RELEASED, Arrangement, Item, Shown, ShownKey
from dalenius.curator.formula import Formula
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import ColumnPlan, check_names, check_view
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import Blocks
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, View

V = TypeVar("V", bound=View)


@dataclass(frozen=True, slots=True)
class DerivedExplanation:
    """What is made of a plan's numbers, which costs nothing, and what the plan says of itself."""

    part: object
    names: tuple[str, ...]
    question: str

    @escaped
    def __str__(self) -> str:
        return f"answer       {self.question or ', '.join(self.names)}, made from:\n\n{self.part}"


@dataclass(frozen=True, init=False)
class Derived(Generic[V]):
    """Post-processing: it sees only what `plan` released, so the guarantee is the plan's  [A Prop 3.1, D Thm 1.4]."""

    plan: ColumnPlan[V]
    layout: tuple[Item, ...]
    arrangement: Arrangement
    question: str

    def __init__(
        self,
        plan: ColumnPlan[V],
        layout: Iterable[Item],
        arrangement: Arrangement = AS_RELEASED,
        question: str = "",
    ) -> None:
        object.__setattr__(self, "plan", plan)
        object.__setattr__(self, "layout", tuple(layout))
        object.__setattr__(self, "arrangement", arrangement)
        object.__setattr__(self, "question", question)
        if not self.layout:
            raise InvalidParameter("an answer must show at least one column")
        for item in (*self.layout, *(term.by for term in arrangement.order)):
            self._check(item)
        if arrangement.having is not None:
            self._check_formula(arrangement.having)
        check_names(None, tuple(item.name for item in self.layout))

    @cached_property
    def unit(self) -> Unit:
        return self.plan.unit

    @cached_property
    def keys(self) -> Keys | None:
        return self.plan.keys

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is released, then what is shown."""
        made = (item.name for item in self.layout if isinstance(item, Shown) and item.name not in self.plan.names)
        return (*self.plan.names, *made)

    @cached_property
    def guarantee(self) -> Guarantee:
        """The plan's: what is made of a release tells nothing more  [A Prop 3.1, D Thm 1.4]."""
        return self.plan.guarantee

    @property
    def blocks(self) -> Blocks | None:
        return self.plan.blocks

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the plan's fingerprint and of what is made of it."""
        made = {"layout": [item.to_dict() for item in self.layout], "arrangement": self.arrangement.to_dict()}
        return fingerprint_of("derived", {"part": self.plan.fingerprint} | made)

    def explain(self) -> DerivedExplanation:
        """What the plan says of itself, for free."""
        return DerivedExplanation(self.plan.explain(), tuple(item.name for item in self.layout), self.question)

    def check(self, view: View) -> None:
        """Refuse what the plan refuses."""
        check_view(self.plan, view)

    def run(self, view: V, bits: Bits) -> Outcome:
        """The plan's outcome, shown another way."""
        return replace(self.plan.run(view, bits), layout=self.layout, arrangement=self.arrangement)

    def _check(self, item: Item) -> None:
        if isinstance(item, Shown):
            self._check_formula(item.formula)
        elif self.keys is None or not 0 <= item.key < len(self.keys.columns):
            raise UnknownName(f"there is no key number {item.key} to show as {item.name!r}")

    def _check_formula(self, formula: Formula) -> None:
        unknown = sorted(formula.names - set(self.plan.names))
        if unknown:
            raise UnknownName(f"the plan releases no {unknown[0]!r}; it releases {', '.join(self.plan.names)}")


def keys_shown(keys: Keys | None) -> tuple[ShownKey, ...]:
    """Every key under its own name."""
    return tuple(ShownKey(name, number) for number, name in enumerate(() if keys is None else keys.columns))
