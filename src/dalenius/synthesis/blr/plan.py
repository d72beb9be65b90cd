"""BLR as a plan: one small database, drawn by the exponential mechanism, that answers all its questions at once."""

from dataclasses import dataclass
from typing import Any

from dalenius.curator import Chosen, Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_columns
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.ledger import to_form
from dalenius.mechanisms import Exponential
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Table, View
from dalenius.synthesis.blr.band import Family
from dalenius.synthesis.blr.levels import drawn_database
from dalenius.synthesis.blr.universe import Universe


@dataclass(frozen=True, slots=True)
class SmallDatabaseExplanation:
    """What a small database would cost, and how far from the best one it may be."""

    questions: int
    universe: int
    rows: int
    databases: int
    guarantee: BoundedRange
    unit: Unit
    error: float

    @escaped
    def __str__(self) -> str:
        return "\n".join(
            (
                f"question     {self.questions} counts over {self.universe} items, answered by {self.rows} rows",
                f"protects     {self.unit}",
                f"mechanism    exponential, over {self.databases:.3g} small databases",
                f"cost         {self.guarantee}",
                f"error        at most {self.error:.1f} rows more than the best of them, 95 % of the time",
            )
        )


@dataclass(frozen=True, slots=True)
class SmallDatabase:
    """A database of m rows drawn with probability ∝ exp(−level / scale)  [S §2.5, S Def 2.5].

    Neighbors move the level of every small database by at most the unit's rows: each count − n·share is a sum over rows
    of (1 or 0) − share, so a unit adds a number in an interval as long as its weight that holds 0, whether it comes,
    goes or changes. So the sensitivity is the same for both relations, and n need not be public.
    """

    universe: Universe
    family: Family
    mechanism: Exponential
    unit: Unit

    def __post_init__(self) -> None:
        if self.mechanism.base is not None:
            raise InvalidParameter("the base measure of small databases is the family's: leave that of the mechanism")

    @property
    def guarantee(self) -> BoundedRange:
        """2Δ/scale, Δ the rows of a unit in steps of the level  [A Thm 7.1, S Thm 1]."""
        return self.mechanism.guarantee(self.sensitivity, self.unit.relation)

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves the level of any small database, in steps."""
        return Sensitivity(self.universe.full(self.unit) * self.family.fineness, Metric.LINF)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, universe, questions, mechanism and guarantee."""
        facts = {
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "universe": self.universe.facts(),
            "family": self.family.facts(),
            "mechanism": self.mechanism.facts(),
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("small database", facts)

    def explain(self) -> SmallDatabaseExplanation:
        """Cost and expected error, for free."""
        family = self.family
        return SmallDatabaseExplanation(
            *(family.questions, family.universe, family.rows, family.databases, self.guarantee, self.unit),
            self._column("error", ()).accuracy(0.05),
        )

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column."""
        check_columns(self.universe, view)

    def run(self, view: Table, bits: Bits) -> Outcome:
        """Count, then draw; only the small database leaves, a row for each of its m rows."""
        band = self.family.around(self.universe.histogram(view), self.universe.one)
        drawn = drawn_database(band, self.mechanism.scale, bits)
        items = [item for item, times in enumerate(drawn) for _ in range(times)]
        columns = zip(*self.universe.values(items), strict=True)
        return Outcome(
            tuple(self._column(name, values) for name, values in zip(self.universe.names, columns, strict=True)),
            Keys("row", range(self.family.rows)),
        )

    def _column(self, name: str, values: Any) -> Chosen:
        """A column of the small database; its error is told of the whole database, in rows."""
        scale = self.mechanism.scale / self.family.fineness
        error = "rows more, in any count, than the best small database"
        return Chosen(name, tuple(values), self.mechanism.name, self.family.databases, scale, error)
