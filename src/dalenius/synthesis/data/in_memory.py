"""Columns in memory, whatever holds the data: a table, or an engine that hands out its columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from dalenius.curator import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import Plan, check_view
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.queries import Table, View


@runtime_checkable
class HoldsColumns(Protocol):
    """An engine that can hand some of its columns to a plan which has been paid for."""

    def table(self, names: Sequence[str]) -> Table:
        """The columns of all rows, in memory."""


def table_of(view: View, names: Sequence[str]) -> Table:
    """The columns that a plan reads."""
    if isinstance(view, Table):
        return view
    if isinstance(view, HoldsColumns):
        return view.table(list(dict.fromkeys(names)))
    raise InvalidParameter(f"a copy is made of a table in memory or of an engine's columns, not of {view!r}")


@dataclass(frozen=True, slots=True)
class InMemory:
    """A plan for tables in memory, over the columns of any view."""

    plan: Plan[Any]
    names: tuple[str, ...]

    @property
    def unit(self) -> Unit:
        return self.plan.unit

    @property
    def guarantee(self) -> Guarantee:
        """That of the plan: to hand over columns releases nothing  [A Prop 3.1]."""
        return self.plan.guarantee

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the plan's own."""
        return fingerprint_of("in memory", {"part": self.plan.fingerprint})

    def explain(self) -> object:
        """What the plan says."""
        return self.plan.explain()

    def check(self, view: View) -> None:
        """Refuse what the plan refuses of a table; the columns of an engine are checked by its schema."""
        if isinstance(view, Table):
            check_view(self.plan, view)

    def run(self, view: View, bits: Bits) -> Outcome:
        """The plan over the columns."""
        return self.plan.run(table_of(view, self.names), bits)
