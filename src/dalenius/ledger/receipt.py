"""What the ledger hands out and keeps: entries and receipts."""

from dataclasses import dataclass
from typing import Any

from dalenius.guarantees import Guarantee
from dalenius.ledger.amount import Amount
from dalenius.neighbors import Unit


@dataclass(frozen=True, slots=True)
class Entry:
    """One charge, as it stands in the chain."""

    number: int
    dataset: str
    guarantee: Guarantee
    charged: Amount
    unit: Unit
    analyst: str | None
    key: str | None
    fingerprint: str | None
    time: str
    hash: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of a charge: the right to one release.

    `head` and `length` are those of the chain when the charge was written: kept elsewhere, they let `verify` find a
    ledger that was cut short or put back from an old copy. `release` is what was committed under this charge, if any.
    """

    dataset: str
    guarantee: Guarantee
    unit: Unit
    head: str
    length: int
    release: dict[str, Any] | None = None

    def __str__(self) -> str:
        return f"entry {self.length} of {self.dataset} ({self.head[:12]})"
