"""Synthetic tables of a session: ordinary SQL over private copies, for nothing."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.sql.engine import PublicRows, language
from dalenius.sql.text.synthetic import Creation

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

    def check_name(self, creation: Creation) -> None:
        """Refuse, before anything is paid, a name that is taken."""
        if self._taken(creation.name):
            raise InvalidParameter(f"{creation.name!r} names a table or a view already: choose another name")
        if creation.name.lower() in self._copies and not creation.replaces:
            raise InvalidParameter(f"{creation.name!r} exists: write CREATE OR REPLACE SYNTHETIC TABLE")

    def keep(self, creation: Creation, copy: Any) -> None:
        """Hold the rows of a copy under its name."""
        if self._rows is None:
            self._rows = PublicRows(SCHEMA)
        self._rows.keep(creation.name.lower(), copy.sample().to_arrow())
        self._copies[creation.name.lower()] = copy

    def asked(self, text: str) -> Any | None:
        """The copy that a SELECT is about; None if it is about none."""
        if not self._copies or not isinstance(text, str):
            return None
        try:
            tree = language.read(text)
        except SqlglotError:
            return None
        tables = {table.name.lower() for table in tree.find_all(exp.Table)}
        inside = tables - {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        if not inside & set(self._copies):
            return None
        if not isinstance(tree, exp.Query) or not inside <= set(self._copies):
            raise UnsupportedQuery("a question to a synthetic table is a SELECT from synthetic tables alone")
        return self._copies[sorted(inside)[0]]

    def rows(self, text: str) -> Any:
        """The answer of ordinary SQL over the copies, as an Arrow table."""
        assert self._rows is not None
        return self._rows.select(text)
