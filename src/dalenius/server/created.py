"""Views and copies that were made, by the key of who made them: a retry is told what was made, not that it exists."""

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from dalenius.curator import Release
from dalenius.sql import Session, read_statement

MOST = 1_000


@dataclass(slots=True)
class Created:
    """The latest statements that made a view or a copy, each with its table and idempotency key.

    The ledger keeps a retry from a second draw; that the name is taken by the first try only the server can tell.
    """

    _made: OrderedDict[tuple[str, str], tuple[str, Release]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def earlier(self, session: Session, key: str | None, query: str) -> Release | None:
        """What this statement has made under this key; None if it has not, or if there is no key."""
        if key is None:
            return None
        with self._lock:
            made = self._made.get((session.policy.table, key))
        return made[1] if made is not None and made[0] == query else None

    def note(self, session: Session, key: str | None, query: str, release: Release) -> Release:
        """Remember what a statement made, if it is one that makes something; it was answered, so it can be read."""
        if key is not None and release.form != "description" and _makes(session, query):
            with self._lock:
                self._made[session.policy.table, key] = (query, release)
                if len(self._made) > MOST:
                    self._made.popitem(last=False)
        return release


def _makes(session: Session, query: str) -> bool:
    if "create" not in query.lower():  # spares most questions a second reading
        return False
    if session.about_synthetic(query):
        return session.creates_synthetic(query)
    return read_statement(query).view is not None
