"""A ledger in one SQLite file: who may write to it when, and what is on the disk after that."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from dalenius.errors import LedgerCorrupted, LedgerUnavailable
from dalenius.escape import escaped
from dalenius.ledger.commit_groups import CommitGroups, Take
from dalenius.ledger.migration import SCHEMA, SCHEMA_VERSION, migrate
from dalenius.ledger.sqlite_connection import BUSY_SECONDS, SQLiteConnection, patiently
from dalenius.ledger.sqlite_records import SQLiteRecords
from dalenius.ledger.store import Records, Store, WorkKind

T = TypeVar("T")

READERS = 4
"""Threads that read at once: a long reading, such as `verify`, leaves room for others."""

_ALIVE: "weakref.WeakSet[SQLiteStore]" = weakref.WeakSet()
_FORKING = threading.local()

_WORDS = {
    sqlite3.SQLITE_FULL: "the disk is full; nothing was written: make room and try again",
    sqlite3.SQLITE_READONLY: "it is read-only, and a charge must be written before data is read: make it writable",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: see that its folder exists and may be written to",
    sqlite3.SQLITE_BUSY: f"another process has held it for {BUSY_SECONDS:g} seconds; try again",
    sqlite3.SQLITE_NOTADB: "it is no ledger: another program made this file",
}
_OF_THE_FILE = (sqlite3.Error, UnicodeDecodeError)
"""Faults of the file itself: after one of them nothing of a transaction is counted on."""


class SQLiteStore(Store):
    """One SQLite file, safe to share between threads, processes and forks.

    One connection writes and others read: in SQLite's WAL mode a reading waits for no writer's flush, and its picture
    holds what was durable when it began.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._writer = SQLiteConnection(self.path)
        self._readers = tuple(SQLiteConnection(self.path) for _ in range(READERS))
        self._groups = CommitGroups()
        _ALIVE.add(self)
        if self.path.absolute().is_dir():
            raise LedgerUnavailable(f"the ledger {self.path} cannot be used: it is a folder; name a file in it")
        with self.transaction() as records:
            self._prepare(records)

    @property
    def place(self) -> str:
        """The path, as it was given."""
        return str(self.path)

    @escaped
    def __repr__(self) -> str:
        return f"SQLiteStore({str(self.path)!r})"

    @contextmanager
    def transaction(self, *datasets: str) -> Iterator[SQLiteRecords]:
        """Everything inside happens, durably, or nothing does; SQLite has one lock for the whole file."""
        with self._writer.lock, self._faults():
            connection = self._writer.opened()
            try:  # an interrupt right behind BEGIN, too, must leave no transaction open
                patiently(connection, "BEGIN IMMEDIATE")
                self._writer.check_in_place()
                yield SQLiteRecords(connection)
                connection.execute("COMMIT")
                self._writer.check_in_place()  # or what was written is lost: nobody may count on it
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def write(self, work: Callable[[Records], T], kind: WorkKind, *datasets: str) -> T:
        """What `work` returns, once it is durable; works of one kind that wait at the same time share a flush."""
        return self._groups.do(self._carry_out, work, kind)

    @contextmanager
    def reading(self) -> Iterator[SQLiteRecords]:
        """A consistent picture that keeps no writer waiting."""
        with self._a_reader() as reader, self._faults():
            connection = reader.opened()
            try:
                connection.execute("BEGIN")
                patiently(connection, "SELECT 1 FROM chain LIMIT 1")  # from here on the picture stands still
                reader.check_in_place()
                yield SQLiteRecords(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file."""
        for connection in self._connections:
            connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_groups"):
            self.close()

    def before_fork(self) -> None:
        """Wait for the transactions of other threads, and leave nothing open."""
        for connection in self._connections:
            connection.before_fork()

    def after_fork(self, child: bool) -> None:
        """Let the other threads go on; the child has none, and none of their works."""
        for connection in self._connections:
            connection.after_fork(child)
        if child:
            self._groups = CommitGroups()

    @property
    def _connections(self) -> tuple[SQLiteConnection, ...]:
        return (self._writer, *self._readers)

    @contextmanager
    def _a_reader(self) -> Iterator[SQLiteConnection]:
        """A connection that nobody else uses; if all are in use, the turn of this thread at one of them."""
        free = (one for one in self._readers if one.lock.acquire(blocking=False))
        reader = next(free, None)
        if reader is None:
            reader = self._readers[threading.get_ident() % READERS]
            reader.lock.acquire()
        lock = reader.lock  # a child of a fork inside of this block has another
        try:
            yield reader
        finally:
            lock.release()

    def _carry_out(self, take: Take) -> None:
        """One transaction for all works: what one of them raises undoes that one alone; a fault of the file, all."""
        with self.transaction() as records:
            for work in take():
                try:
                    with records.apart():
                        work.returned(work.run(records))
                except _OF_THE_FILE:
                    raise
                except Exception as fault:
                    work.failed(fault)

    def _prepare(self, records: SQLiteRecords) -> None:
        connection = records.connection
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version == SCHEMA_VERSION:
            return
        if version in (1, 2):
            migrate(connection, records, version)
        elif version != 0 or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise LedgerUnavailable(
                f"{self.path} is no ledger of schema {SCHEMA_VERSION} or earlier: "
                "another version or another program made it"
            )
        else:
            for statement in SCHEMA:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError as fault:
            raise LedgerCorrupted(f"the ledger {self.path} is damaged: {fault}") from None
        except sqlite3.DatabaseError as fault:
            code = getattr(fault, "sqlite_errorcode", 0) & 0xFF
            if code not in _WORDS and not isinstance(fault, sqlite3.OperationalError):
                raise LedgerCorrupted(f"the ledger {self.path} is damaged: {fault}") from None
            raise LedgerUnavailable(f"the ledger {self.path} cannot be used: {_WORDS.get(code, fault)}") from None


def _before_fork() -> None:
    _FORKING.stores = sorted(_ALIVE, key=id)  # one order for all, or two threads that fork wait for each other
    for kept in _FORKING.stores:
        kept.before_fork()


def _after_fork(child: bool) -> None:
    for kept in _FORKING.stores:
        kept.after_fork(child)
    _FORKING.stores = []


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(child=False),
    after_in_child=lambda: _after_fork(child=True),
)
