"""From text to a tree."""

import logging

from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from dalenius.errors import InvalidSyntax, UnsupportedQuery
from dalenius.sql.engine import language

LONGEST = 100_000
MOST_TOKENS = 10_000
DEEPEST = 100


def parse(text: str) -> exp.Expr:
    """The one statement that the text holds, as a tree without comments; the text itself goes no further."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidSyntax("a query must be a text: SELECT key, COUNT(*) FROM table GROUP BY key")
    if len(text) > LONGEST:
        raise UnsupportedQuery(f"a query may have {LONGEST} characters, got {len(text)}")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidSyntax("a query must be text that UTF-8 can hold")
    statements = [tree for tree in _trees(text) if tree is not None]
    if len(statements) != 1:
        raise UnsupportedQuery(f"one statement at a time, got {len(statements)}: ask each in a call of its own")
    _check_depth(statements[0])
    return statements[0]


def placeholders(text: str) -> list[int]:
    """Where the question marks stand that wait for a value, those inside quotes and comments left out."""
    try:
        tokens = language.tokens(text)
    except SqlglotError:
        return []
    return [token.start for token in tokens if token.token_type is TokenType.PLACEHOLDER]


def text_literal(value: str) -> str:
    """A text as the language writes it: one value, whatever its letters are."""
    return language.written(exp.Literal.string(value))


def _trees(text: str) -> list[exp.Expr | None]:
    log = logging.getLogger("sqlglot")
    level = log.level
    log.setLevel(logging.CRITICAL)  # it warns of statements that it keeps as text; they are refused by name later
    try:
        tokens = language.tokens(text)
        if len(tokens) <= MOST_TOKENS:
            return language.trees(text)
        failed: UnsupportedQuery = UnsupportedQuery(
            f"a query may have {MOST_TOKENS} words and signs, got {len(tokens)}"
        )
    except (SqlglotError, RecursionError):
        failed = InvalidSyntax("the query does not parse; the language is SELECT … FROM table WHERE … GROUP BY …")
    finally:
        log.setLevel(level)
    raise failed


def _check_depth(tree: exp.Expr) -> None:
    """Refuse what is nested so deep that reading it could exhaust the stack; drop comments on the way."""
    level, depth = [tree], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise UnsupportedQuery(
                f"a query may be nested {DEEPEST} deep: write long sums and conditions as IN or CASE"
            )
        for node in level:
            node.comments = None
        level = [child for node in level for child in node.iter_expressions()]
