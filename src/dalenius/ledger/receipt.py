"""What the ledger hands out and keeps: entries and receipts."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from dalenius.guarantees import Guarantee
from dalenius.ledger.blocks import Blocks
from dalenius.ledger.charge import canonical, from_form
from dalenius.ledger.cost import Cost
from dalenius.ledger.store import Link
from dalenius.neighbors import Unit


@dataclass(frozen=True, slots=True)
class Entry:
    """One charge, as it stands in the chain; `charged` is what it cost in each branch of the filter."""

    number: int
    dataset: str
    guarantee: Guarantee
    charged: Cost
    unit: Unit
    analyst: str | None
    blocks: Blocks | None
    label: str | None
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


def question_of(body: dict[str, Any]) -> str | None:
    """What two charges must share for the answer of one to be that of the other; None if it is not known."""
    if body["fingerprint"] is None:
        return None
    asked = [body["fingerprint"], body["guarantee"], body["unit"], body.get("blocks")]
    return hashlib.sha256(canonical(asked)).hexdigest()


def receipt_of(dataset: str, body: dict[str, Any], number: int, digest: str, payload: bytes | None) -> Receipt:
    """The receipt of an entry, with the release that is stored under it, if any."""
    guarantee = from_form(body["guarantee"])
    release = None if payload is None else decoded(payload)
    return Receipt(dataset, guarantee, Unit(body["unit"], guarantee.relation), digest, number, release)


def entry_of(link: Link, unit: Unit, charged: Cost) -> Entry:
    """An entry as its link keeps it, in either version."""
    body = json.loads(link.body)
    blocks = body.get("blocks")
    return Entry(
        number=link.number,
        dataset=link.dataset,
        guarantee=from_form(body["guarantee"]),
        charged=charged,
        unit=unit,
        analyst=body["analyst"],
        blocks=None if blocks is None else Blocks.from_dict(blocks),
        label=body.get("label"),
        key=link.key,
        fingerprint=body["fingerprint"],
        time=body["time"],
        hash=link.hash,
    )


def decoded(payload: bytes) -> dict[str, Any]:
    """A release as it was stored."""
    return json.loads(payload)  # type: ignore[no-any-return]
