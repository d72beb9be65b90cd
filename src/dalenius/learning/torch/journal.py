"""How many steps of a run were ever begun, and which of its checkpoints is the current one."""

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dalenius.errors import InvalidParameter, StaleState

_TABLE = """CREATE TABLE run (
    only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL, fingerprint TEXT NOT NULL,
    claimed INTEGER NOT NULL, current TEXT NOT NULL, coming TEXT, finished INTEGER NOT NULL)"""


@dataclass(frozen=True, slots=True)
class Journal:
    """A file beside the checkpoint, the authority on what was spent: each method is one durable transaction.

    Steps are *claimed* before their noise is drawn, and a claim is never taken back: a step that a crash swallows stays
    spent. So, whatever is resumed, no more noisy sums are drawn than are accounted. State is linear: a checkpoint is
    known by a token, only the current one (or the one that was being written) can be taken, and once taken it is
    written anew under another token.
    """

    path: Path
    name: str

    @classmethod
    def create(cls, path: Path, name: str, fingerprint: str, token: str) -> "Journal":
        """For a run that has not begun."""
        if path.exists():
            raise InvalidParameter("there is a run at this checkpoint already: resume it, or give another path")
        made = cls(path, name)
        with made._transaction() as records:
            records.execute(_TABLE)
            records.execute("INSERT INTO run VALUES (1, ?, ?, 0, ?, NULL, 0)", (name, fingerprint, token))
        return made

    @classmethod
    def open(cls, path: Path, name: str) -> "Journal":
        """Of a run that has begun."""
        if not path.exists():
            raise StaleState("the checkpoint's journal is not beside it: nobody knows which steps were taken since")
        journal = cls(path, name)
        if journal._row()[0] != name:
            raise StaleState("the journal beside the checkpoint is that of another run")
        return journal

    @property
    def claimed(self) -> int:
        """How many steps were ever begun."""
        return int(self._row()[2])

    def claim(self, before: int, upto: int, token: str) -> None:
        """Begin the steps from `before` to `upto`; the checkpoint that will be written after them has this token."""
        with self._transaction() as records:
            done = records.execute(
                "UPDATE run SET claimed = ?, coming = ? WHERE claimed = ? AND finished = 0", (upto, token, before)
            )
            if done.rowcount != 1:
                raise StaleState("these steps were begun elsewhere: this state is not the current one")

    def settle(self, token: str) -> None:
        """The checkpoint with this token is written: it is the current one."""
        with self._transaction() as records:
            done = records.execute("UPDATE run SET current = ?, coming = NULL WHERE coming = ?", (token, token))
            if done.rowcount != 1:
                raise StaleState("another state of this run has become the current one")

    def take(self, token: str, fingerprint: str) -> tuple[int, str]:
        """(steps ever begun, new token) for whoever holds the current checkpoint; every other one is refused.

        The old token ends when a checkpoint with the new one is settled. If two take the same one at a time, the first
        claim or settlement of either makes the other stale.
        """
        fresh = uuid.uuid4().hex
        with self._transaction() as records:
            row = records.execute("SELECT fingerprint, claimed, current, coming, finished FROM run").fetchone()
            if row[4]:
                raise StaleState("this run is finished")
            if token not in (row[2], row[3]):
                raise StaleState(
                    "this checkpoint is not the current one: it was resumed already, or later steps were taken. "
                    "To take their noise again would spend what is not accounted"
                )
            if fingerprint != row[0]:
                raise StaleState("the checkpoint is of a run with other parameters: give those that it was begun with")
            records.execute("UPDATE run SET current = ?, coming = ?", (token, fresh))
        return int(row[1]), fresh

    def finish(self) -> None:
        """No more steps."""
        with self._transaction() as records:
            records.execute("UPDATE run SET finished = 1")

    def _row(self) -> tuple[str, str, int]:
        with self._transaction() as records:
            record: tuple[str, str, int] = records.execute("SELECT name, fingerprint, claimed FROM run").fetchone()
        return record

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=30, isolation_level=None)) as records:
            records.execute("PRAGMA synchronous = FULL")
            records.execute("BEGIN IMMEDIATE")
            try:
                yield records
            except BaseException:
                records.execute("ROLLBACK")
                raise
            records.execute("COMMIT")
