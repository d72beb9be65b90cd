"""The gate: the only place where data, noise and ledger meet."""

from typing import Any, Generic, TypeVar

from dalenius.curator.outcome import Outcome
from dalenius.curator.plan import Plan
from dalenius.curator.release import Release, released
from dalenius.errors import ExecutionFailed, MixedRelations
from dalenius.ledger import Amount, Ledger
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.queries import Table, View

V = TypeVar("V", bound=View)


class Curator(Generic[V]):
    """Holds private data, and lets nothing out that the ledger has not been paid for.

    Its `repr` names the data set and no more.
    """

    def __init__(
        self,
        data: Any,
        *,
        unit: Unit | str,
        ledger: Ledger,
        dataset: str,
        analyst: str | None = None,
        bits: Bits | None = None,
    ) -> None:
        self.unit = Unit.of(unit)
        self.ledger = ledger
        self.dataset = dataset
        self.analyst = analyst
        self._view = data if isinstance(data, View) else Table.of(data)
        self._bits = bits or Bits()

    def release(self, plan: Plan[V], key: str | None = None) -> Release:
        """Charge, then read, then store, then hand out what is stored.

        A crash after the charge burns it. A retry with the same key never draws twice: the first committed release is
        the answer.
        """
        if plan.unit != self.unit:
            raise MixedRelations(f"this data protects {self.unit}; the plan protects {plan.unit}")
        receipt = self.ledger.reserve(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            key=key,
            fingerprint=plan.fingerprint,
        )
        if receipt.release is None:
            self.ledger.commit(receipt, self._run(plan))
        return released(Outcome.from_dict(self.ledger.release_of(receipt)), receipt)

    @property
    def budget(self) -> Amount:
        """What may still be spent on this data set."""
        return self.ledger.remaining(self.dataset)

    def __repr__(self) -> str:
        return f"Curator({self.dataset!r}, {self.unit})"

    def _run(self, plan: Plan[V]) -> Outcome:
        try:
            return plan.run(self._view, self._bits)  # type: ignore[arg-type]
        except Exception:
            # whatever went wrong may be the doing of a row, so neither its kind nor its words may leave
            failed = ExecutionFailed("the release failed after it was charged; the reason stays with the data")
        raise failed
