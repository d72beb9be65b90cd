"""Through which curator a fit is charged, if through any."""

from typing import Any

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.queries import View


def gate_for(rows: View, curator: Any, ledger: Any, dataset: Any, bits: Any) -> Curator[Any] | None:
    """A curator over the rows that charges where the given one does, or the ledger; None where there is neither."""
    if curator is not None:
        if ledger is not None or dataset is not None:
            raise InvalidParameter("give a curator, or a ledger with a dataset, not both")
        if not all(hasattr(curator, name) for name in ("ledger", "dataset", "unit")):
            raise UnprovenClaim("curator must have a ledger, a dataset and a unit to charge")
        analyst = getattr(curator, "analyst", None)
        return Curator(
            rows, unit=curator.unit, ledger=curator.ledger, dataset=curator.dataset, analyst=analyst, bits=bits
        )
    if ledger is None and dataset is None:
        return None
    if not isinstance(ledger, Ledger) or not isinstance(dataset, str):
        raise InvalidParameter("a ledger is charged for a data set: give ledger=Ledger.open(...) and dataset='name'")
    return Curator(rows, unit=ledger.unit(dataset), ledger=ledger, dataset=dataset, bits=bits)
