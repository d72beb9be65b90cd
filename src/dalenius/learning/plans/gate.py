"""Choose who is charged for a fit: a ledger, a curator, or a session of another package that has what a curator has."""

from typing import Any, Protocol, runtime_checkable

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.neighbors import Unit
from dalenius.noise import Bits


@runtime_checkable
class Chargeable(Protocol):
    """What can be charged: a ledger, the name of the data in it, and who is protected there."""

    @property
    def ledger(self) -> Ledger:
        """Where the charge is kept."""

    @property
    def dataset(self) -> str:
        """The name of the data in the ledger."""

    @property
    def unit(self) -> Unit:
        """Who is protected."""


def gate_for(rows: Any, curator: Any, ledger: Any, dataset: Any, bits: Bits | None) -> Curator[Any] | None:
    """The curator that a fit over these rows goes through, or None where nothing is charged.

    `curator` is a curator, a session, or a ledger with the name of the data set beside it.
    """
    if isinstance(curator, Ledger) and ledger is None:
        ledger, curator = curator, None
    if curator is not None:
        if ledger is not None or dataset is not None:
            raise InvalidParameter("give a curator, or a ledger with a dataset, not both")
        if not isinstance(curator, Chargeable):
            raise UnprovenClaim("curator must have a ledger, a dataset and a unit to charge")
        who = getattr(curator, "analyst", None)
        return Curator(rows, unit=curator.unit, ledger=curator.ledger, dataset=curator.dataset, analyst=who, bits=bits)
    if ledger is None and dataset is None:
        return None
    if not isinstance(ledger, Ledger) or not isinstance(dataset, str):
        raise InvalidParameter("a ledger is charged for a data set: give ledger=Ledger.open(...) and dataset='name'")
    return Curator(rows, unit=ledger.unit(dataset), ledger=ledger, dataset=dataset, bits=bits)


def answers_questions(curator: Any) -> bool:
    """Whether this is a session: whoever holds one may ask private questions, and is shown no exact number."""
    return callable(getattr(curator, "sql", None))
