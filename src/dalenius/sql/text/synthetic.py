"""CREATE SYNTHETIC TABLE: what it names, and the columns that it copies."""

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dalenius.errors import InvalidSyntax, UnknownName, UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.text.parse import LONGEST

SYNTHETIC = "CREATE [OR REPLACE] SYNTHETIC TABLE name AS SELECT column, … FROM table"


@dataclass(frozen=True, slots=True)
class Creation:
    """A synthetic table: its name, whether it replaces another, the columns (None for all that can be copied)."""

    name: str
    replaces: bool
    columns: tuple[str, ...] | None


def read_creation(text: str, table: str) -> Creation | None:
    """What the statement creates from `table`; None for any other statement."""
    if not isinstance(text, str) or len(text) > LONGEST or "SYNTHETIC" not in text.upper():
        return None
    try:
        tokens = language.tokens(text)
    except SqlglotError:
        return None
    words = [token.text.upper() for token in tokens[:7]]
    start = 3 if words[:3] == ["CREATE", "OR", "REPLACE"] else 1
    if words[:1] != ["CREATE"] or words[start : start + 2] != ["SYNTHETIC", "TABLE"]:
        return None
    if len(tokens) < start + 5 or words[start + 3] != "AS" or not tokens[start + 2].text.isidentifier():
        raise InvalidSyntax(f"a synthetic table is made by {SYNTHETIC}")
    name = tokens[start + 2].text
    return Creation(name, start == 3, _columns(text[tokens[start + 4].start :], table))


def _columns(select: str, table: str) -> tuple[str, ...] | None:
    """The columns of a plain SELECT from the table; anything else is refused."""
    try:
        tree = language.read(select)
    except SqlglotError:
        tree = None
    if not isinstance(tree, exp.Select):
        raise InvalidSyntax(f"a synthetic table is made by {SYNTHETIC}")
    source = tree.find(exp.Table)
    if source is None or source.name.lower() != table.lower():
        raise UnknownName(f"a synthetic table is made of {table!r}, the table of this session")
    said = {name for name, value in tree.args.items() if value} - {"kind", "expressions", "from", "from_", "hint"}
    parts = tree.expressions
    if said or len(list(tree.find_all(exp.Table))) != 1 or not all(type(p) in (exp.Column, exp.Star) for p in parts):
        raise UnsupportedQuery(f"a synthetic table copies columns as they are: {SYNTHETIC}")
    if any(isinstance(part, exp.Star) for part in parts):
        return None
    return tuple(part.name for part in parts)
