"""Who is let in on the word of somebody else: a provider of identities, or a proxy that signs people in."""

import itertools
import secrets
from collections.abc import Iterable
from datetime import datetime

from dalenius.errors import InvalidParameter
from dalenius.ledger import accounts, kinds
from dalenius.ledger.books import Books, check_texts
from dalenius.ledger.keys import Key, Role, check_holder, granted, hash_of, key_of, login_fingerprint, scram_verifier
from dalenius.ledger.moments import read_moment
from dalenius.ledger.store import Records, Secret


class Logins(Books):
    """Identities and what they open: each grant an entry, revoked as a key is."""

    def grant_login(
        self,
        identity: str,
        name: str,
        role: Role | str,
        datasets: Iterable[str],
        *,
        until: datetime | str | None = None,
    ) -> Key:
        """Let in whom somebody else knows by this identity, as the holder of a key that nobody has.

        Args:
            identity: as the provider or the proxy writes it; `server` says how.
            name: whose share pays, or who governs.
            role: "owner", "analyst" or "viewer".
            datasets: the data sets that it opens; those that it opens already stay.
            until: when it ends: a datetime or a text such as "2027-01-01".
        """
        names = sorted({datasets} if isinstance(datasets, str) else set(datasets))
        check_texts(name=name, identity=identity)
        if not identity or not names or not name or identity.splitlines() != [identity]:
            raise InvalidParameter("a login needs an identity of one line, a name, and at least one data set")
        check_holder(name)
        if role not in tuple(Role):
            raise InvalidParameter(f"role must be owner, analyst or viewer, got {role!r}")
        end = None if until is None else read_moment(until, "until")
        with self._store.transaction() as records:
            mark = _current(records, identity)
            words = {"name": name, "role": str(Role(role)), "fingerprint": mark, "until": end, "identity": identity}
            for dataset in names:
                accounts.terms_of(records, dataset)
                if end is not None and end <= self._time(records, dataset):
                    raise InvalidParameter(f"a login must end in the future, got until={end}")
            _check_one_name(records, mark, name)
            if records.secret(mark) is None:  # nobody holds it; the marks of cookies are made with its hash
                nobody = secrets.token_urlsafe(32)
                records.add_secret(Secret(mark, hash_of(nobody), scram_verifier(nobody), None))
            for dataset in names:
                self._append(records, kinds.LOGIN, dataset, words)
            return key_of(records, mark, {one: self._time(records, one) for one in records.datasets()})

    def login(self, identity: str) -> Key | None:
        """What an identity opens now; None if no owner lets it in."""
        with self._store.reading() as records:
            times = {dataset: self._time(records, dataset) for dataset in records.datasets()}
            key = key_of(records, _current(records, identity), times)
        return None if key.revoked else key


def _current(records: Records, identity: str) -> str:
    """The fingerprint of an identity: one that was revoked everywhere is never used again, and its cookies are dead."""
    for generation in itertools.count():
        mark = login_fingerprint(identity, generation)
        words = [granted(records, dataset, mark) for dataset in records.datasets()]
        if not any(words) or any(one is not None and not one["revoked"] for one in words):
            return mark
    raise AssertionError


def _check_one_name(records: Records, mark: str, name: str) -> None:
    """One identity has one name: its share is kept under it in every data set."""
    words = [granted(records, dataset, mark) for dataset in records.datasets()]
    if other := next((one["name"] for one in words if one is not None and one["name"] != name), None):
        raise InvalidParameter(f"this identity is let in as {other!r}: give it the same name")
