"""Keys that open a served data set: who holds one, in which role, until when; rules for their links.

Grant and revocation are links of the chain of every data set that a key opens. What proves that somebody holds a key (a
hash for HTTP, a SCRAM verifier for the PostgreSQL protocol, both one-way) stands in a table of its own, which no log
and no export shows. A key is shown once, when it is made.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.ledger import facts
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import LedgerFacts
from dalenius.ledger.store import Records

ITERATIONS = 4096
"""Rounds of the SCRAM verifier, as PostgreSQL has them: a key is 256 random bits, which no number of rounds adds to."""

EVERYBODY = "public"
"""The name under which the share of everybody who asks without a key is kept; no key has it, and no team."""


class Role(StrEnum):
    """What a key lets its holder do with a data set."""

    OWNER = "owner"
    ANALYST = "analyst"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True)
class Key:
    """A key as the ledger knows it: its holder's name, and the data sets that it opens, each in one role.

    `fingerprint` names it in the log; nobody can make the key from it. `until` is when the last of these ends, and
    `ends` when each does; `used` is about when it was last seen, and `revoked` whether it opens nothing any more. A key
    with an `identity` has no secret: whom a provider or a proxy knows by that name is signed in with it.
    """

    name: str
    fingerprint: str
    roles: Mapping[str, Role]
    until: str | None = None
    used: str | None = None
    revoked: bool = False
    identity: str | None = None
    ends: Mapping[str, str | None] = field(default_factory=dict)

    def role(self, dataset: str) -> Role | None:
        """The role in a data set; None if the key does not open it."""
        return self.roles.get(dataset)

    def ends_in(self, datasets: Iterable[str]) -> str | None:
        """When it ends in the last of these data sets; None if it never does in one of them."""
        return last_end(self.ends[dataset] for dataset in datasets if dataset in self.ends)


def check_holder(name: str) -> None:
    """Refuse a name that a server could take for somebody else's: it keeps views, retries and shares by it."""
    if name.splitlines() != [name]:  # a server tells retries of its askers apart by a line with their name
        raise InvalidParameter("the name of a key's holder must be one line")
    if name == EVERYBODY:
        raise InvalidParameter(f"{name!r} is the name of everybody who asks without a key: give another")


def fingerprint_of(secret: str) -> str:
    """The name of a key in the log: half of a hash of its hash."""
    return hashlib.sha256(b"dalenius key " + hash_of(secret).encode()).hexdigest()[:32]


def login_fingerprint(identity: str, generation: int) -> str:
    """The name in the log of what lets an identity in; another one once it was revoked, and old cookies end with it."""
    return hashlib.sha256(f"dalenius login {generation} {identity}".encode()).hexdigest()[:32]


def scram_verifier(secret: str) -> str:
    """What PostgreSQL keeps of a password: SCRAM-SHA-256 of RFC 7677, with a salt of its own."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", secret.encode(), salt, ITERATIONS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    parts = [base64.b64encode(part).decode() for part in (salt, stored, hmac.digest(salted, b"Server Key", "sha256"))]
    return f"SCRAM-SHA-256${ITERATIONS}:{parts[0]}${parts[1]}:{parts[2]}"


def grant(book: LedgerFacts, dataset: str, body: Mapping[str, Any], digest: str) -> None:
    """A key opens the data set, or opens it otherwise than before."""
    before = granted(book, dataset, body["fingerprint"])
    if before is not None and (before["revoked"] or before["name"] != body["name"]):
        raise ValueError("a key that was revoked stays so, and its holder is one and the same")
    kept = {word: body[word] for word in ("name", "role", "until")} | {"revoked": False}
    book.put_fact(dataset, facts.KEY, body["fingerprint"], canonical(kept).decode())


def grant_login(book: LedgerFacts, dataset: str, body: Mapping[str, Any], digest: str) -> None:
    """Whom somebody else vouches for under an identity opens the data set."""
    words = ("name", "role", "until", "identity")
    kept = {word: body[word] for word in words} | {"revoked": False}
    book.put_fact(dataset, facts.KEY, body["fingerprint"], canonical(kept).decode())


def revoke(book: LedgerFacts, dataset: str, body: Mapping[str, Any], digest: str) -> None:
    """A key opens the data set no more, for ever."""
    kept = granted(book, dataset, body["fingerprint"])
    if kept is None:
        raise ValueError("a key that nobody made cannot be revoked")
    book.put_fact(dataset, facts.KEY, body["fingerprint"], canonical(kept | {"revoked": True}).decode())


def opens(words: Mapping[str, Any], time: str) -> bool:
    """Whether a data set is open, at a time, to a key of which its chain says these words."""
    return not words["revoked"] and (words["until"] is None or time < words["until"])


def last_end(ends: Iterable[str | None]) -> str | None:
    """The last of several ends; None, which is never, if one of them is."""
    every = list(ends)
    return None if None in every else max(filter(None, every), default=None)


def key_of(records: Records, mark: str, times: Mapping[str, str]) -> Key:
    """A key with the data sets that it opens now; one that opens none counts as revoked."""
    every = {dataset: granted(records, dataset, mark) for dataset in times}
    given = {dataset: words for dataset, words in every.items() if words is not None}
    roles = {dataset: Role(words["role"]) for dataset, words in given.items() if opens(words, times[dataset])}
    ends = {dataset: given[dataset]["until"] for dataset in roles or given}
    first: dict[str, Any] = next(iter(given.values()), {"name": ""})
    kept = records.secret(mark)
    used = None if kept is None else kept.used
    return Key(first["name"], mark, roles, last_end(ends.values()), used, not roles, first.get("identity"), ends)


def granted(book: LedgerFacts, dataset: str, mark: str) -> dict[str, Any] | None:
    """What a data set's chain says of a key; None if it never opened that data set."""
    kept = book.fact(dataset, facts.KEY, mark)
    return None if kept is None else json.loads(kept)


def hash_of(secret: str) -> str:
    """What is kept of a key, to know it by."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
