"""DuckDB, embedded."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from dalenius.errors import ExecutionFailed, InvalidParameter
from dalenius.queries import View
from dalenius.sql.engine.sources import COARSE_TIME, Source, source_of
from dalenius.sql.names import NAMED, SOURCE

if TYPE_CHECKING:
    import pyarrow as pa

_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_FAILED = "the engine failed after the charge; the reason stays with the data"
_BY_COLLATION = {"VARCHAR": "{0} COLLATE C"}
_OF_PARQUET = {
    "VARCHAR": "CASE WHEN {0} IS NULL THEN NULL ELSE CONCAT({0}, '') END",
    **dict.fromkeys(("DOUBLE", "FLOAT"), "TRY({0})"),
}
"""The same values, written so that the engine concludes nothing of them; it sees through x || '' and x * 1."""


class DuckDB(View):
    """One table, and perhaps others to join, in a DuckDB that can reach nothing else: no file, network or setting."""

    __slots__ = (
        "_beside",
        "_columns",
        "_connection",
        "_current",
        "_kept",
        "_kept_rows",
        "_prepared",
        "name",
        "settings",
        "source",
    )

    def __init__(
        self,
        data: Any,
        *,
        columns: Mapping[str, str] | None = None,
        table: str | None = None,
        settings: Mapping[str, str | int] | None = None,
        others: Mapping[str, Source] | None = None,
    ) -> None:
        source = source_of(data, columns, table)
        self.name, self.settings = source.name, dict(settings or {})
        self.source = replace(source, tables={})  # a frame is copied, and needed no more
        self._kept: ContextVar[dict[str, NDArray[np.int64]] | None] = ContextVar("kept", default=None)
        self._kept_rows: ContextVar[dict[str, pa.Table] | None] = ContextVar("kept rows", default=None)
        self._prepared: DuckDB | None = None
        self._current: Callable[[], bool] = lambda: True
        try:
            every = {SOURCE: source, **(others or {})}
            self._connection = _opened(every, settings or {})
            found = {place: _columns(self._connection, place, one) for place, one in every.items()}
            self._columns = found.pop(SOURCE)
            self._beside = found
        except duckdb.Error:
            failed = InvalidParameter(f"{source.name} cannot be read as a table: is the file what its name says?")
        else:
            return
        raise failed

    @property
    def columns(self) -> dict[str, str]:
        """Names and types, from the schema alone."""
        return dict(self._columns)

    @property
    def beside(self) -> dict[str, dict[str, str]]:
        """The columns of the tables that may be joined, by the engine's names for them."""
        return {place: dict(columns) for place, columns in self._beside.items()}

    @property
    def prepared(self) -> "DuckDB | None":
        """The table of which each unit has a bounded number of rows, if one was made and is not out of date."""
        return self._prepared if self._current() else None

    def hold(self, prepared: "DuckDB", current: Callable[[], bool]) -> None:
        """Keep a prepared table beside the source; `current` tells whether it still stands for it."""
        self._prepared, self._current = prepared, current

    def reading(self, prepared: bool) -> "DuckDB":
        """The table that a statement was written for; one for kept rows is never run over the source."""
        if prepared and self._prepared is None:
            raise ExecutionFailed(_FAILED)
        return self._prepared if prepared and self._prepared is not None else self

    @contextmanager
    def during_run(self) -> Iterator[None]:
        """The same statement is run once, and its answer forgotten at the end."""
        token, rows = self._kept.set({}), self._kept_rows.set({})
        try:
            with self._prepared.during_run() if self._prepared is not None else nullcontext():
                yield
        finally:
            self._kept.reset(token)
            self._kept_rows.reset(rows)

    def scan(self, statement: str, cells: int, parts: int) -> NDArray[np.int64]:
        """The integers that a compiled statement gives for cells 0 … cells − 1, one row for each part.

        Runs after the charge: whatever fails may be the doing of a row, so nothing of it leaves.
        """
        kept = self._kept.get()
        if kept is None:
            return self._scanned(statement, cells, parts)
        if statement not in kept:
            kept[statement] = self._scanned(statement, cells, parts)
        return kept[statement]

    def _scanned(self, statement: str, cells: int, parts: int) -> NDArray[np.int64]:
        try:
            with self._connection.cursor() as cursor:
                found = cursor.execute(statement).fetchnumpy()
            columns = [np.ma.filled(column, 0) for column in found.values()]
            answer = np.zeros((parts, cells), np.int64)
            answer[:, columns[0].astype(np.int64)] = columns[1:]
        except Exception:
            failed = ExecutionFailed(_FAILED)
        else:
            return answer
        raise failed

    def fetch(self, statement: str, named: "pa.Table | None" = None) -> "pa.Table":
        """The rows of a compiled statement, for a plan that releases something private of them; as silent as `scan`.

        `named` are keys that were released already, which the statement may join; no other statement sees them.
        """
        kept = self._kept_rows.get() if named is None else None
        if kept is None:
            return self._fetched(statement, named)
        if statement not in kept:
            kept[statement] = self._fetched(statement)
        return kept[statement]

    def _fetched(self, statement: str, named: "pa.Table | None" = None) -> "pa.Table":
        try:
            with self._connection.cursor() as cursor:
                if named is not None:
                    cursor.register(NAMED, named)
                found: pa.Table = cursor.sql(statement).to_arrow_table()
        except Exception:
            failed = ExecutionFailed(_FAILED)
        else:
            return found
        raise failed

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows as they are, for the owner's survey alone: nothing of them is private for anyone."""
        with self._connection.cursor() as cursor:
            return cursor.execute(statement).fetchall()


