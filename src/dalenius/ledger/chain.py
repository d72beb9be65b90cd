"""Entries bound together by hashes, so that none can be changed or dropped unseen."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from dalenius.errors import BudgetExceeded, LedgerCorrupted, UnknownName
from dalenius.ledger.accounts import COMMIT, follow
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import Facts, RecomputedFacts
from dalenius.ledger.store import Link, Records


def append(
    records: Records, kind: str, dataset: str, body: Mapping[str, Any], key: str | None = None
) -> tuple[int, str]:
    """Add a link whose hash covers its own words and the link before it, and all that follows from it.

    Its number and hash; BudgetExceeded if it may not be there, and then the caller's transaction writes nothing.
    """
    length, head = records.last_link()
    words = canonical(
        {"number": length + 1, "kind": kind, "dataset": dataset, "key": key, "previous": head} | dict(body)
    )
    digest = hashlib.sha256(words).hexdigest()
    follow(records, kind, dataset, body, digest)
    records.add_link(Link(length + 1, kind, dataset, key, words, digest))
    return length + 1, digest


def verify(records: Records, head: str | None) -> tuple[int, str]:
    """Length and head of a chain that is whole: every hash, total, share, block and release agrees with it."""
    if not records.sound():
        raise LedgerCorrupted("what the ledger looks entries up by does not agree with the entries")
    facts = RecomputedFacts()
    length, previous, releases = replay(records, facts)
    if set(records.all_facts()) != set(facts.all_facts()):
        raise LedgerCorrupted("the totals, shares, blocks or terms are not what the entries add up to")
    _check_releases(records, releases)
    if head is not None and records.link_of_hash(head) is None:
        raise LedgerCorrupted("the chain lacks the given head: it was cut short, or an old copy was put back")
    return length, previous


def replay(records: Records, facts: Facts) -> tuple[int, str, dict[str, str]]:
    """Follow the whole chain: its length, its head, and the hash of each release by its receipt."""
    length, previous = 0, ""
    releases: dict[str, str] = {}
    for link in records.links():
        body = _checked(link, length, previous)
        try:
            follow(facts, link.kind, link.dataset, body, link.hash)
        except (BudgetExceeded, UnknownName, KeyError, TypeError, ValueError):
            raise LedgerCorrupted(f"entry {link.number} could not have been admitted") from None
        if link.kind == COMMIT:
            releases[body["receipt"]] = body["release"]
        length, previous = link.number, link.hash
    return length, previous, releases


def _checked(link: Link, length: int, previous: str) -> dict[str, Any]:
    """The words of a link that follows on the one before it, unchanged."""
    if hashlib.sha256(link.body).hexdigest() != link.hash:
        raise LedgerCorrupted(f"entry {link.number} was changed after it was written")
    body: dict[str, Any] = json.loads(link.body)
    linked = {
        "number": length + 1,
        "kind": link.kind,
        "dataset": link.dataset,
        "key": link.key,
        "previous": previous,
    }
    if link.number != length + 1 or any(name not in body or body[name] != value for name, value in linked.items()):
        raise LedgerCorrupted(f"the chain is broken at entry {length + 1}")
    return body


def _check_releases(records: Records, releases: dict[str, str]) -> None:
    if records.receipts() != set(releases):
        raise LedgerCorrupted("the stored releases are not those that the chain names")
    for receipt, digest in releases.items():
        payload = records.release(receipt)
        if payload is None or hashlib.sha256(payload).hexdigest() != digest:
            raise LedgerCorrupted("a stored release was changed after it was written")
