"""What the chain adds up to: facts that a store keeps beside it, so that a charge need not read the chain again.

Every fact follows from the links by `accounts.follow`, in the live ledger and in `verify` alike.
"""

from collections.abc import Iterator
from typing import Protocol

TERMS, SHARE, PARTITION = "terms", "share", "partition"
EVERYONE, BLOCK, WORST, ANALYST = "everyone", "block", "worst block", "analyst"
ANSWER, SEEN = "answer", "seen"
TABLE, FILE = "table", "file"
TEAM = "team"
"""Which team an analyst draws with: the team's name, or nothing once they have left it."""
RULE = "rule"
"""What the owner demands of every charge: that it has a purpose."""
POPULATION, JOINT = "population", "joint"
"""The name under which joined data sets keep their chain and totals, and the budget that they have together."""
WRITTEN_OFF = "written off"
"""Why a population's budget counts as spent."""
REQUEST, GRANT, APPROVED = "request", "grant", "approved"
"""What analysts asked for; questions that the owner approved and nobody has run yet; what approved questions cost."""
TIME = "time"
"""The latest time of a chain's entries, kept under the chain's name: what an end is judged by never goes back."""
ENCRYPTED, LOST_KEY = "encrypted", "lost key"
"""The key that a data set's answers are encrypted under; keys that were lost, and their answers with them."""
KEY = "key"
"""Keys of a server, by their fingerprints: whose, in which role, until when, and whether one was revoked."""
ALLOWANCE, SPENT_TODAY = "allowance", "spent today"
"""What an analyst may draw a day, in units of ε (nothing once it was lifted), and what they drew on their last day."""
PUBLISHED = "published"
"""Pages that the owner shows to everybody, each with the receipts of its answers; nothing once one was withdrawn."""
NEEDS = "needs"
"""What a reader of the ledger must know beyond the first kinds of links, one fact a kind: see `kinds`."""

Fact = tuple[str, str, str, str]
"""Data set, kind, name, value."""


class LedgerFacts(Protocol):
    """A table (data set, kind, name) → value."""

    def fact(self, dataset: str, kind: str, name: str = "") -> str | None:
        """One value, or None."""

    def put_fact(self, dataset: str, kind: str, name: str, value: str) -> None:
        """Write a value, in place of an earlier one."""

    def facts(self, dataset: str, kind: str) -> Iterator[tuple[str, str]]:
        """Names and values of one kind, in the order of names."""


class RecomputedFacts:
    """Facts in memory: what they should be."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, str], dict[str, str]] = {}

    def fact(self, dataset: str, kind: str, name: str = "") -> str | None:
        """One value, or None."""
        return self._tables.get((dataset, kind), {}).get(name)

    def put_fact(self, dataset: str, kind: str, name: str, value: str) -> None:
        """Write a value, in place of an earlier one."""
        self._tables.setdefault((dataset, kind), {})[name] = value

    def facts(self, dataset: str, kind: str) -> Iterator[tuple[str, str]]:
        """Names and values of one kind, in the order of names."""
        return iter(sorted(self._tables.get((dataset, kind), {}).items()))

    def all_facts(self) -> Iterator[Fact]:
        """Every fact."""
        for (dataset, kind), table in self._tables.items():
            for name, value in table.items():
                yield dataset, kind, name, value