def write_table(engine: DuckDB, statement: str, place: Path) -> None:
    """Write what a statement gives over the engine's source into a database of its own, as its one table `kept`.

    Reads every row, so whatever fails is kept silent, as in `scan`.
    """
    try:
        with duckdb.connect(":memory:", config=dict(engine.settings)) as connection:
            _set_up(connection)
            connection.execute(f"SET temp_directory = {exp.Literal.string(str(place.parent)).sql(dialect='duckdb')}")
            _create(connection, SOURCE, engine.source)
            connection.execute(f"ATTACH {exp.Literal.string(str(place)).sql(dialect='duckdb')} AS sidecar")
            connection.execute(f"CREATE TABLE sidecar.kept AS {statement}")
            connection.execute("DETACH sidecar")
    except Exception:
        failed = ExecutionFailed("the table could not be prepared; the reason stays with the data")
    else:
        return
    raise failed


def _opened(sources: Mapping[str, Source], settings: Mapping[str, str | int]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=dict(settings))
    _set_up(connection)
    for place, source in sources.items():
        _create(connection, place, source)
    paths = (path for source in sources.values() for path in source.paths)
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    for statement in (
        f"SET allowed_paths = [{listed}]",
        "SET enable_external_access = false",
        "SET lock_configuration = true",
    ):
        connection.execute(statement)
    return connection


def _set_up(connection: duckdb.DuckDBPyConnection) -> None:
    for statement in (
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET enable_progress_bar = false",  # it would be printed among the answers, and tell how long rows take
        "SET ieee_floating_point_ops = true",  # 1e308 · 10 is ∞, not an error
        "SET default_collation = ''",  # 'a' is not 'A': a row must equal one key at most
    ):
        connection.execute(statement)


def _plain(connection: duckdb.DuckDBPyConnection, source: Source) -> str:
    """The source's rows, each of which is what it is whatever other rows there are.

    A database may give its texts a collation: under NOCASE one row would equal the keys 'a' and 'A', and be counted in
    both cells at the price of one. A Parquet file keeps the least and the largest value of many rows, from which the
    engine concludes what holds of each; but NaN is left out of them, and a text that is not UTF-8 stands there as it
    was written and not as it is read. So whether such rows met a condition would hang on rows of *other* people.
    Of what is computed in these ways the engine knows no least and largest.
    """
    rules = _BY_COLLATION if source.before else _OF_PARQUET if source.parquet else {}
    columns = connection.execute(f"DESCRIBE {source.select}").fetchall() if rules else []
    replaced = [
        f"{rules[kind].format(quoted)} AS {quoted}"
        for name, kind, *_ in columns
        if kind in rules and (quoted := _quoted(name))
    ]
    return f"SELECT * REPLACE ({', '.join(replaced)}) FROM ({source.select})" if replaced else source.select


def _create(connection: duckdb.DuckDBPyConnection, place: str, source: Source) -> None:
    for statement in source.before:
        connection.execute(statement)
    for name, held in source.tables.items():
        connection.register(name, held)
    # a frame is copied, so that whoever holds it cannot change it between two questions
    connection.execute(
        f"CREATE {'TABLE' if source.tables else 'VIEW'} {_quoted(place)} AS {_plain(connection, source)}"
    )
    for name in source.tables:
        connection.unregister(name)


def _columns(connection: duckdb.DuckDBPyConnection, place: str, source: Source) -> dict[str, str]:
    found = {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE {_quoted(place)}").fetchall()}
    schemas = set()
    for path in source.parquet:
        rows = connection.execute(
            "SELECT name, type, converted_type, logical_type, num_children FROM parquet_schema(?)", [path]
        ).fetchall()
        schemas.add(tuple(rows))
        for name, _, converted, logical, _ in rows:
            if name in found and "milli" in f"{converted} {logical}".lower().replace("millis=<null>", ""):
                found[name] = COARSE_TIME
    if len(schemas) > 1:  # the engine would cast one file's rows to the other's types, and may fail at one
        raise duckdb.InvalidInputException("schemas differ")
    return found


def _quoted(name: str) -> str:
    return str(exp.to_identifier(name, quoted=True).sql(dialect="duckdb"))
