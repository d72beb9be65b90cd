"""A store in one file of Python values that is replaced as a whole: the recipe for a store, followed.

A transaction holds a lock, changes a copy and puts it in place of the file, flushed to the disk before it returns. It
is slow for long ledgers and serves the tests alone; no ledger logic stands here.
"""

import ast
import copy
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dalenius.errors import LedgerCorrupted
from dalenius.ledger.facts import TERMS, Fact
from dalenius.ledger.store import Head, Link, Records, Secret, Store

EMPTY: dict = {"facts": {}, "links": [], "heads": [], "releases": {}, "secrets": {}}


class OneFileRecords(Records):
    """The values of one transaction."""

    def __init__(self, values: dict) -> None:
        self.values = values

    def fact(self, dataset: str, kind: str, name: str = "") -> str | None:
        return self.values["facts"].get((dataset, kind, name))

    def put_fact(self, dataset: str, kind: str, name: str, value: str) -> None:
        self.values["facts"][dataset, kind, name] = value

    def facts(self, dataset: str, kind: str) -> Iterator[tuple[str, str]]:
        kept = self.values["facts"].items()
        yield from sorted((name, value) for (of, what, name), value in kept if (of, what) == (dataset, kind))

    def all_facts(self) -> Iterator[Fact]:
        return ((*place, value) for place, value in self.values["facts"].items())

    def datasets(self) -> list[str]:
        return sorted(dataset for dataset, kind, _ in self.values["facts"] if kind == TERMS)

    def all_names(self, kind: str) -> set[str]:
        return {name for _, what, name in self.values["facts"] if what == kind}

    def chains(self) -> dict[str, tuple[int, str]]:
        return {chain: self.last_link(chain) for chain in sorted({each[0] for each in self.values["links"]})}

    def last_link(self, chain: str) -> tuple[int, str]:
        last = max(self.links(chain), key=lambda link: link.number, default=None)
        return (0, "") if last is None else (last.number, last.hash)

    def add_link(self, link: Link) -> None:
        if link.key is not None and self.link_of_key(link.dataset, link.key) is not None:
            raise LedgerCorrupted("a key names two links")
        self.values["links"].append(tuple(link))

    def links(
        self,
        chain: str | None = None,
        dataset: str | None = None,
        kind: str | None = None,
        containing: str | None = None,
        after: int = 0,
    ) -> Iterator[Link]:
        wanted = {"chain": chain, "dataset": dataset, "kind": kind}
        for link in sorted(map(Link._make, self.values["links"]), key=lambda link: (link.chain, link.number)):
            fits = all(value is None or getattr(link, word) == value for word, value in wanted.items())
            if fits and link.number > after and (containing or "") in link.body.decode():
                yield link

    def link_of_key(self, dataset: str, key: str) -> Link | None:
        return next((link for link in self.links(dataset=dataset) if link.key == key), None)

    def link_of_hash(self, hash_: str) -> Link | None:
        return next((link for link in self.links() if link.hash == hash_), None)

    def last_head(self) -> Head | None:
        return max(self.heads(), key=lambda head: head.number, default=None)

    def add_head(self, head: Head) -> None:
        self.values["heads"].append(tuple(head))

    def heads(self) -> Iterator[Head]:
        return map(Head._make, self.values["heads"])

    def release(self, receipt: str) -> bytes | None:
        return self.values["releases"].get(receipt)

    def add_release(self, receipt: str, payload: bytes) -> None:
        self.values["releases"][receipt] = payload

    replace_release = add_release

    def receipts(self) -> set[str]:
        return set(self.values["releases"])

    def secret(self, fingerprint: str) -> Secret | None:
        kept = self.values["secrets"].get(fingerprint)
        return None if kept is None else Secret._make(kept)

    def add_secret(self, secret: Secret) -> None:
        self.values["secrets"][secret.fingerprint] = tuple(secret)

    def use_secret(self, fingerprint: str, time: str) -> None:
        self.values["secrets"][fingerprint] = (*self.values["secrets"][fingerprint][:3], time)

    def sound(self) -> bool:
        return True  # there is one way of looking a record up


class OneFileStore(Store):
    """The file, and a lock beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def place(self) -> str:
        return str(self.path)

    def _values(self) -> dict:
        return ast.literal_eval(self.path.read_text(encoding="utf-8")) if self.path.exists() else copy.deepcopy(EMPTY)

    @contextmanager
    def transaction(self, *datasets: str) -> Iterator[OneFileRecords]:
        with self.path.with_suffix(".lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            values = self._values()
            yield OneFileRecords(values)
            draft = self.path.with_suffix(".draft")
            with draft.open("w", encoding="utf-8") as file:
                file.write(repr(values))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    @contextmanager
    def reading(self) -> Iterator[OneFileRecords]:
        yield OneFileRecords(self._values())

    def close(self) -> None:
        """Nothing stays open."""
