"""A plan that names groups which were not declared."""

from dataclasses import dataclass

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_table
from dalenius.errors import UnboundedQuery
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import to_form
from dalenius.mechanisms import PartitionSelection
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Table, View
from dalenius.queries.groups import Groups

_ONE_UNIT = Sensitivity(1, Metric.UNITS)


@dataclass(frozen=True, slots=True)
class SelectExplanation:
    """What naming groups would cost, and from how many units a group is sure to be named."""

    question: str
    mechanism: PartitionSelection
    guarantee: Guarantee
    unit: Unit

    @escaped
    def __str__(self) -> str:
        return "\n".join(
            (
                f"question     {self.question}",
                f"protects     {self.unit}",
                f"mechanism    {self.mechanism.name}, never below {self.mechanism.min_units} units",
                f"cost         {self.guarantee}",
                f"error        a group of {self.mechanism.certain} units or more is always named",
            )
        )


@dataclass(frozen=True, slots=True)
class Select:
    """Which values of a column may be named, each with the chance that its number of units has.

    The released keys stand in their own order, numbers before text, so that the order of rows does not show. There may
    be none.
    """

    query: Groups
    mechanism: PartitionSelection
    unit: Unit

    def __post_init__(self) -> None:
        self.query.check(self.unit)
        if self.mechanism.groups < self.query.most:
            raise UnboundedQuery(
                f"each {self.unit.name} may be in {self.query.most} groups: price the selection for as many"
            )

    @property
    def guarantee(self) -> Guarantee:
        """That of the selection: one unit is in at most `groups` groups, and moves each count by 1  [DVGM22].

        Values that nobody holds are never named, as if they had been among the candidates with no units.
        """
        return self.mechanism.guarantee(_ONE_UNIT, self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, groups, mechanism and guarantee."""
        facts = {
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "query": self.query.facts(),
            "mechanism": self.mechanism.facts(),
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("select", facts)

    def explain(self) -> SelectExplanation:
        """Cost, and which groups are sure to be named, for free."""
        return SelectExplanation(str(self.query), self.mechanism, self.guarantee, self.unit)

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column, and an engine where a table is read."""
        check_table(self.query, view)

    def run(self, view: Table, bits: Bits) -> Outcome:
        """The values that occur, then the draw; only the named ones leave."""
        values, units = self.query.evaluate(view)
        named = self.mechanism.release(units, bits).tolist()
        kept = [value for value, drawn in zip(values, named, strict=True) if drawn]
        column = self.query.column
        return Outcome((), Keys(column, kept) if kept else Keys.none(column))
