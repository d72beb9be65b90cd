"""What a ledger needs of a store: transactions over a chain of links, the facts they add up to, and releases."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from dalenius.ledger.facts import Fact, Facts


class Link(NamedTuple):
    """One link of the chain, as stored."""

    number: int
    kind: str
    dataset: str
    key: str | None
    body: bytes
    hash: str


class Records(Facts, ABC):
    """What a transaction may read and write."""

    @abstractmethod
    def fact(self, dataset: str, kind: str, name: str = "") -> str | None:
        """One value, or None."""

    @abstractmethod
    def put_fact(self, dataset: str, kind: str, name: str, value: str) -> None:
        """Write a value, in place of an earlier one."""

    @abstractmethod
    def facts(self, dataset: str, kind: str) -> Iterator[tuple[str, str]]:
        """Names and values of one kind, in the order of names."""

    @abstractmethod
    def all_facts(self) -> Iterator[Fact]:
        """Every fact."""

    @abstractmethod
    def datasets(self) -> list[str]:
        """The names of all data sets."""

    @abstractmethod
    def last_link(self) -> tuple[int, str]:
        """Length and head of the chain; (0, "") at first."""

    @abstractmethod
    def add_link(self, link: Link) -> None:
        """Append."""

    @abstractmethod
    def links(self, dataset: str | None = None, kind: str | None = None) -> Iterator[Link]:
        """Links in order: of one data set and kind, or all."""

    @abstractmethod
    def link_of_key(self, dataset: str, key: str) -> Link | None:
        """The link that a caller's key names."""

    @abstractmethod
    def link_of_hash(self, hash_: str) -> Link | None:
        """The link with this hash."""

    @abstractmethod
    def release(self, receipt: str) -> bytes | None:
        """The release stored under a receipt."""

    @abstractmethod
    def add_release(self, receipt: str, payload: bytes) -> None:
        """Store a release."""

    @abstractmethod
    def sound(self) -> bool:
        """Whether every way of looking a record up finds the same records."""

    @abstractmethod
    def receipts(self) -> set[str]:
        """The receipts that have a release."""


class Store(ABC):
    """Where a ledger lives. A transaction that returned has reached the disk, and no other writer was in between."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, as a person names it; without any secret."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Records]:
        """Everything inside happens, durably, or nothing does."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Records]:
        """A consistent picture that keeps no writer waiting."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""
