"""The other tables that a table may be joined to, as its page lists them."""

from dataclasses import dataclass

from dalenius.escape import terminal
from dalenius.sql import Session


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """A table's name, and of each column its name, its type and what is declared of it."""

    name: str
    columns: list[tuple[str, str, str]]


def joined_tables(session: Session) -> list[JoinedTable]:
    """Every table beside the first one: what is listed is what DESCRIBE tells, and no row is read."""
    made = {session.policy.table, *session.views, *session.synthetic_tables}
    names = [name for name in session.describe().table["table"] if name not in made]
    return [JoinedTable(terminal(name), _columns(session, name)) for name in sorted(names)]


def _columns(session: Session, table: str) -> list[tuple[str, str, str]]:
    told = session.describe(table).table
    declared = (
        "; ".join(filter(None, facts)) for facts in zip(told["bounds"], told["keys"], told["about"], strict=True)
    )
    return [
        (terminal(name), kind, terminal(words))
        for name, kind, words in zip(told["column"], told["type"], declared, strict=True)
    ]
