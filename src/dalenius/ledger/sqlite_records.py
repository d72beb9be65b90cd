"""The tables of a ledger's SQLite file, inside a transaction: every word of SQL that the ledger speaks."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from types import UnionType
from typing import Any

from dalenius.errors import LedgerCorrupted
from dalenius.ledger.facts import TERMS, Fact
from dalenius.ledger.store import Head, Link, Records, Secret

# in a damaged file a body may have turned to text or to nothing: as bytes, it fails its hash like any other change
_LINK = "chain, number, kind, dataset, key, COALESCE(CAST(body AS BLOB), x''), hash"
_HEAD = "number, COALESCE(CAST(body AS BLOB), x''), hash"

Types = tuple[type | UnionType, ...]
_LINK_TYPES: Types = (str, int, str, str, str | None, bytes, str)
_HEAD_TYPES: Types = (int, bytes, str)


class SQLiteRecords(Records):
    """The tables, inside a transaction.

    Nobody else changes what a transaction sees, so a fact is looked up once: a charge asks for some of them ten times.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._known: dict[tuple[str, str, str], str | None] = {}

    def fact(self, dataset: str, kind: str, name: str = "") -> str | None:
        """One value, or None."""
        place = dataset, kind, name
        if place not in self._known:
            asked = "SELECT value FROM facts WHERE dataset = ? AND kind = ? AND name = ?"
            row = self._one(asked, (str,), *place)
            self._known[place] = None if row is None else row[0]
        return self._known[place]

    def put_fact(self, dataset: str, kind: str, name: str, value: str) -> None:
        """Write a value, in place of an earlier one."""
        self.connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", (dataset, kind, name, value))
        self._known[dataset, kind, name] = value

    @contextmanager
    def apart(self) -> Iterator[None]:
        """If what is inside raises, the transaction forgets what was written there, and that alone."""
        self.connection.execute("SAVEPOINT apart")
        try:
            yield
        except BaseException:
            self._known.clear()
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO apart")
                self.connection.execute("RELEASE apart")
            raise
        self.connection.execute("RELEASE apart")

    def facts(self, dataset: str, kind: str) -> Iterator[tuple[str, str]]:
        """Names and values of one kind, in the order of names."""
        asked = "SELECT name, value FROM facts WHERE dataset = ? AND kind = ? ORDER BY name"
        return self._rows(asked, (str, str), (dataset, kind))

    def all_facts(self) -> Iterator[Fact]:
        return self._rows("SELECT dataset, kind, name, value FROM facts", (str, str, str, str))

    def datasets(self) -> list[str]:
        """The names of all data sets."""
        rows = self._rows("SELECT dataset FROM facts WHERE kind = ? ORDER BY dataset", (str,), (TERMS,))
        return [row[0] for row in rows]

    def all_names(self, kind: str) -> set[str]:
        """The names of all facts of a kind, whatever the data set."""
        return {row[0] for row in self._rows("SELECT DISTINCT name FROM facts WHERE kind = ?", (str,), (kind,))}

    def chains(self) -> dict[str, tuple[int, str]]:
        """Length and head of every chain, in the order of their names."""
        names = list(self._rows("SELECT DISTINCT chain FROM chain ORDER BY chain", (str,)))
        return {name: self.last_link(name) for (name,) in names}

    def last_link(self, chain: str) -> tuple[int, str]:
        """Length and head of a chain; (0, "") at first."""
        asked = "SELECT number, hash FROM chain WHERE chain = ? ORDER BY number DESC LIMIT 1"
        row = self._one(asked, (int, str), chain)
        return (0, "") if row is None else (row[0], row[1])

    def add_link(self, link: Link) -> None:
        self.connection.execute("INSERT INTO chain VALUES (?, ?, ?, ?, ?, ?, ?)", link)

    def links(
        self,
        chain: str | None = None,
        dataset: str | None = None,
        kind: str | None = None,
        containing: str | None = None,
        after: int = 0,
    ) -> Iterator[Link]:
        """Links of a chain, a data set or a kind; those of one chain in its order, the common chain first."""
        given = {"chain": chain, "dataset": dataset, "kind": kind}
        asked: dict[str, str | int] = {word: value for word, value in given.items() if value is not None}
        unused = "+" if after else ""  # only the chain and the number are looked up then, and no longer index
        where = " AND ".join(f"{'' if word == 'chain' else unused}{word} = :{word}" for word in asked) or "TRUE"
        if after:
            where, asked = f"{where} AND number > :after", asked | {"after": after}
        if containing is not None:
            where, asked = f"{where} AND instr(CAST(body AS TEXT), :containing) > 0", asked | {"containing": containing}
        rows = self._rows(f"SELECT {_LINK} FROM chain WHERE {where} ORDER BY chain, number", _LINK_TYPES, asked)
        return map(Link._make, rows)

    def link_of_key(self, dataset: str, key: str) -> Link | None:
        """The link that a caller's key names."""
        row = self._one(f"SELECT {_LINK} FROM chain WHERE dataset = ? AND key = ?", _LINK_TYPES, dataset, key)
        return None if row is None else Link._make(row)

    def link_of_hash(self, hash_: str) -> Link | None:
        """The link with this hash."""
        row = self._one(f"SELECT {_LINK} FROM chain WHERE hash = ?", _LINK_TYPES, hash_)
        return None if row is None else Link._make(row)

    def last_head(self) -> Head | None:
        """The last link of the chain of heads."""
        row = self._one(f"SELECT {_HEAD} FROM heads ORDER BY number DESC LIMIT 1", _HEAD_TYPES)
        return None if row is None else Head._make(row)

    def add_head(self, head: Head) -> None:
        """Append to the chain of heads."""
        self.connection.execute("INSERT INTO heads VALUES (?, ?, ?)", head)

    def heads(self) -> Iterator[Head]:
        """The chain of heads, in order."""
        return map(Head._make, self._rows(f"SELECT {_HEAD} FROM heads ORDER BY number", _HEAD_TYPES))

    def release(self, receipt: str) -> bytes | None:
        """The release stored under a receipt."""
        asked = "SELECT COALESCE(CAST(payload AS BLOB), x'') FROM releases WHERE receipt = ?"
        row = self._one(asked, (bytes,), receipt)
        return None if row is None else bytes(row[0])

    def add_release(self, receipt: str, payload: bytes) -> None:
        self.connection.execute("INSERT INTO releases VALUES (?, ?)", (receipt, payload))

    def replace_release(self, receipt: str, payload: bytes) -> None:
        """Store the same release in another form."""
        self.connection.execute("UPDATE releases SET payload = ? WHERE receipt = ?", (payload, receipt))

    def receipts(self) -> set[str]:
        """The receipts that have a release."""
        return {row[0] for row in self._rows("SELECT receipt FROM releases", (str,))}

    def secret(self, fingerprint: str) -> Secret | None:
        """What proves that somebody holds the key of this fingerprint."""
        asked = "SELECT fingerprint, hash, verifier, used FROM secrets WHERE fingerprint = ?"
        row = self._one(asked, (str, str, str, str | None), fingerprint)
        return None if row is None else Secret._make(row)

    def add_secret(self, secret: Secret) -> None:
        """Keep what proves that somebody holds a new key."""
        self.connection.execute("INSERT INTO secrets VALUES (?, ?, ?, ?)", secret)

    def use_secret(self, fingerprint: str, time: str) -> None:
        """Keep when a key was last seen."""
        self.connection.execute("UPDATE secrets SET used = ? WHERE fingerprint = ?", (time, fingerprint))

    def sound(self) -> bool:
        """SQLite's own check that tables and indexes agree."""
        return [row[0] for row in self.connection.execute("PRAGMA integrity_check")] == ["ok"]

    def _one(self, statement: str, types: Types, *values: str) -> tuple[Any, ...] | None:
        return next(self._rows(statement, types, values), None)

    def _rows(
        self, statement: str, types: Types, values: tuple[str, ...] | dict[str, str | int] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement: SQLite keeps any type in any column, so a changed byte turns a name to NULL."""
        for row in self.connection.execute(statement, values):
            if not all(map(isinstance, row, types)):
                raise LedgerCorrupted("the ledger is damaged: a record holds a value that was never written there")
            yield row
