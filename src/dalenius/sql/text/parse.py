"""From text to a tree."""

import logging
import re
from functools import lru_cache
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.errors import ParseError, SqlglotError

from dalenius.errors import InvalidSyntax, UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.text.other_forms import usual_forms
from dalenius.sql.text.pivots import trees_of, without_pivots
from dalenius.sql.text.quoted import Words, note_words

LONGEST = 100_000
MOST_TOKENS = 10_000
DEEPEST = 100
REMEMBERED, SHORT = 64, 4_000
"""How many texts, of how many characters, are kept as they were read; a refusal is not."""
_LANGUAGE = "the language is SELECT … FROM table WHERE … GROUP BY …"


def parse(text: str) -> exp.Expr:
    """The one statement that the text holds, as a tree without comments; the text itself goes no further."""
    return parse_once(text).copy()


def parse_once(text: str) -> exp.Expr:
    """The same, as a tree that all who ask for this text share: it is read, and never changed."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidSyntax("a query must be a text: SELECT key, COUNT(*) FROM table GROUP BY key")
    return _remembered(text) if len(text) <= SHORT else _parsed(text)


def _parsed(text: str) -> exp.Expr:
    if len(text) > LONGEST:
        raise UnsupportedQuery(f"a query may have {LONGEST} characters, got {len(text)}")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidSyntax("a query must be text that UTF-8 can hold")
    statements = [tree for tree in _trees(text) if tree is not None]
    if len(statements) != 1:
        raise UnsupportedQuery(f"one statement at a time, got {len(statements)}: ask each in a call of its own")
    _check_depth(statements[0])
    note_words(statements[0], text)
    tree = without_pivots(statements[0])
    usual_forms(tree)
    return tree


_remembered = lru_cache(maxsize=REMEMBERED)(_parsed)


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
            return trees_of(text)
        failed: UnsupportedQuery = UnsupportedQuery(
            f"a query may have {MOST_TOKENS} words and signs, got {len(tokens)}"
        )
    except (SqlglotError, RecursionError) as error:
        failed = _unread(text, error)
    finally:
        log.setLevel(level)
    raise failed


def _unread(text: str, error: Exception) -> InvalidSyntax:
    """What did not parse and where, in words that are not the parser's."""
    first = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    words, line, column = str(first.get("highlight") or ""), first.get("line"), first.get("col")
    refused = InvalidSyntax(f"the query does not parse{_reason(first)}; {_LANGUAGE}")
    if words and isinstance(line, int) and isinstance(column, int):
        start = sum(map(len, text.splitlines(keepends=True)[: line - 1])) + column - len(words)
        if text[max(start, 0) : start + len(words)] == words:
            refused.about = Words(words, start)
    return refused


def _reason(error: dict[str, Any]) -> str:
    description, words = str(error.get("description") or ""), str(error.get("highlight") or "")
    if match := re.fullmatch(r"Expecting (\S{1,10})", description):
        return f": {match[1]} is missing"
    if "is greater than the maximum" in description:
        return ": a function has too many arguments"
    if "missing for" in description:
        return ": something is missing" + (f" at {words[:40]!r}" if words else "")
    return f": {words[:40]!r} is not expected there" if words else ""


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
