"""One connection to a ledger's SQLite file: opened late, closed before a fork, and distrusted when the file moves."""

import os
import sqlite3
import threading
import time
from pathlib import Path

from dalenius.errors import LedgerUnavailable
from dalenius.ledger.one_name import OpenedNames, check_mounts

BUSY_SECONDS = 30.0

# SQLite forbids a connection to cross a fork, even to be closed there (closing drops the parent's locks). A connection
# of the child's own does not help: SQLite's list of locks is copied too, so it would wait for a writer that the child
# does not have, or take no lock at all. So every connection is closed before a fork and opened again after it; the one
# that stays, in a transaction of the very thread that forks, the child keeps untouched.
_LEFT_BY_FORK: list[sqlite3.Connection] = []


class SQLiteConnection:
    """A connection, and the lock of the thread that uses it.

    WAL with synchronous=FULL: a transaction that returned has been flushed to the disk.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.absolute()  # SQLite's ":memory:" would be a new budget each time
        self.lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self._names: OpenedNames | None = None

    def opened(self) -> sqlite3.Connection:
        """The connection of this process."""
        if self._connection is None or self._owner != os.getpid():
            if self._connection is not None:
                _LEFT_BY_FORK.append(self._connection)
            check_mounts(self._file, self._path)
            OpenedNames(self._file, self._path)  # refuses a second name before SQLite writes to either
            self._owner = os.getpid()
            self._connection = sqlite3.connect(self._file, timeout=0.02, isolation_level=None, check_same_thread=False)
            patiently(self._connection, "PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("PRAGMA foreign_keys=ON")
            self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # opens the log
            self._names = OpenedNames(self._file, self._path)
        return self._connection

    def check_in_place(self) -> None:
        """SQLite goes on writing to a file that was removed or replaced: charges that no other opening would see."""
        if self._names is None or not self._names.are_the_same():
            raise LedgerUnavailable(
                f"the ledger {self._path} was moved, removed or replaced while it was open; "
                "put it back, open it again and verify it with the head of the last receipt"
            )

    def close(self) -> None:
        """Let go of the file."""
        with self.lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            elif self._connection is not None:
                _LEFT_BY_FORK.append(self._connection)
            self._connection = None

    def before_fork(self) -> None:
        """Wait for the transactions of other threads, and leave nothing open."""
        self.lock.acquire()
        if self._connection is not None and not self._connection.in_transaction:
            self.close()

    def after_fork(self, child: bool) -> None:
        """Let the other threads go on; the child has none."""
        if child:
            self.lock = threading.RLock()
        else:
            self.lock.release()


def patiently(connection: sqlite3.Connection, statement: str) -> None:
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
