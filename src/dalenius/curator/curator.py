"""The gate: the only place where data, noise and ledger meet."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from dalenius.curator.facts import Bounds, Facts
from dalenius.curator.fingerprint import fingerprint_of
from dalenius.curator.interactive import Interactive, OpenRun
from dalenius.curator.outcome import Outcome
from dalenius.curator.plan import Plan, check_view
from dalenius.curator.release import Release, released
from dalenius.errors import ExecutionFailed, InvalidParameter, MixedRelations
from dalenius.ledger import Amount, Ledger
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.queries import Key, Table, View

V = TypeVar("V", bound=View)


class Curator(Generic[V]):
    """Holds private data, and lets nothing out that the ledger has not been paid for.

    A data set in the ledger may hold several tables, told apart by `table`; `version` names the state of the data,
    publicly: the owner gives a new one when rows change, so that an answer about the old rows is not taken for one
    about the new. It gives no new budget. `facts` are what a plan may know: the unit, declared bounds, keys and
    contributions, and the number of rows where that is public. Its `repr` names the data set and no more.
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
        table: str | None = None,
        version: str | int | None = None,
        bounds: Mapping[str, Bounds] | None = None,
        keys: Mapping[str, Iterable[Key]] | None = None,
        contributions: int | None = None,
        rows: int | None = None,
    ) -> None:
        if isinstance(version, bool) or not isinstance(version, str | int | None):
            raise InvalidParameter(f"version must be a text or a whole number, got {version!r}")
        self.facts = Facts.declare(unit=unit, bounds=bounds, keys=keys, contributions=contributions, rows=rows)
        self.ledger = ledger
        self.dataset = dataset
        self.analyst = analyst
        self.table = table
        self.version = version
        self._view = data if isinstance(data, View) else Table.of(data)
        self._bits = bits or Bits()

    def release(self, plan: Plan[V], key: str | None = None) -> Release:
        """Charge, then read, then store, then hand out what is stored.

        A crash after the charge burns it. A retry with the same key never draws twice: the first committed release is
        the answer. Without a key, a question that was answered before, of the same data version, gets the same answer.
        """
        if isinstance(plan, Interactive):
            raise InvalidParameter("an interactive plan is not released but opened: curator.open(plan)")
        self._check_unit(plan.unit)
        check_view(plan, self._view)
        receipt = self.ledger.reserve(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            key=key,
            fingerprint=self._asked(plan),
        )
        if receipt.release is None:
            self.ledger.commit(receipt, self._run(plan))
        return released(Outcome.from_dict(self.ledger.release_of(receipt)), receipt)

    def earlier(self, plan: Plan[V]) -> Outcome | None:
        """What `release` would hand out for nothing, without a key; None if it would charge anyone. Nothing is read."""
        self._check_unit(plan.unit)
        stored = self.ledger.earlier(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            fingerprint=self._asked(plan),
        )
        return None if stored is None else Outcome.from_dict(stored)

    def open(self, plan: Interactive) -> OpenRun[V]:
        """Charge an interactive mechanism for its whole life, then give the handle to ask.

        There is no key: a second opening is another run, with noise of its own, and is charged again.
        """
        self._check_unit(plan.unit)
        receipt = self.ledger.reserve(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            key=f"run {uuid.uuid4()}",  # a run's transcript is no answer for another run: never taken from the cache
            fingerprint=plan.fingerprint,
        )
        return OpenRun(plan, receipt, self._view, self.ledger, self._bits)  # type: ignore[arg-type]

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.facts.unit

    @property
    def budget(self) -> Amount:
        """What may still be spent on this data set."""
        return self.ledger.remaining(self.dataset)

    def __repr__(self) -> str:
        return f"Curator({self.dataset!r}, {self.unit})"

    def _asked(self, plan: Plan[V]) -> str:
        return fingerprint_of("asked", {"table": self.table, "version": self.version, "part": plan.fingerprint})

    def _check_unit(self, unit: Unit) -> None:
        if unit != self.unit:
            raise MixedRelations(f"this data protects {self.unit}; the plan protects {unit}")

    def _run(self, plan: Plan[V]) -> Outcome:
        try:
            return plan.run(self._view, self._bits)  # type: ignore[arg-type]
        except Exception:
            # whatever went wrong may be the doing of a row, so neither its kind nor its words may leave
            failed = ExecutionFailed("the release failed after it was charged; the reason stays with the data")
        raise failed
