"""Entries and receipts: what the ledger keeps and hands out."""

import json
from dataclasses import dataclass, field
from typing import Any

from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger.blocks import Blocks
from dalenius.ledger.charge import from_form
from dalenius.ledger.cost import Cost
from dalenius.ledger.decimals import in_decimals
from dalenius.ledger.store import Link
from dalenius.neighbors import Unit


@dataclass(frozen=True, slots=True)
class Entry:
    """One charge, as it stands in the chain; `charged` is what it cost in each branch of the filter.

    `text` is the question as it was asked, `purpose` what for, `by` whose hand wrote the entry and `origin` from where
    ("python", "command line", "http", "wire"). A surcharge is an entry of its own, and `label` says of what kind.
    """

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
    text: str | None = None
    purpose: str | None = None
    by: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One link of a chain: a charge, an answer, or a decision of the owner; `words` are all that it says."""

    number: int
    kind: str
    dataset: str
    analyst: str | None
    by: str | None
    origin: str | None
    time: str
    hash: str
    words: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: all that it says, its numbers in decimals."""
        place = {"dataset": self.dataset, "number": self.number, "kind": self.kind, "time": self.time}
        return place | {"analyst": self.analyst} | in_decimals(self.words) | {"hash": self.hash}

    def holds(self, text: str) -> bool:
        """Whether its text, purpose, label or reason holds some words, whatever their case."""
        said = (self.words.get(word) for word in ("text", "purpose", "label", "reason"))
        return any(text.lower() in one.lower() for one in said if isinstance(one, str))


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
    repeated: bool = field(default=False, compare=False)
    """Whether who asks had paid before, so that this time nothing was charged."""

    @escaped
    def __str__(self) -> str:
        return f"entry {self.length} of {self.dataset} ({self.head[:12]})"


def receipt_of(dataset: str, body: dict[str, Any], number: int, digest: str, release: dict[str, Any] | None) -> Receipt:
    """The receipt of an entry, with the release that is stored under it, if any."""
    guarantee = from_form(body["guarantee"])
    return Receipt(dataset, guarantee, Unit.stored(body["unit"], guarantee.relation), digest, number, release)


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
        **{word: body.get(word) for word in ("text", "purpose", "by", "origin")},
    )


def log_entry(link: Link) -> LogEntry:
    """A link as the log shows it."""
    body = json.loads(link.body)
    who, time = body.get("analyst", body.get("team")), body.get("time", "")
    return LogEntry(
        link.number, link.kind, link.dataset, who, body.get("by"), body.get("origin"), time, link.hash, body
    )


def decoded(payload: bytes) -> dict[str, Any]:
    """A release as it was stored."""
    return json.loads(payload)  # type: ignore[no-any-return]
