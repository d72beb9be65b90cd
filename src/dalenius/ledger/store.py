"""The ledger's SQLite file: every word of SQL that the ledger speaks."""

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dalenius.errors import LedgerCorrupted, LedgerUnavailable

SCHEMA_VERSION = 1
BUSY_SECONDS = 30.0

# Amounts are decimal texts: 10³⁰ units of δ do not fit in SQLite's 64-bit integers.
_SCHEMA = """
CREATE TABLE datasets (
    name TEXT PRIMARY KEY, unit TEXT, relation TEXT NOT NULL,
    epsilon_limit TEXT NOT NULL, delta_limit TEXT NOT NULL, epsilon_spent TEXT NOT NULL, delta_spent TEXT NOT NULL
) STRICT;
CREATE TABLE chain (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, dataset TEXT NOT NULL, key TEXT,
    body BLOB NOT NULL, hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE UNIQUE INDEX chain_key ON chain (dataset, key) WHERE key IS NOT NULL;
CREATE INDEX chain_dataset ON chain (dataset, kind);
CREATE TABLE releases (receipt TEXT PRIMARY KEY REFERENCES chain (hash), payload BLOB NOT NULL) STRICT;
"""

# SQLite forbids a connection to cross a fork, even to be closed there (closing drops the parent's locks). A connection
# of the child's own does not help: SQLite's list of locks is copied too, so it would wait for a writer that the child
# does not have, or take no lock at all. So every connection is closed before a fork and opened again after it; the one
# that stays, in a transaction of the very thread that forks, the child keeps untouched.
_LEFT_BY_FORK: list[sqlite3.Connection] = []
_ALIVE: "weakref.WeakSet[Store]" = weakref.WeakSet()
_FORKING = threading.local()


