"""DuckDB, embedded."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from dalenius.errors import ExecutionFailed, InvalidParameter
from dalenius.queries import Table
from dalenius.sql.engine.duckdb.csv_lines import check_csv
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.instances import INSTANCES, Instances, asked_for
from dalenius.sql.engine.duckdb.opening import create, in_memory, opened, schema, set_up
from dalenius.sql.engine.duckdb.sources import source_of
from dalenius.sql.engine.engine import Engine
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.engine.source import Source
from dalenius.sql.types.engine_names import NAMED, SOURCE, place_beside

if TYPE_CHECKING:
    import pyarrow as pa

_Rows = TypeVar("_Rows")

_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_FAILED = "the engine failed after the charge; the reason stays with the data"


class DuckDB(Engine):
    """One table, and perhaps others to join, in a DuckDB that can reach nothing else: no file, network or setting."""

    __slots__ = (
        "_apart",
        "_beside",
        "_closed",
        "_columns",
        "_connection",
        "_current",
        "_kept",
        "_kept_rows",
        "_prepared",
        "_reopening",
        "_sources",
        "name",
        "settings",
    )
    dialect = DIALECT
    suffix = ".duckdb"

    def __init__(
        self,
        data: Any,
        *,
        columns: Mapping[str, str] | None = None,
        table: str | None = None,
        settings: Mapping[str, str | int] | None = None,
        others: Mapping[str, Source] | None = None,
        rowwise_view: bool = False,
        written: FileFormat = PLAIN,
    ) -> None:
        source = source_of(data, columns, table, rowwise_view=rowwise_view, written=written)
        self.name = source.name
        self.settings, apart = asked_for(settings or {})
        self._sources = {SOURCE: source, **(others or {})}
        self._apart = Instances(self.settings, lambda: self._sources) if apart else None
        self._reopening = Lock()
        self._closed = False
        self._kept: ContextVar[dict[str, NDArray[np.int64]] | None] = ContextVar("kept", default=None)
        self._kept_rows: ContextVar[dict[str, pa.Table] | None] = ContextVar("kept rows", default=None)
        self._prepared: Engine | None = None
        self._current: Callable[[], bool] = lambda: True
        try:
            self._connection = opened(self._sources, self.settings)
            columns_by_place = {place: schema(self._connection, place, one) for place, one in self._sources.items()}
            self._columns = columns_by_place.pop(SOURCE)
            self._beside = columns_by_place
        except duckdb.Error:
            failed = InvalidParameter(f"{source.name} cannot be read as a table: is the file what its name says?")
        else:
            return
        raise failed

    @property
    def source(self) -> Source:
        """Where the rows come from."""
        return self._sources[SOURCE]

    def name_unit(self, column: str | None, beside: Mapping[str, str | None] | None = None) -> None:
        """Say which column names people: a text of it that cannot be read letter by letter is NULL from now on."""
        units = {place: (beside or {}).get(place) or column for place in self._sources}
        named = {place: replace(one, unit=units[place]) for place, one in self._sources.items()}
        changed = [place for place, one in named.items() if one.parquet and one.unit != self._sources[place].unit]
        self._sources = named
        for place in changed:
            create(self._connection, place, named[place])

    def check_lines(self) -> None:
        """Refuse a CSV in which a quote is not where a writer puts one: for its owner alone, since rows decide it."""
        for source in self._sources.values():
            for file, mark in source.lines:
                check_csv(file, mark)

    @property
    def columns(self) -> dict[str, str]:
        """Names and types, from the schema alone."""
        return dict(self._columns)

    @property
    def beside(self) -> dict[str, dict[str, str]]:
        """The columns of the tables that may be joined, by the engine's names for them."""
        return {place: dict(columns) for place, columns in self._beside.items()}

    def source_of(self, place: str) -> Source:
        """Where the table of this name in the engine comes from."""
        return self._sources[place]

    @property
    def prepared(self) -> "Engine | None":
        """The table of which each unit has a bounded number of rows, if one was made and is not out of date."""
        return self._prepared if self._current() else None

    def hold(self, prepared: "Engine", current: Callable[[], bool]) -> None:
        """Keep a prepared table beside the source; `current` tells whether it still stands for it."""
        self._prepared, self._current = prepared, current

    def reading(self, prepared: bool) -> "Engine":
        """The table that a statement was written for; one for kept rows is never run over the source."""
        if prepared and self._prepared is None:
            raise ExecutionFailed(_FAILED)
        return self._prepared if prepared and self._prepared is not None else self

    @contextmanager
    def during_run(self) -> Iterator[None]:
        """The same statement is run once, and its answer forgotten at the end.

        Inside of another run the answers of that one are shared, which are a few numbers; rows are not kept as long.
        """
        outer = self._kept.get()
        token, rows = self._kept.set({} if outer is None else outer), self._kept_rows.set({})
        try:
            with self._prepared.during_run() if self._prepared is not None else nullcontext():
                yield
        finally:
            self._kept.reset(token)
            self._kept_rows.reset(rows)

    def close(self) -> None:
        """Let go of the tables: a statement after that fails."""
        self._connection.close()
        if self._apart is not None:
            self._apart.close()
        self._closed = True

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

    def _run(self, work: "Callable[[duckdb.DuckDBPyConnection], _Rows]") -> "_Rows":
        """Work on a cursor; once more if an earlier or another statement had left the whole engine invalid."""
        if self._apart is not None:
            with self._apart.one() as cursor:
                return interruptible(work, cursor)
        connection = self._connection
        try:
            with connection.cursor() as cursor:
                return interruptible(work, cursor)
        except Exception:
            if not self._reopened(connection):
                raise
        try:
            with self._connection.cursor() as cursor:
                return interruptible(work, cursor)
        except Exception:
            self._reopened(self._connection)
            raise

    def _reopened(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Whether the engine could run nothing any more, and was opened anew: one failure must not cause another."""
        with self._reopening:
            if self._closed:
                return False
            if connection is self._connection:
                try:
                    with connection.cursor() as cursor:
                        cursor.execute("SELECT 1").fetchall()
                except Exception:
                    self._connection = opened(self._sources, self.settings)
                else:
                    return False
            return True

    def _scanned(self, statement: str, cells: int, parts: int) -> NDArray[np.int64]:
        try:
            answers = self._run(lambda cursor: cursor.execute(statement).fetchnumpy())
            columns = [np.ma.filled(column, 0) for column in answers.values()]
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
        def work(cursor: duckdb.DuckDBPyConnection) -> "pa.Table":
            if named is not None:
                cursor.register(NAMED, named)
            rows: pa.Table = cursor.sql(statement).to_arrow_table()
            return rows

        try:
            fetched = self._run(work)
        except Exception:
            failed = ExecutionFailed(_FAILED)
        else:
            return fetched
        raise failed

    def table(self, names: Sequence[str]) -> Table:
        """Columns of the first table in memory, for a plan that has been paid for; as silent as `scan`."""
        return self._in_memory(SOURCE, names)

    def named_table(self, name: str, columns: Sequence[str]) -> Table:
        """Columns of the first table, or of a private one beside it, as `table` hands them over."""
        return self._in_memory(SOURCE if name == self.name else place_beside(name), columns)

    def _in_memory(self, place: str, names: Sequence[str]) -> Table:
        quoted = [exp.to_identifier(name, quoted=True).sql(dialect="duckdb") for name in (*names, place)]
        rows = self._fetched(f"SELECT {', '.join(quoted[:-1])} FROM {quoted[-1]}")
        return Table.of({name: rows.column(name) for name in names})

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows as they are, for the owner's survey alone: nothing of them is private for anyone."""
        with self._connection.cursor() as cursor:
            return cursor.execute(statement).fetchall()

    def write_table(self, statement: str, place: Path) -> None:
        """Write what a statement gives over the source into a database of its own, as its one table `kept`.

        Reads every row, so whatever fails is kept silent, as in `scan`.
        """
        try:
            with in_memory(self.settings) as connection:
                set_up(connection)
                connection.execute(f"SET temp_directory = {DIALECT.literal(str(place.parent))}")
                create(connection, SOURCE, self.source)
                connection.execute(f"ATTACH {DIALECT.literal(str(place))} AS sidecar")
                connection.execute(f"CREATE TABLE sidecar.kept AS {statement}")
                connection.execute("DETACH sidecar")
        except Exception:
            failed = ExecutionFailed("the table could not be prepared; the reason stays with the data")
        else:
            return
        raise failed

    def open_table(self, data: Any, table: str) -> "DuckDB":
        """A file of DuckDB's own, or a frame."""
        apart = {INSTANCES: "shared" if self._apart is None else "statement"}
        return DuckDB(data, table=table, settings={**self.settings, **apart})


def interruptible(work: "Callable[[duckdb.DuckDBPyConnection], _Rows]", cursor: duckdb.DuckDBPyConnection) -> "_Rows":
    """Work that Ctrl-C, or a kernel's interrupt, ends as it ends any other work in Python.

    DuckDB stops at a signal and says so with a bare RuntimeError of these words, which no row can cause: what goes
    wrong with rows is an error of DuckDB's own.
    """
    try:
        return work(cursor)
    except RuntimeError as stopped:
        if type(stopped) is not RuntimeError or str(stopped) != "Query interrupted":
            raise
    raise KeyboardInterrupt
