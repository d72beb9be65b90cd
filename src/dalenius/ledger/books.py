"""What every part of a ledger has: its store, its clock, and on whose behalf it writes."""

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from dalenius.calls import Readable
from dalenius.errors import InvalidParameter, LedgerError
from dalenius.ledger import accounts, chain, facts, kinds
from dalenius.ledger.alerts import Hook
from dalenius.ledger.blocks import is_text
from dalenius.ledger.encryption_keys import EncryptionKeys, read_keys
from dalenius.ledger.follow import RULES
from dalenius.ledger.heads import EVERY, checkpoint
from dalenius.ledger.labels import LabelledCharges
from dalenius.ledger.moments import later, written
from dalenius.ledger.sealing import AnswerKeys
from dalenius.ledger.store import Records, Store

LONGEST = {
    "name": 200,
    "key": 1_000,
    "purpose": 2_000,
    "label": 2_000,
    "error": 2_000,
    "text": 200_000,
    "identity": 1_000,
}
"""Characters that the texts of an entry may have."""


class Books(Readable):
    """A store of chains that is written to in the name of somebody, dated by a time that never goes back."""

    def __init__(
        self, kept_in: Store, clock: Callable[[], datetime] | None = None, encryption_key: EncryptionKeys = None
    ) -> None:
        self._answers = AnswerKeys(read_keys(encryption_key))
        self._store = kept_in
        self._clock = clock or (lambda: datetime.now(UTC))
        self._by: str | None = None
        self._origin = "python"
        self._purpose: str | None = None
        self._hook: Hook | None = None
        self._labelled = LabelledCharges()
        self._unbound = 0  # entries written here since the last checkpoint
        with self._store.reading() as records:
            kinds.check_known(records, frozenset(RULES))
        self._checkpoint()

    def on_alert(self, hook: Hook | None) -> None:
        """Call this, once for each level, when a charge of this process takes a budget past 50, 80 or 100 %."""
        self._hook = hook

    def _append(
        self,
        records: Records,
        kind: str,
        dataset: str,
        body: dict[str, Any],
        key: str | None = None,
        not_before: str | None = None,
    ) -> tuple[int, str]:
        """Add a link with its time, and by whom and from where it was written."""
        clock = written(self._clock())
        time = later(not_before, self._time(records, dataset, clock))
        dated = {"version": 3, "time": time, "by": self._by, "origin": self._origin}
        if time != clock:
            dated |= {"clock": clock}
        self._unbound += 1
        return chain.append(records, kind, dataset, body | dated, key)

    def _time(self, records: Records, dataset: str, clock: str | None = None) -> str:
        """The later of the clock and the last entry of the data set's chain."""
        last = records.fact(accounts.population_of(records, dataset), facts.TIME)
        return later(last, clock or written(self._clock()))

    def _bind(self, number: int) -> None:
        """A checkpoint after every thousandth entry, in a transaction of its own: no charge waits for other chains."""
        if number % EVERY == 0:
            with contextlib.suppress(LedgerError):  # the entry is written; the next checkpoint does it
                self._checkpoint()

    def _checkpoint(self) -> None:
        with self._store.transaction() as records:
            checkpoint(records, written(self._clock()))
        self._unbound = 0


def check_texts(**words: str | None) -> None:
    """Refuse what would not come back as it was hashed, and what is longer than an entry holds."""
    for word, value in words.items():
        if value is None:
            continue
        if not is_text(value):
            raise InvalidParameter(f"{word} must be text or None, got {value!r:.50}")
        if not value and word in ("analyst", "name", "by"):  # nobody: it would stand for those who left a team
            raise InvalidParameter(f"{word} must have at least one character")
        most = LONGEST.get(word, LONGEST["name"])
        if len(value) > most:
            raise InvalidParameter(f"{word} may have {most} characters, got {len(value)}")
