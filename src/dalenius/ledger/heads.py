"""The chain of heads: at a checkpoint it binds all chains together, so that one hash kept elsewhere speaks for all.

A charge locks the chain of its own data set and no other. So the heads of all chains are not linked in a charge but at
checkpoints: when the ledger is opened, closed and verified, and after every thousand entries of a chain. What was
charged since the last checkpoint is bound by its own chain alone.
"""

import hashlib
import json
from typing import Any

from dalenius.errors import LedgerCorrupted
from dalenius.ledger.charge import canonical
from dalenius.ledger.store import Head, Records

EVERY = 1000
"""Entries of a chain from one checkpoint to the next."""


def checkpoint(records: Records, time: str) -> None:
    """Link the heads of all chains, unless none has moved since the last checkpoint."""
    chains = {name: list(stands) for name, stands in records.chains().items()}
    last = records.last_head()
    if not chains or (last is not None and _words(last)["chains"] == chains):
        return
    number, previous = (0, "") if last is None else (last.number, last.hash)
    words = canonical({"number": number + 1, "previous": previous, "chains": chains, "time": time})
    records.add_head(Head(number + 1, words, hashlib.sha256(words).hexdigest()))


def check_heads(records: Records) -> None:
    """LedgerCorrupted unless every checkpoint follows on the one before it, and names links that are there."""
    number, previous = 0, ""
    known: dict[str, list[Any]] = {}
    for head in records.heads():
        body = _words(head)
        linked = {"number": number + 1, "previous": previous}
        if head.number != number + 1 or any(body.get(name) != value for name, value in linked.items()):
            raise LedgerCorrupted(f"the chain of heads is broken at checkpoint {number + 1}")
        for chain, stands in body["chains"].items():
            if known.get(chain) != stands:
                _check_link(records, head.number, chain, stands)
            known[chain] = stands
        number, previous = head.number, head.hash


def head_to_keep(records: Records) -> tuple[int, str]:
    """How many entries there are in all, and a hash that they hang on: of the only chain, or of the last checkpoint."""
    chains = records.chains()
    length = sum(length for length, _ in chains.values())
    if len(chains) <= 1:
        return next(iter(chains.values()), (0, ""))
    last = records.last_head()
    return length, "" if last is None else last.hash


def chains_at(records: Records, head: str) -> set[str]:
    """The chains that a checkpoint names; none if there is no such checkpoint."""
    return next((set(_words(each)["chains"]) for each in records.heads() if each.hash == head), set())


def _words(head: Head) -> dict[str, Any]:
    if hashlib.sha256(head.body).hexdigest() != head.hash:
        raise LedgerCorrupted(f"checkpoint {head.number} was changed after it was written")
    body: dict[str, Any] = json.loads(head.body)
    if not isinstance(body, dict) or not isinstance(body.get("chains"), dict):
        raise LedgerCorrupted(f"checkpoint {head.number} names no chains")
    return body


def _check_link(records: Records, number: int, chain: str, stands: list[Any]) -> None:
    link = records.link_of_hash(str(stands[1]))
    if link is None or [link.chain, link.number] != [chain, stands[0]]:
        raise LedgerCorrupted(f"the chain of {chain!r} lacks an entry that checkpoint {number} names: it was cut short")
