"""Ordinary SQL over tables that are public already: an engine in memory that can reach nothing else."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

import duckdb

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine.duckdb.language import quoted

if TYPE_CHECKING:
    import pyarrow as pa

_GIVEN = "the_given_rows"
MOST_ROWS = 1_000_000
MOST_SECONDS = 60
"""Asking public rows is free, so nothing else keeps an answer from growing without end."""
_SETTINGS = (
    "python_enable_replacements = false",  # else a table's name may mean a variable of the process
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "temp_directory = ''",
    "enable_external_access = false",
)


class PublicRows:
    """Tables of one schema, held in memory; `settings` are made before all of them are locked."""

    def __init__(self, schema: str, *settings: str) -> None:
        self._schema = schema
        self._names: set[str] = set()
        self._connection = duckdb.connect(":memory:")
        self._connection.execute(f"CREATE SCHEMA {quoted(schema)}")
        for setting in (*settings, *_SETTINGS):
            self._connection.execute(f"SET {setting}")
        self._connection.execute("SET lock_configuration = true")

    def keep(self, name: str, rows: "pa.Table") -> None:
        """Hold the rows under a name, in place of what it named before."""
        self._connection.register(_GIVEN, rows)
        self._names.add(name)
        self._connection.execute(f"CREATE OR REPLACE TABLE {self._table(name)} AS SELECT * FROM {_GIVEN}")
        self._connection.unregister(_GIVEN)

    def forget(self) -> None:
        """Drop all tables; the engine can be used for others."""
        for name in self._names:
            self._connection.execute(f"DROP TABLE IF EXISTS {self._table(name)}")
        self._names.clear()

    def _table(self, name: str) -> str:
        return f"{quoted(self._schema)}.{quoted(name)}"

    def close(self) -> None:
        """Let go of the tables."""
        self._connection.close()

    def select(self, text: str, seconds: float | None = None) -> "pa.Table":
        """The answer of a SELECT; the rows are public, so an error may say what it was."""
        most = MOST_SECONDS if seconds is None else seconds
        try:
            with self._connection.cursor() as cursor, _ended(cursor.interrupt, most):
                cursor.execute(f"SET search_path = '{self._schema}'")
                rows: pa.Table = cursor.sql(text).limit(MOST_ROWS + 1).to_arrow_table()
        except duckdb.InterruptException:
            raise UnsupportedQuery(f"the answer took more than {most} seconds: ask for less") from None
        except duckdb.Error as error:
            raise UnsupportedQuery(f"these tables cannot answer this: {error}") from None
        if rows.num_rows > MOST_ROWS:
            raise UnsupportedQuery(f"the answer has more than {MOST_ROWS:,} rows: ask for fewer, with LIMIT")
        return rows


class IdlePublicRows:
    """Engines of one schema that hold no table now: opening one takes several times the work of a short SELECT.

    One is taken for each use and serves nobody else meanwhile. It comes back without its tables; one that a use has
    failed on does not come back, nor does one that another process, of which this is a fork, has opened.
    """

    KEPT = 2
    """Engines that are kept; more are opened while more are used."""

    def __init__(self, schema: str, *settings: str) -> None:
        self._opened_by = (schema, *settings)
        self._idle: list[PublicRows] = []
        self._process = os.getpid()

    @contextmanager
    def one(self) -> Iterator[PublicRows]:
        """An engine without tables, for one use."""
        rows = self._taken()
        try:
            yield rows
            rows.forget()
        except BaseException:
            rows.close()
            raise
        if len(self._idle) < self.KEPT and self._process == os.getpid():
            self._idle.append(rows)
        else:
            rows.close()

    def _taken(self) -> PublicRows:
        if self._process != os.getpid():
            self._idle, self._process = [], os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            return PublicRows(*self._opened_by)


@contextmanager
def _ended(stop: Callable[[], None], seconds: float) -> Iterator[None]:
    """Stop what takes too long."""
    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