class Store:
    """One SQLite file, safe to share between threads, processes and forks.

    WAL with synchronous=FULL: a transaction that returned has been flushed to the disk.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = self.path.absolute()  # SQLite's ":memory:" would be a new budget each time
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self._opened: tuple[tuple[int, int] | None, ...] = ()
        _ALIVE.add(self)
        with self._faults():
            self._prepare()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything inside happens, durably, or nothing does; no other writer in between."""
        with self._lock, self._faults():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._check_in_place()
                yield connection
                connection.execute("COMMIT")
                self._check_in_place()  # or what was written is lost: nobody may count on it
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A consistent picture that keeps no writer waiting."""
        with self._lock, self._faults():
            connection = self._open()
            connection.execute("BEGIN")
            try:
                self._check_in_place()
                yield connection
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
            self._owner = os.getpid()
            self._connection = sqlite3.connect(
                self._file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            _use_wal(self._connection)
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("PRAGMA foreign_keys=ON")
            self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # opens the log
            self._opened = self._places()
        return self._connection

    def _places(self) -> tuple[tuple[int, int] | None, ...]:
        """Which files the names of the ledger and its log lead to."""
        return tuple(_place(name) for name in (self._file, f"{self._file}-wal"))

    def _check_in_place(self) -> None:
        """SQLite goes on writing to a file that was removed or replaced: charges that no other opening would see."""
        if self._places() != self._opened:
            raise LedgerUnavailable(
                f"the ledger {self.path} was moved, removed or replaced while it was open; "
                "put it back, open it again and verify it with the head of the last receipt"
            )

    def _prepare(self) -> None:
        with self.transaction() as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version == SCHEMA_VERSION:
                return
            if version != 0 or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                raise LedgerUnavailable(
                    f"{self.path} is no ledger of schema {SCHEMA_VERSION}: another version or another program made it"
                )
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as fault:
            raise LedgerUnavailable(f"the ledger {self.path} cannot be used: {fault}") from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as fault:
            raise LedgerCorrupted(f"the ledger {self.path} is damaged: {fault}") from None


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


def _place(name: str | Path) -> tuple[int, int] | None:
    try:
        found = Path(name).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait here when two processes open a new file at once, so this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(os.urandom(1)[0] / 5000)  # up to 51 ms, unlike the other's


def dataset_row(connection: sqlite3.Connection, name: str) -> tuple[Any, ...] | None:
    """Unit, relation, limits and totals of a data set."""
    return connection.execute(  # type: ignore[no-any-return]
        "SELECT unit, relation, epsilon_limit, delta_limit, epsilon_spent, delta_spent FROM datasets WHERE name = ?",
        (name,),
    ).fetchone()


def add_dataset(connection: sqlite3.Connection, name: str, row: tuple[Any, ...]) -> None:
    """A new data set; nothing is spent."""
    connection.execute("INSERT INTO datasets VALUES (?, ?, ?, ?, ?, '0', '0')", (name, *row))


def set_spent(connection: sqlite3.Connection, name: str, epsilon_units: int, delta_units: int) -> None:
    """The running totals."""
    connection.execute(
        "UPDATE datasets SET epsilon_spent = ?, delta_spent = ? WHERE name = ?",
        (str(epsilon_units), str(delta_units), name),
    )


def dataset_names(connection: sqlite3.Connection) -> list[str]:
    """All data sets."""
    return [row[0] for row in connection.execute("SELECT name FROM datasets ORDER BY name")]


def last_link(connection: sqlite3.Connection) -> tuple[int, str]:
    """Length and head of the chain."""
    row = connection.execute("SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1").fetchone()
    return row or (0, "")


def add_link(connection: sqlite3.Connection, row: tuple[int, str, str, str | None, bytes, str]) -> None:
    """Append: number, kind, dataset, key, body, hash."""
    connection.execute("INSERT INTO chain VALUES (?, ?, ?, ?, ?, ?)", row)


def links(
    connection: sqlite3.Connection, dataset: str | None = None, kind: str | None = None
) -> Iterator[tuple[Any, ...]]:
    """Number, kind, dataset, key, body and hash in order; of one data set and kind, or of all.

    In a damaged file a body may have turned to text or to nothing: as bytes, it fails its hash like any other change.
    """
    return connection.execute(
        "SELECT number, kind, dataset, key, COALESCE(CAST(body AS BLOB), x''), hash FROM chain "
        "WHERE (?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR kind = ?2) ORDER BY number",
        (dataset, kind),
    )


def link_of_key(connection: sqlite3.Connection, dataset: str, key: str) -> tuple[Any, ...] | None:
    """The entry that a caller's key names."""
    return connection.execute(  # type: ignore[no-any-return]
        "SELECT number, kind, dataset, key, COALESCE(CAST(body AS BLOB), x''), hash FROM chain "
        "WHERE dataset = ? AND key = ?",
        (dataset, key),
    ).fetchone()


def has_link(connection: sqlite3.Connection, hash_: str) -> bool:
    """Whether the chain holds this hash."""
    return connection.execute("SELECT 1 FROM chain WHERE hash = ?", (hash_,)).fetchone() is not None


def dataset_of(connection: sqlite3.Connection, hash_: str, kind: str) -> str | None:
    """The data set of the link of this kind with this hash."""
    row = connection.execute("SELECT dataset FROM chain WHERE hash = ? AND kind = ?", (hash_, kind)).fetchone()
    return None if row is None else str(row[0])


def payload_of(connection: sqlite3.Connection, receipt: str) -> bytes | None:
    """The release stored under a receipt."""
    row = connection.execute(
        "SELECT COALESCE(CAST(payload AS BLOB), x'') FROM releases WHERE receipt = ?", (receipt,)
    ).fetchone()
    return None if row is None else bytes(row[0])


def add_payload(connection: sqlite3.Connection, receipt: str, payload: bytes) -> None:
    """Store a release."""
    connection.execute("INSERT INTO releases VALUES (?, ?)", (receipt, payload))


def receipts_with_payload(connection: sqlite3.Connection) -> set[str]:
    """The receipts that have a release."""
    return {row[0] for row in connection.execute("SELECT receipt FROM releases")}
