"""All tables of two linked tables in one release."""

from dataclasses import dataclass
from fractions import Fraction

from dalenius.curator import Measured, Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PureDP
from dalenius.ledger import to_form
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.numerics import Number, ball, fraction_above, precision
from dalenius.queries import View
from dalenius.synthesis.data.measure import MeasureTables, TablesExplanation, priced, scale_of
from dalenius.synthesis.linked.tables import HoldsTables, Linked

NOTE = "linked synthetic copy"


@dataclass(frozen=True, slots=True)
class MeasureLinked:
    """The tables of persons for `share` of the budget, those of their rows for the rest.

    A person moves both, so the prices add up: μ² with Gaussian noise, ε without  [A §13.8 GDP composition, A Thm 3.3].
    """

    linked: Linked
    scale: Fraction
    gaussian: bool
    share: Fraction
    unit: Unit

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InvalidParameter(f"parent_share must lie strictly between 0 and 1, got {self.share}")
        if self.unit.column != self.linked.bound.column:
            raise InvalidParameter(f"both tables must name people as the unit does, in {self.unit.name!r}")

    @classmethod
    def calibrated(
        cls, linked: Linked, *, epsilon: Number, delta: Number | None, share: Fraction, unit: Unit
    ) -> "MeasureLinked":
        """The least noise for ε and δ."""
        return cls(linked, *scale_of(epsilon, delta), share, unit)

    @property
    def parts(self) -> tuple[MeasureTables, MeasureTables]:
        """Persons, and their rows: scale / √share with Gaussian noise, scale / share without, rounded up."""
        return (
            MeasureTables(self.linked.people, self._scaled(self.share), self.gaussian, self.unit),
            MeasureTables(self.linked.joined, self._scaled(1 - self.share), self.gaussian, self.unit),
        )

    @property
    def guarantee(self) -> GDP | PureDP:
        """The sum over both parts  [A §13.8 GDP composition, A Thm 3.3]."""
        return priced(sum((part.price for part in self.parts), Fraction(0)), self.gaussian, self.unit)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of both parts and the guarantee."""
        facts = {"parts": [part.fingerprint for part in self.parts], "linked": self.linked.facts()}
        return fingerprint_of("tables of a linked copy", facts | {"guarantee": to_form(self.guarantee)})

    def explain(self) -> TablesExplanation:
        """Cost and expected error, for free."""
        explanations = [part.explain() for part in self.parts]
        sizes = (sum(one.tables for one in explanations), sum(one.cells for one in explanations))
        return TablesExplanation(*sizes, self.guarantee, self.unit, max(one.error for one in explanations))

    def check(self, view: View) -> None:
        """Refuse, before the charge, what holds one table alone."""
        if not isinstance(view, HoldsTables):
            raise InvalidParameter(f"linked tables are held by a session or by LinkedTables, not by {view!r}")

    def run(self, view: View, bits: Bits) -> Outcome:
        """Count, then add noise; only noisy tables leave."""
        counts = self.linked.counted(view)
        noisy = [part.noisy(exact, bits) for part, exact in zip(self.parts, counts, strict=True)]
        named = [
            _named(column, f"{prefix}: ") for prefix, part in zip(self._names, noisy, strict=True) for column in part
        ]
        return Outcome(tuple(named), notes={NOTE: self.linked.facts()})

    @property
    def _names(self) -> tuple[str, str]:
        return self.linked.parent, self.linked.child

    def _scaled(self, share: Fraction) -> Fraction:
        if not self.gaussian:
            return self.scale / share
        with precision(128):
            return fraction_above(ball(self.scale**2 / share).sqrt(), 64)


def _named(column: Measured, prefix: str) -> Measured:
    return Measured(prefix + column.name, column.cells, column.lattice, column.mechanism)
