"""CREATE SYNTHETIC TABLE and TABLES: what they name, and the columns that they copy."""

from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dalenius.errors import InvalidSyntax, UnknownName, UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.text.parse import LONGEST

SYNTHETIC = "CREATE [OR REPLACE] SYNTHETIC TABLE name AS SELECT column, … FROM table"
LINKED = (
    "CREATE [OR REPLACE] SYNTHETIC TABLES parents, rows AS SELECT parent.column, …, child.column, … "
    "FROM parent JOIN child USING (unit)"
)


@dataclass(frozen=True, slots=True)
class Creation:
    """A synthetic table: its name, whether it replaces another, the columns (None for all that can be copied)."""

    name: str
    replaces: bool
    columns: tuple[str, ...] | None

    @property
    def names(self) -> tuple[str, ...]:
        """All tables that it makes."""
        return (self.name,)


@dataclass(frozen=True, slots=True)
class LinkedCreation:
    """Two synthetic tables that join: their names, the tables they copy, parent first, and the columns of each."""

    names: tuple[str, str]
    replaces: bool
    tables: tuple[str, str]
    key: str
    columns: tuple[tuple[str, ...], tuple[str, ...]] | None


def read_creation(text: str, table: str) -> Creation | LinkedCreation | None:
    """What the statement creates from `table`, or from two tables of the session; None for any other statement."""
    if not isinstance(text, str) or len(text) > LONGEST or "SYNTHETIC" not in text.upper():
        return None
    try:
        tokens = language.tokens(text)
    except SqlglotError:
        return None
    words = [token.text.upper() for token in tokens[:9]]
    start = 3 if words[:3] == ["CREATE", "OR", "REPLACE"] else 1
    kind = words[start + 1 : start + 2]
    if words[:1] != ["CREATE"] or words[start : start + 1] != ["SYNTHETIC"] or kind not in (["TABLE"], ["TABLES"]):
        return None
    form, places = (SYNTHETIC, (2,)) if kind == ["TABLE"] else (LINKED, (2, 4))
    after = start + places[-1] + 1
    well = len(tokens) > after + 1 and words[after] == "AS" and (len(places) == 1 or words[start + 3] == ",")
    if not well or not all(tokens[start + place].text.isidentifier() for place in places):
        raise InvalidSyntax(f"a synthetic table is made by {form}")
    names = [tokens[start + place].text for place in places]
    select = _select(text[tokens[after + 1].start :], form)
    if len(names) == 1:
        return Creation(names[0], start == 3, _columns(select, table))
    return _linked((names[0], names[1]), start == 3, select)


def _select(text: str, form: str) -> exp.Select:
    try:
        tree = language.read(text)
    except SqlglotError:
        tree = None
    if not isinstance(tree, exp.Select):
        raise InvalidSyntax(f"a synthetic table is made by {form}")
    return tree


def _columns(tree: exp.Select, table: str) -> tuple[str, ...] | None:
    """The columns of a plain SELECT from the table; anything else is refused."""
    source = tree.find(exp.Table)
    if source is None or source.name.lower() != table.lower():
        raise UnknownName(f"a synthetic table is made of {table!r}, the table of this session")
    if not _plain(tree, ()) or len(list(tree.find_all(exp.Table))) != 1:
        raise UnsupportedQuery(f"a synthetic table copies columns as they are: {SYNTHETIC}")
    if any(isinstance(part, exp.Star) for part in tree.expressions):
        return None
    return tuple(part.name for part in tree.expressions)


def _linked(names: tuple[str, str], replaces: bool, tree: exp.Select) -> LinkedCreation:
    """The columns of a plain SELECT from two tables that are joined on the unit; anything else is refused."""
    tables, joins = list(tree.find_all(exp.Table)), tree.args.get("joins") or []
    refused = UnsupportedQuery(f"two linked tables are copied as they are: {LINKED}")
    if len(tables) != 2 or len(joins) != 1 or not _plain(tree, ("joins",)):
        raise refused
    join: Any = joins[0]
    using = join.args.get("using") or []
    said = {name for name, value in join.args.items() if value} - {"this", "using", "kind"}
    if len(using) != 1 or said or join.args.get("kind") not in (None, "", "INNER"):
        raise refused
    first, second = (tree.args.get("from_") or tree.args["from"]).this, join.this
    if (
        not isinstance(first, exp.Table)
        or not isinstance(second, exp.Table)
        or first.alias
        or second.alias
        or names[0].lower() == names[1].lower()
    ):
        raise refused
    pair = first.name, second.name
    if any(isinstance(part, exp.Star) for part in tree.expressions):
        return LinkedCreation(names, replaces, pair, using[0].name, None)
    owners = [part.table.lower() for part in tree.expressions]
    if not set(owners) <= {table.lower() for table in pair}:
        raise UnknownName(f"say whose each column is, {pair[0]}.column or {pair[1]}.column")
    mine, others = (
        tuple(part.name for part in tree.expressions if part.table.lower() == table.lower()) for table in pair
    )
    return LinkedCreation(names, replaces, pair, using[0].name, (mine, others))


def _plain(tree: exp.Select, allowed: tuple[str, ...]) -> bool:
    """Whether a SELECT has columns and tables, and no other part than `allowed`."""
    said = {name for name, value in tree.args.items() if value}
    others = said - {"kind", "expressions", "from", "from_", "hint", *allowed}
    return not others and all(type(part) in (exp.Column, exp.Star) for part in tree.expressions)
