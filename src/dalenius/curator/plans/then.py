"""A plan made from what another one released."""

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import Plan, check_view
from dalenius.errors import MixedRelations, UnprovenClaim
from dalenius.escape import escaped
from dalenius.guarantees import ApproxDP, Guarantee, PureDP
from dalenius.ledger import to_form
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.queries import View

V = TypeVar("V", bound=View)
V_co = TypeVar("V_co", bound=View, covariant=True)


class Next(Protocol[V_co]):
    """How the second plan follows from the first release; it sees nothing else."""

    def __call__(self, released: Outcome) -> Plan[Any]:
        """The second plan."""

    def notes(self, released: Outcome) -> dict[str, Any]:
        """What the answer tells of the first release, such as the bounds that were found."""

    def facts(self) -> dict[str, Any]:
        """All that the rule depends on."""

    def expected(self) -> object:
        """What can be said of the second plan beforehand."""


@dataclass(frozen=True, slots=True)
class ThenExplanation:
    """What two steps would cost in all, and what is known of each."""

    first: object
    second: object
    guarantee: Guarantee
    unit: Unit

    @escaped
    def __str__(self) -> str:
        total = f"two steps\nprotects     {self.unit}\ncost         {self.guarantee}"
        return f"{total}\n\nfirst:\n{self.first}\n\nthen:\n{self.second}"


@dataclass(frozen=True, slots=True)
class Then(Generic[V]):
    """`first`, then the plan that `next` makes of its release, for no more than `price`.

    The second plan is chosen after the first release was seen, but its price is fixed beforehand, so the two compose as
    any adaptive pair  [A Thm 3.3]. A second plan that costs more is refused before it reads anything.
    """

    first: Plan[V]
    next: Next[V]
    price: PureDP | ApproxDP

    def __post_init__(self) -> None:
        if not isinstance(self.price, PureDP | ApproxDP):
            raise UnprovenClaim(f"the price of a second step is an ε and a δ, got {type(self.price).__name__}")
        if self.price.relation is not self.unit.relation:
            raise MixedRelations(f"the first step protects {self.unit}; the price is for {self.price.relation.value}")

    @property
    def unit(self) -> Unit:
        return self.first.unit

    @property
    def guarantee(self) -> Guarantee:
        """The first step's, composed with the price of the second  [A Thm 3.3]."""
        return self.first.guarantee.compose(self.price)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the first plan's fingerprint, the rule and the price."""
        facts = {"first": self.first.fingerprint, "next": self.next.facts(), "guarantee": to_form(self.guarantee)}
        return fingerprint_of("then", facts | {"price": to_form(self.price)})

    def explain(self) -> ThenExplanation:
        """Cost of both, and what is known of each, for free."""
        return ThenExplanation(self.first.explain(), self.next.expected(), self.guarantee, self.unit)

    def check(self, view: View) -> None:
        """Refuse what the first step refuses, and what the rule does: the second step is not known yet."""
        check_view(self.first, view)
        check_view(self.next, view)

    def run(self, view: V, bits: Bits) -> Outcome:
        """The first step, then the second if its price covers it."""
        released = self.first.run(view, bits)
        second = self.next(released)
        if second.unit != self.unit or not _covers(self.price, second.guarantee):
            raise UnprovenClaim("the second step costs more than its price, or protects another unit")
        check_view(second, view)
        outcome = second.run(view, bits)
        return replace(outcome, notes=outcome.notes | self.next.notes(released))


def _covers(price: PureDP | ApproxDP, guarantee: Guarantee) -> bool:
    """Whether the guarantee is proved to be no weaker than the price, ε by ε and δ by δ."""
    form, most = guarantee.sum_form, price.sum_form
    if guarantee.relation is not price.relation or form is None or most is None:
        return False
    return form[0] <= most[0] and form[1] <= most[1]
