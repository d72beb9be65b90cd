"""What a ledger needs of a store: transactions over chains of links, the facts they add up to, heads, and releases."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from enum import Enum
from typing import NamedTuple, TypeVar

from dalenius.ledger.facts import Fact, LedgerFacts

T = TypeVar("T")

COMMON = ""
"""The one chain of all data sets that ledgers of schema 1 and 2 had: nothing is added to it any more."""


class WorkKind(Enum):
    """What a work writes. Works of two kinds share no transaction.

    A charge is made at a moment that public facts decide, an answer at one that may depend on a row. A charge that
    shared its transaction with answers would wait until they, too, are written.
    """

    CHARGE = "charge"
    ANSWER = "answer"


class Link(NamedTuple):
    """One link of a chain, as stored. A data set has its chain; data sets of one population share one."""

    chain: str
    number: int
    kind: str
    dataset: str
    key: str | None
    body: bytes
    hash: str


class Head(NamedTuple):
    """One link of the chain of heads: where every chain stood at a checkpoint."""

    number: int
    body: bytes
    hash: str


class Secret(NamedTuple):
    """What proves that somebody holds a key: one-way, and in no chain, log or export.

    `used` is when the key was last seen.
    """

    fingerprint: str
    hash: str
    verifier: str
    used: str | None


class Records(LedgerFacts, ABC):
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
    def all_names(self, kind: str) -> set[str]:
        """The names of all facts of a kind, whatever the data set."""

    @abstractmethod
    def chains(self) -> dict[str, tuple[int, str]]:
        """Length and head of every chain, in the order of their names."""

    @abstractmethod
    def last_link(self, chain: str) -> tuple[int, str]:
        """Length and head of a chain; (0, "") at first."""

    @abstractmethod
    def add_link(self, link: Link) -> None:
        """Append."""

    @abstractmethod
    def links(
        self,
        chain: str | None = None,
        dataset: str | None = None,
        kind: str | None = None,
        containing: str | None = None,
        after: int = 0,
    ) -> Iterator[Link]:
        """Links of a chain, a data set or a kind; those of one chain in its order, the common chain first.

        `containing` leaves those whose body holds these letters, `after` those of a larger number.
        """

    @abstractmethod
    def link_of_key(self, dataset: str, key: str) -> Link | None:
        """The link that a caller's key names."""

    @abstractmethod
    def link_of_hash(self, hash_: str) -> Link | None:
        """The link with this hash."""

    @abstractmethod
    def last_head(self) -> Head | None:
        """The last link of the chain of heads."""

    @abstractmethod
    def add_head(self, head: Head) -> None:
        """Append to the chain of heads."""

    @abstractmethod
    def heads(self) -> Iterator[Head]:
        """The chain of heads, in order."""

    @abstractmethod
    def release(self, receipt: str) -> bytes | None:
        """The release stored under a receipt."""

    @abstractmethod
    def add_release(self, receipt: str, payload: bytes) -> None:
        """Store a release."""

    @abstractmethod
    def replace_release(self, receipt: str, payload: bytes) -> None:
        """Store the same release in another form: encrypted, or under another key."""

    @abstractmethod
    def secret(self, fingerprint: str) -> Secret | None:
        """What proves that somebody holds the key of this fingerprint."""

    @abstractmethod
    def add_secret(self, secret: Secret) -> None:
        """Keep what proves that somebody holds a new key."""

    @abstractmethod
    def use_secret(self, fingerprint: str, time: str) -> None:
        """Keep when a key was last seen."""

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
    def transaction(self, *datasets: str) -> AbstractContextManager[Records]:
        """Everything inside happens, durably, or nothing does.

        `datasets` are those that are written to: a store with locks of its own for each chain takes theirs, in the
        order of names, and those of their populations; without any, the whole ledger is locked.
        """

    def write(self, work: Callable[[Records], T], kind: WorkKind, *datasets: str) -> T:
        """What `work` returns inside of a transaction, once that is durable; what it raises, it leaves no trace of.

        A store may carry out works of one kind that wait at the same time in one transaction, and in another thread.
        """
        with self.transaction(*datasets) as records:
            return work(records)

    @abstractmethod
    def reading(self) -> AbstractContextManager[Records]:
        """A consistent picture that keeps no writer waiting."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""
