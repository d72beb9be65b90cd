"""A ledger in one SQLite file: who may write to it when, and what is on the disk after that."""

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dalenius.errors import LedgerCorrupted, LedgerUnavailable
from dalenius.escape import escaped
from dalenius.ledger.migration import SCHEMA, SCHEMA_VERSION, migrate
from dalenius.ledger.one_name import Place, check_mounts, places
from dalenius.ledger.sqlite_records import SQLiteRecords
from dalenius.ledger.store import Store

BUSY_SECONDS = 30.0

# SQLite forbids a connection to cross a fork, even to be closed there (closing drops the parent's locks). A connection
# of the child's own does not help: SQLite's list of locks is copied too, so it would wait for a writer that the child
# does not have, or take no lock at all. So every connection is closed before a fork and opened again after it; the one
# that stays, in a transaction of the very thread that forks, the child keeps untouched.
_LEFT_BY_FORK: list[sqlite3.Connection] = []
_ALIVE: "weakref.WeakSet[SQLiteStore]" = weakref.WeakSet()
_FORKING = threading.local()

_WORDS = {
    sqlite3.SQLITE_FULL: "the disk is full; nothing was written: make room and try again",
    sqlite3.SQLITE_READONLY: "it is read-only, and a charge must be written before data is read: make it writable",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: see that its folder exists and may be written to",
    sqlite3.SQLITE_BUSY: f"another process has held it for {BUSY_SECONDS:g} seconds; try again",
    sqlite3.SQLITE_NOTADB: "it is no ledger: another program made this file",
}


class SQLiteStore(Store):
    """One SQLite file, safe to share between threads, processes and forks.

    WAL with synchronous=FULL: a transaction that returned has been flushed to the disk.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = self.path.absolute()  # SQLite's ":memory:" would be a new budget each time
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self._opened: tuple[Place, ...] = ()
        _ALIVE.add(self)
        if self._file.is_dir():
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
        with self._lock, self._faults():
            connection = self._open()
            _patiently(connection, "BEGIN IMMEDIATE")
            try:
                self._check_in_place()
                yield SQLiteRecords(connection)
                connection.execute("COMMIT")
                self._check_in_place()  # or what was written is lost: nobody may count on it
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[SQLiteRecords]:
        """A consistent picture that keeps no writer waiting."""
        with self._lock, self._faults():
            connection = self._open()
            connection.execute("BEGIN")
            try:
                _patiently(connection, "SELECT 1 FROM chain LIMIT 1")  # from here on the picture stands still
                self._check_in_place()
                yield SQLiteRecords(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            elif self._connection is not None:
                _LEFT_BY_FORK.append(self._connection)
            self._connection = None

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self.close()

    def before_fork(self) -> None:
        """Wait for the transactions of other threads, and leave nothing open."""
        self._lock.acquire()
        if self._connection is not None and not self._connection.in_transaction:
            self.close()

    def after_fork(self, child: bool) -> None:
        """Let the other threads go on; the child has none."""
        if child:
            self._lock = threading.RLock()
        else:
            self._lock.release()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None or self._owner != os.getpid():
            if self._connection is not None:
                _LEFT_BY_FORK.append(self._connection)
            check_mounts(self._file, self.path)
            places(self._file, self.path)  # refuses a second name before SQLite writes to either
            self._owner = os.getpid()
            self._connection = sqlite3.connect(self._file, timeout=0.02, isolation_level=None, check_same_thread=False)
            _patiently(self._connection, "PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("PRAGMA foreign_keys=ON")
            self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # opens the log
            self._opened = places(self._file, self.path)
        return self._connection

    def _check_in_place(self) -> None:
        """SQLite goes on writing to a file that was removed or replaced: charges that no other opening would see."""
        if places(self._file, self.path) != self._opened:
            raise LedgerUnavailable(
                f"the ledger {self.path} was moved, removed or replaced while it was open; "
                "put it back, open it again and verify it with the head of the last receipt"
            )

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


def _patiently(connection: sqlite3.Connection, statement: str) -> None:
    """Execute, and wait for others who hold the file: for random times, so that two do not meet again and again."""
    deadline, longest = time.monotonic() + BUSY_SECONDS, 0.004
    while True:
        try:
            connection.execute(statement).fetchall()
            return
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(os.urandom(1)[0] / 255 * longest)
            longest = min(0.1, 2 * longest)
