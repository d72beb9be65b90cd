"""A plan that names a value: a quantile, the most frequent key."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from dalenius.curator.answer.chosen import Chosen
from dalenius.curator.answer.outcome import Outcome, shown_above
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_names, check_table
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import to_form
from dalenius.mechanisms import Mechanism
from dalenius.neighbors import Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.numerics import digits_above
from dalenius.queries import Keys, View

V = TypeVar("V", bound=View)
V_contra = TypeVar("V_contra", bound=View, contravariant=True)


class Utility(Protocol[V_contra]):
    """What makes one value a better answer than another, and how far one unit can move it.

    `evaluate` gives what the mechanism chooses by: scores of candidates, or the ranks of a column. Total: no row can
    make it fail.
    """

    @property
    def keys(self) -> Keys | None:
        """What names the values when several are chosen: levels of quantiles, places of the most frequent."""

    def evaluate(self, view: V_contra) -> Any:
        """What the mechanism takes. It must not leave the curator."""

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """How far one unit moves the utility of any value, in ℓ∞."""

    def chosen(self, name: str, released: Any, mechanism: Mechanism) -> Chosen:
        """The released column, from what the mechanism gave and public facts."""

    def expected(self, name: str, mechanism: Mechanism) -> Chosen:
        """A column without values, for the error that it would have."""

    def facts(self) -> dict[str, Any]:
        """All that the utility depends on but the data."""


@dataclass(frozen=True, slots=True)
class ChoiceExplanation:
    """What a choice would cost, and how far from the best it may be."""

    question: str
    mechanism: Mechanism
    sensitivity: Sensitivity
    guarantee: Guarantee
    unit: Unit
    expected: Chosen
    step: Fraction = Fraction(1)
    """What one step of the utility is worth, in its own units."""

    @escaped
    def __str__(self) -> str:
        value = self.sensitivity.value
        moved = value if self.step == 1 else digits_above(value * self.step)
        error = shown_above(self.expected.accuracy(0.05))
        return "\n".join(
            (
                f"question     {self.question}",
                f"protects     {self.unit}",
                f"sensitivity  {moved} in {self.sensitivity.metric.value}",
                f"mechanism    {self.mechanism.name}",
                f"cost         {self.guarantee}",
                f"error        ± {error} {self.expected.error}, 95 % of the time",
            )
        )


@dataclass(frozen=True, slots=True)
class Choose(Generic[V]):
    """One choice by one mechanism."""

    query: Utility[V]
    mechanism: Mechanism
    unit: Unit
    name: str = "value"

    def __post_init__(self) -> None:
        check_names(self.keys, self.names)

    @property
    def keys(self) -> Keys | None:
        """What names the chosen values."""
        return self.query.keys

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def guarantee(self) -> Guarantee:
        """That of the mechanism at the utility's sensitivity  [A Thm 7.1]."""
        return self.mechanism.guarantee(self.query.sensitivity(self.unit), self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, utility, mechanism and guarantee."""
        return fingerprint_of(
            "choose",
            {
                "name": self.name,
                "unit": self.unit.column,
                "relation": self.unit.relation.value,
                "query": self.query.facts(),
                "mechanism": self.mechanism.facts(),
                "guarantee": to_form(self.guarantee),
            },
        )

    def explain(self) -> ChoiceExplanation:
        """Cost and expected error, for free."""
        return ChoiceExplanation(
            question=str(self.query),
            mechanism=self.mechanism,
            sensitivity=self.query.sensitivity(self.unit),
            guarantee=self.guarantee,
            unit=self.unit,
            expected=self.query.expected(self.name, self.mechanism),
            step=getattr(self.query, "step", Fraction(1)),
        )

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column, and an engine where a table is read."""
        check_table(self.query, view)

    def run(self, view: V, bits: Bits) -> Outcome:
        """The utility, then the mechanism; only what it names leaves."""
        released = self.mechanism.release(self.query.evaluate(view), bits)
        return Outcome((self.query.chosen(self.name, released, self.mechanism),), self.keys)
