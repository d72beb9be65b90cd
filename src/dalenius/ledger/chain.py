"""Entries bound together by hashes, so that none can be changed or dropped unseen."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from dalenius.errors import BudgetExceeded, LedgerCorrupted, UnknownName
from dalenius.ledger.accounts import population_of
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import LedgerFacts, RecomputedFacts
from dalenius.ledger.follow import follow
from dalenius.ledger.heads import check_heads, head_to_keep
from dalenius.ledger.kinds import COMMIT, CONTINUE, RESERVE
from dalenius.ledger.sealing import AnswerKeys
from dalenius.ledger.store import COMMON, Link, Records

Releases = dict[str, tuple[str, str]]
"""By its receipt: whose answer it is, and the hash that the chain names it by."""


def append(
    records: Records, kind: str, dataset: str, body: Mapping[str, Any], key: str | None = None
) -> tuple[int, str]:
    """Add a link whose hash covers its own words and the link before it, and all that follows from it.

    Its number and hash; BudgetExceeded if it may not be there, and then the caller's transaction writes nothing.
    """
    chain = population_of(records, dataset)
    length, head = records.last_link(chain)
    place = {"chain": chain, "number": length + 1, "previous": head}
    words = canonical(place | {"kind": kind, "dataset": dataset, "key": key} | dict(body))
    digest = hashlib.sha256(words).hexdigest()
    follow(records, kind, dataset, body, digest)
    records.add_link(Link(chain, length + 1, kind, dataset, key, words, digest))
    return length + 1, digest


def verify(records: Records, head: str | None, answers: AnswerKeys | None = None) -> tuple[int, str]:
    """Length and head of chains that are whole: every hash, total, share, block and release agrees with them."""
    if not records.sound():
        raise LedgerCorrupted("what the ledger looks entries up by does not agree with the entries")
    facts = RecomputedFacts()
    _, _, releases = replay(records, facts)
    if set(records.all_facts()) != set(facts.all_facts()):
        raise LedgerCorrupted("the totals, shares, blocks or terms are not what the entries add up to")
    _check_releases(records, releases, answers or AnswerKeys())
    check_heads(records)
    if head is not None and records.link_of_hash(head) is None and all(each.hash != head for each in records.heads()):
        raise LedgerCorrupted("the chain lacks the given head: it was cut short, or an old copy was put back")
    return head_to_keep(records)


def replay(records: Records, facts: LedgerFacts) -> tuple[int, str, Releases]:
    """Follow all chains: length and head of the common one, and the data set and hash of each release by its receipt.

    Chains come in the order of names, the common one first; so the chain of a data set that was joined to a population
    comes before that of the population, which bears the last of its names.
    """
    chain, length, previous = COMMON, 0, ""
    common = (0, "")
    charges: dict[str, str] = {}
    releases: Releases = {}
    for link in records.links():
        if link.chain != chain:
            chain, length, previous = link.chain, 0, ""
        body = _checked(link, length, previous)
        try:
            if link.kind == CONTINUE and (body["common"]["length"], body["common"]["head"]) != common:
                raise LedgerCorrupted(f"the chain of {link.chain!r} does not go on from the common chain")
            if link.chain not in (COMMON, population_of(facts, link.dataset)):
                raise LedgerCorrupted(f"entry {link.number} of {link.chain!r} belongs to another chain")
            follow(facts, link.kind, link.dataset, body, link.hash)
        except (BudgetExceeded, UnknownName, KeyError, TypeError, ValueError):
            raise LedgerCorrupted(f"entry {link.number} of {link.dataset!r} could not have been admitted") from None
        if link.kind == RESERVE:
            charges[link.hash] = link.dataset
        if link.kind == COMMIT:
            if charges.get(body["receipt"]) != link.dataset or body["receipt"] in releases:
                raise LedgerCorrupted(
                    f"entry {link.number} of {link.dataset!r} answers no charge, or one a second time"
                )
            releases[body["receipt"]] = link.dataset, body["release"]
        length, previous = link.number, link.hash
        if chain == COMMON:
            common = (length, previous)
    return *common, releases


def _checked(link: Link, length: int, previous: str) -> dict[str, Any]:
    """The words of a link that follows on the one before it, unchanged."""
    if hashlib.sha256(link.body).hexdigest() != link.hash:
        raise LedgerCorrupted(f"entry {link.number} was changed after it was written")
    body: dict[str, Any] = json.loads(link.body)
    place = {} if link.chain == COMMON else {"chain": link.chain}
    linked = place | {
        "number": length + 1,
        "kind": link.kind,
        "dataset": link.dataset,
        "key": link.key,
        "previous": previous,
    }
    if link.number != length + 1 or any(name not in body or body[name] != value for name, value in linked.items()):
        raise LedgerCorrupted(f"the chain of {link.chain!r} is broken at entry {length + 1}")
    return body


def _check_releases(records: Records, releases: Releases, answers: AnswerKeys) -> None:
    if records.receipts() != set(releases):
        raise LedgerCorrupted("the stored releases are not those that the chain names")
    for receipt, (dataset, digest) in releases.items():
        answers.check_stored(records, dataset, receipt, records.release(receipt) or b"", digest)
