"""Synthetic tables of a session: ordinary SQL over private copies, for nothing."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.sql.engine import PublicRows, language
from dalenius.sql.text.synthetic import Creation, LinkedCreation
from dalenius.sql.text.synthetic_question import SyntheticQuestion, read_question

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "synthetic"


class SyntheticTables:
    """Copies by name, in a database of their own that holds nothing else and can reach nothing else.

    Whatever is asked of a copy is made of a release, so any SELECT is allowed and costs nothing  [A Prop 3.1]. A copy
    lives as long as its session; made again for the same columns and price it is the ledger's stored answer.
    """

    def __init__(self, taken: Callable[[str], bool]) -> None:
        self._taken, self._copies = taken, dict[str, Any]()
        self._rows: PublicRows | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The synthetic tables, in the order they were made."""
        return tuple(self._copies)

    def check_names(self, creation: Creation | LinkedCreation) -> None:
        """Refuse, before anything is paid, a name that is taken."""
        for name in creation.names:
            if self._taken(name):
                raise InvalidParameter(f"{name!r} names a table or a view already: choose another name")
            if name.lower() in self._copies and not creation.replaces:
                raise InvalidParameter(f"{name!r} exists: write CREATE OR REPLACE SYNTHETIC TABLE")

    def keep(self, names: Iterable[str], copy: Any, rows: Iterable["pa.Table"]) -> None:
        """Hold the rows of a copy under their names."""
        if self._rows is None:
            self._rows = PublicRows(SCHEMA)
        for name, table in zip(names, rows, strict=True):
            self._rows.keep(name.lower(), table)
            self._copies[name.lower()] = copy

    def asked(self, text: str) -> SyntheticQuestion | None:
        """What a SELECT asks of copies; None if it is about none."""
        if not self._copies or not isinstance(text, str):
            return None
        try:
            tree = language.read(text)
        except SqlglotError:
            return None
        question = read_question(tree)  # of whatever statement: the tables that it names
        inside = set(question.tables)
        if not inside & set(self._copies):
            return None
        if not isinstance(tree, exp.Query) or not inside <= set(self._copies):
            raise UnsupportedQuery("a question to a synthetic table is a SELECT from synthetic tables alone")
        return question

    def copies(self, question: SyntheticQuestion) -> tuple[Any, ...]:
        """The copies that a question is about, each once."""
        return tuple({id(copy): copy for copy in (self._copies[name] for name in question.tables)}.values())

    def rows(self, text: str) -> Any:
        """The answer of ordinary SQL over the copies, as an Arrow table."""
        assert self._rows is not None
        return self._rows.select(text)
