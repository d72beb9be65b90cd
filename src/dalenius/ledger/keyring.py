"""Make, list, change and revoke keys, and find whose key a text is."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.ledger import accounts, facts, kinds
from dalenius.ledger.books import Books, check_texts
from dalenius.ledger.keys import (
    Key,
    Role,
    check_holder,
    fingerprint_of,
    granted,
    hash_of,
    key_of,
    opens,
    scram_verifier,
)
from dalenius.ledger.moments import read_moment
from dalenius.ledger.store import Records, Secret

PREFIX = "dk_"
AS_BEFORE = "as before"
"""The end of a key that a change leaves as it is."""
_NOBODY = hashlib.sha256(b"no key has this hash").hexdigest()


class Keyring(Books):
    """Keys, each grant, change and revocation an entry."""

    def create_key(
        self, name: str, role: Role | str, datasets: Iterable[str], *, until: datetime | str | None = None
    ) -> tuple[str, Key]:
        """A new key, and what the ledger keeps of it; the key is in no other place, and cannot be shown again.

        Args:
            name: whose it is: the analyst whose share pays, or who governs.
            role: "owner", "analyst" or "viewer".
            datasets: the data sets that it opens.
            until: when it ends: a datetime or a text such as "2027-01-01".
        """
        names = sorted({datasets} if isinstance(datasets, str) else set(datasets))
        check_texts(name=name)
        if not name or not names:
            raise InvalidParameter("a key needs the name of its holder and at least one data set")
        check_holder(name)
        if role not in tuple(Role):
            raise InvalidParameter(f"role must be owner, analyst or viewer, got {role!r}")
        end = None if until is None else read_moment(until, "until")
        secret = PREFIX + secrets.token_urlsafe(32)
        fingerprint = fingerprint_of(secret)
        words = {"name": name, "role": str(Role(role)), "fingerprint": fingerprint, "until": end}
        with self._store.transaction(*names) as records:
            for dataset in names:
                accounts.terms_of(records, dataset)
                if end is not None and end <= self._time(records, dataset):
                    raise InvalidParameter(f"a key must end in the future, got until={end}")
            records.add_secret(Secret(fingerprint, hash_of(secret), scram_verifier(secret), None))
            for dataset in names:
                self._append(records, kinds.KEY, dataset, words)
        return secret, Key(name, fingerprint, dict.fromkeys(names, Role(role)), end, ends=dict.fromkeys(names, end))

    def change_key(
        self, fingerprint: str, role: Role | str, datasets: Iterable[str], *, until: datetime | str | None = AS_BEFORE
    ) -> Key:
        """Give a key another role or end in data sets that it opens: not where it was revoked or has ended.

        Args:
            fingerprint: the key's name in the log.
            role: "owner", "analyst" or "viewer".
            datasets: the data sets in which it changes.
            until: when it ends there; as before if it is left out, and never if it is None.
        """
        names = sorted({datasets} if isinstance(datasets, str) else set(datasets))
        if role not in tuple(Role) or not names:
            raise InvalidParameter(
                f"a key has a role, owner, analyst or viewer, in at least one data set; got {role!r}"
            )
        given = None if until is None or until == AS_BEFORE else read_moment(until, "until")
        with self._store.transaction() as records:
            for dataset in names:
                accounts.terms_of(records, dataset)
                kept = granted(records, dataset, fingerprint)
                if kept is None or kept.get("identity") is not None or not opens(kept, self._time(records, dataset)):
                    raise UnknownName(f"no key with the fingerprint {fingerprint!r:.60} opens {dataset!r}")
                end = kept["until"] if until == AS_BEFORE else given
                if end is not None and end <= self._time(records, dataset):
                    raise InvalidParameter(f"a key must end in the future, got until={end}")
                words = {"name": kept["name"], "role": str(Role(role)), "fingerprint": fingerprint, "until": end}
                self._append(records, kinds.KEY, dataset, words)
            return key_of(records, fingerprint, self._ends(records))

    def revoke_key(self, fingerprint: str, datasets: Iterable[str] | None = None) -> None:
        """Let a key open nothing any more, or none of these data sets, from the next request on."""
        with self._store.transaction() as records:
            named = records.datasets() if datasets is None else sorted(set(datasets))
            opened = [name for name in named if granted(records, name, fingerprint) is not None]
            if not opened:
                raise UnknownName(f"no key has the fingerprint {fingerprint!r:.60}")
            for dataset in opened:
                kept = granted(records, dataset, fingerprint)
                if kept is not None and not kept["revoked"]:
                    self._append(records, kinds.REVOKE_KEY, dataset, {"fingerprint": fingerprint})

    def all_keys(self) -> list[Key]:
        """Every key that was ever made, the revoked ones too, by name."""
        with self._store.reading() as records:
            prints = {mark for dataset in records.datasets() for mark, _ in records.facts(dataset, facts.KEY)}
            every = [key_of(records, mark, self._ends(records)) for mark in prints]
        return sorted(every, key=lambda key: (key.name, key.fingerprint))

    def holder(self, secret: str) -> Key | None:
        """The key that this text is, if it opens anything now; an unknown one takes the same steps as a wrong one."""
        hashed, mark = hash_of(secret), fingerprint_of(secret)
        with self._store.reading() as records:
            kept = records.secret(mark)
            known = hmac.compare_digest(_NOBODY if kept is None else kept.hash, hashed)
            key = key_of(records, mark, self._ends(records))
        return key if known and not key.revoked else None

    def key_named(self, fingerprint: str) -> Key | None:
        """The key of a fingerprint, if it opens anything now."""
        with self._store.reading() as records:
            key = key_of(records, fingerprint, self._ends(records))
        return None if key.revoked else key

    def seal(self, fingerprint: str, words: str) -> str | None:
        """A mark under words that only this ledger can make, for who holds the key; None if there is no such key.

        It is keyed by what the ledger keeps of the key, so it is the same for all servers of one ledger.
        """
        with self._store.reading() as records:
            kept = records.secret(fingerprint)
        return None if kept is None else hmac.digest(kept.hash.encode(), words.encode(), "sha256").hex()

    def note_use(self, fingerprint: str, time: str) -> None:
        """Keep when a key was last seen."""
        with self._store.transaction() as records:
            records.use_secret(fingerprint, time)

    def _ends(self, records: Records) -> Mapping[str, str]:
        """By what time the ends of keys are judged, for each data set."""
        return {dataset: self._time(records, dataset) for dataset in records.datasets()}
