"""From text to a tree."""

import logging

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dalenius.errors import InvalidSyntax, UnsupportedQuery

LONGEST = 100_000


def parse(text: str) -> exp.Expr:
    """The one statement that the text holds, as a tree; the text itself goes no further."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidSyntax("a query must be a text: SELECT key, COUNT(*) FROM table GROUP BY key")
    if len(text) > LONGEST:
        raise UnsupportedQuery(f"a query may have {LONGEST} characters, got {len(text)}")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidSyntax("a query must be text that UTF-8 can hold")
    statements = [tree for tree in _trees(text) if tree is not None]
    if len(statements) != 1:
        raise UnsupportedQuery(f"one statement at a time, got {len(statements)}: ask each in a call of its own")
    return statements[0]


def _trees(text: str) -> list[exp.Expr | None]:
    log = logging.getLogger("sqlglot")
    level = log.level
    log.setLevel(logging.CRITICAL)  # it warns of statements that it keeps as text; they are refused by name later
    try:
        return list(sqlglot.parse(text, dialect="duckdb"))
    except (SqlglotError, RecursionError):
        failed = InvalidSyntax("the query does not parse; the language is SELECT key, COUNT(*) FROM table GROUP BY key")
    finally:
        log.setLevel(level)
    raise failed
