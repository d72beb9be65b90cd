"""A plan that divides by a declared number of rows."""

from dataclasses import dataclass
from typing import TypeVar

from dalenius.curator import ColumnPlan, Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import PlanAround, check_view
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.ledger import Blocks
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.queries import Table, View

V = TypeVar("V", bound=View)


@dataclass(frozen=True, slots=True)
class PublicRowCount(PlanAround[V]):
    """`plan`, refused before the charge if the data has not `rows` rows: that many is public for CHANGE_ONE.

    The guarantee does not hang on it, the answer does.
    """

    plan: ColumnPlan[V]
    rows: int

    def __post_init__(self) -> None:
        if self.unit.relation is not Relation.CHANGE_ONE or self.unit.column is not None:
            raise InvalidParameter("the number of rows is public for change-one neighbors that are rows only")

    @property
    def guarantee(self) -> Guarantee:
        """The plan's, whatever the number of rows  [A Prop 3.1]."""
        return self.plan.guarantee

    @property
    def blocks(self) -> Blocks | None:
        return self.plan.blocks

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the plan's fingerprint and the number of rows."""
        return fingerprint_of("public rows", {"part": self.plan.fingerprint, "rows": self.rows})

    def explain(self) -> object:
        """What the plan says of itself."""
        return self.plan.explain()

    def check(self, view: View) -> None:
        """Refuse data with another number of rows than was declared."""
        check_view(self.plan, view)
        if not isinstance(view, Table) or len(view) != self.rows:
            raise InvalidParameter(f"rows={self.rows} was declared, and the data has another number of rows")

    def run(self, view: V, bits: Bits) -> Outcome:
        return self.plan.run(view, bits)
