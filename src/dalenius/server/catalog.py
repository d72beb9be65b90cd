"""The tables that are served: each policy is opened once, and every asker has a session of their own over it."""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.ledger import Key, Ledger, Role
from dalenius.server.room import Room
from dalenius.sql import Session, connect

MOST_SESSIONS = 1_000
"""Sessions that are kept open; the one that was used longest ago is closed, and with it its private views."""


class Catalog:
    """Sessions by the name of their table; what a key does not open is not there."""

    def __init__(self, sessions: Iterable[Session], ledger: Ledger) -> None:
        self.ledger = ledger
        self._tables: dict[str, Session] = {}
        for session in sessions:
            name = session.policy.table
            if name in self._tables:
                raise InvalidParameter(f"two policies have a table called {name!r}: a server needs names that differ")
            self._tables[name] = session
        self._sessions: OrderedDict[tuple[str, str, bool], Session] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def open(cls, policies: Iterable[str | Path], ledger: Ledger | str | Path, room: Room | None = None) -> "Catalog":
        """The tables of policy files, all charged to one ledger; one with encrypted answers is given open.

        Each question has its room of memory and disk to itself.
        """
        book = ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)
        terms: dict[str, Any] = {"ledger": book.acting(origin="http"), "settings": (room or Room()).of_engine()}
        return cls([connect(policy=path, **terms) for path in policies], book)

    def datasets(self) -> list[str]:
        """The data sets of the ledger whose tables are served."""
        return sorted({session.dataset for session in self._tables.values()})

    def dataset(self, table: str) -> str | None:
        """The data set that pays for a table; None for one that is not there."""
        session = self._tables.get(table)
        return None if session is None else session.dataset

    def tables_of(self, dataset: str) -> list[str]:
        """The tables that a data set pays for, by name."""
        return sorted(name for name, session in self._tables.items() if session.dataset == dataset)

    def tables(self, key: Key) -> list[Session]:
        """The tables that a key opens, by name."""
        return [self._tables[name] for name in sorted(self._tables) if key.role(self._tables[name].dataset)]

    def role(self, table: str, key: Key) -> Role | None:
        """The role of a key in a table's data set; None for a table that is not there or not opened."""
        session = self._tables.get(table)
        return None if session is None else key.role(session.dataset)

    def kept_session(self, table: str, key: Key) -> Session | None:
        """The session of who holds the key if it is open already and at hand: nobody waits for this."""
        place = (table, key.name, self.role(table, key) is Role.OWNER)
        if not self._lock.acquire(blocking=False):
            return None
        try:
            session = self._sessions.get(place)
            if session is not None:
                self._sessions.move_to_end(place)
            return session
        finally:
            self._lock.release()

    def session(self, table: str, key: Key) -> Session:
        """The session of who holds the key: an owner's charges no share."""
        owner = self.role(table, key) is Role.OWNER
        place = (table, key.name, owner)
        with self._lock:
            session = self._sessions.pop(place, None)
            if session is None:
                session = self._tables[table].acting(None if owner else key.name, by=key.name, origin="http")
            self._sessions[place] = session
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return session
