"""Requests of analysts to the owner: each is an entry of the ledger for ever, and costs nothing."""

from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.sql import Session

MOST_OPEN = 50
"""Requests of one analyst that may wait for an answer: more would fill the log, and the owner's page."""


def wished(session: Session, sql: str, purpose: str | None, terms: dict[str, Any]) -> str:
    """Ask the owner to let a question be run beside the asker's share; the name of the request."""
    every = session.ledger.requests(session.dataset)
    if sum(one.analyst == session.analyst and one.state == "open" for one in every) >= MOST_OPEN:
        raise InvalidParameter(
            f"{MOST_OPEN} requests of yours wait for an answer: the owner answers some of them first"
        )
    return session.request(sql, purpose=purpose, **terms)
