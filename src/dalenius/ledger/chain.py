"""Entries bound together by hashes, so that none can be changed or dropped unseen."""

import hashlib
import json
import sqlite3
from typing import Any

from dalenius.errors import LedgerCorrupted
from dalenius.ledger import store
from dalenius.ledger.amount import Amount
from dalenius.ledger.charge import canonical

CREATE, RESERVE, COMMIT = "create", "reserve", "commit"


def append(
    connection: sqlite3.Connection, kind: str, dataset: str, body: dict[str, Any], key: str | None = None
) -> tuple[int, str]:
    """Add a link whose hash covers its own words and the link before it; its number and hash."""
    length, head = store.last_link(connection)
    words = canonical({"number": length + 1, "kind": kind, "dataset": dataset, "key": key, "previous": head} | body)
    digest = hashlib.sha256(words).hexdigest()
    store.add_link(connection, (length + 1, kind, dataset, key, words, digest))
    return length + 1, digest


def verify(connection: sqlite3.Connection, head: str | None) -> tuple[int, str]:
    """Length and head of a chain that is whole: every hash, every total and every release agree with it."""
    length, previous, totals, limits, releases = 0, "", {}, {}, {}
    for link in store.links(connection):
        number, kind, dataset, _, _, digest = link
        body = _checked(link, length, previous)
        if kind == CREATE:
            limits[dataset] = (body["unit"], body["relation"], body["epsilon_units"], body["delta_units"])
            totals[dataset] = Amount(0, 0)
        elif kind == RESERVE:
            totals[dataset] += Amount(int(body["epsilon_units"]), int(body["delta_units"]))
        else:
            releases[body["receipt"]] = body["release"]
        length, previous = number, digest
    _check_totals(connection, limits, totals)
    _check_releases(connection, releases)
    if head is not None and not store.has_link(connection, head):
        raise LedgerCorrupted("the chain lacks the given head: it was cut short, or an old copy was put back")
    return length, previous


def _checked(link: tuple[Any, ...], length: int, previous: str) -> dict[str, Any]:
    """The words of a link that follows on the one before it, unchanged."""
    number, kind, dataset, key, words, digest = link
    if hashlib.sha256(words).hexdigest() != digest:
        raise LedgerCorrupted(f"entry {number} was changed after it was written")
    body: dict[str, Any] = json.loads(words)
    linked = {"number": length + 1, "kind": kind, "dataset": dataset, "key": key, "previous": previous}
    if number != length + 1 or any(name not in body or body[name] != value for name, value in linked.items()):
        raise LedgerCorrupted(f"the chain is broken at entry {length + 1}")
    return body


def _check_totals(
    connection: sqlite3.Connection, limits: dict[str, tuple[Any, ...]], totals: dict[str, Amount]
) -> None:
    if set(store.dataset_names(connection)) != set(limits):
        raise LedgerCorrupted("the data sets are not those that the chain created")
    for name, declared in limits.items():
        row = store.dataset_row(connection, name)
        spent = totals[name]
        if row is None or row[:4] != declared or row[4:] != (str(spent.epsilon_units), str(spent.delta_units)):
            raise LedgerCorrupted(f"the budget of {name!r} is not what its entries add up to")


def _check_releases(connection: sqlite3.Connection, releases: dict[str, str]) -> None:
    if store.receipts_with_payload(connection) != set(releases):
        raise LedgerCorrupted("the stored releases are not those that the chain names")
    for receipt, digest in releases.items():
        payload = store.payload_of(connection, receipt)
        if payload is None or hashlib.sha256(payload).hexdigest() != digest:
            raise LedgerCorrupted("a stored release was changed after it was written")
