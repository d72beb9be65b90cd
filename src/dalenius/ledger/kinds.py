"""The kinds of links that a chain may hold."""

from dalenius.errors import LedgerUnavailable
from dalenius.ledger.facts import NEEDS
from dalenius.ledger.store import Records

CREATE, SHARE, PARTITION, RESERVE, VIEW, COMMIT = "create", "share", "partition", "reserve", "view", "commit"
TABLES, CONTINUE = "tables", "continue"
REVOKE, TEAM, RULE, JOINED, JOIN, WRITE_OFF = "revoke", "team", "rule", "joined", "join", "write off"
REQUEST, APPROVE, DECLINE = "request", "approve", "decline"
ENCRYPT = "encrypt"
KEY, REVOKE_KEY = "key", "revoke key"
LOGIN, ALLOW = "login", "allow"
PUBLISH, WITHDRAW = "publish", "withdraw"

FIRST = frozenset(
    {
        *(CREATE, SHARE, PARTITION, RESERVE, VIEW, COMMIT, TABLES, CONTINUE),
        *(REVOKE, TEAM, RULE, JOINED, JOIN, WRITE_OFF, REQUEST, APPROVE, DECLINE, KEY, REVOKE_KEY),
    }
)
"""What every reader of schema 3 knows. A link of another kind leaves a fact that says so, and a reader that does not
know that kind opens the ledger no more: it would not know what the link forbids."""


def check_known(records: Records, known: frozenset[str]) -> None:
    """Refuse a ledger with links that this version cannot judge."""
    unknown = sorted(records.all_names(NEEDS) - known)
    if unknown:
        raise LedgerUnavailable(
            f"the ledger holds entries of the kind {unknown[0]!r}, which a later version of dalenius wrote: "
            "install that version"
        )
