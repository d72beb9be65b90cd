"""DuckDB, embedded."""

from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from dalenius.errors import ExecutionFailed, InvalidParameter
from dalenius.queries import View
from dalenius.sql.draft import SOURCE

_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class DuckDB(View):
    """A Parquet file, read by a DuckDB that can reach nothing else: no file, network, extension or setting."""

    __slots__ = ("_connection",)

    def __init__(self, path: str | Path) -> None:
        file = _parquet(path)
        try:
            self._connection = duckdb.connect(":memory:")
            source = exp.Literal.string(str(file)).sql(dialect="duckdb")
            view = exp.to_identifier(SOURCE, quoted=True).sql(dialect="duckdb")
            for statement in (
                "SET autoinstall_known_extensions = false",
                "SET autoload_known_extensions = false",
                f"CREATE VIEW {view} AS SELECT * FROM read_parquet({source}, hive_partitioning = false)",
                f"SET allowed_paths = [{source}]",
                "SET enable_external_access = false",
                "SET lock_configuration = true",
            ):
                self._connection.execute(statement)
        except duckdb.Error:
            failed = InvalidParameter(f"{file.name} cannot be read as Parquet")
        else:
            return
        raise failed

    @property
    def columns(self) -> dict[str, str]:
        """Names and types, from the schema alone."""
        view = exp.to_identifier(SOURCE, quoted=True).sql(dialect="duckdb")
        return {name: kind for name, kind, *_ in self._connection.execute(f"DESCRIBE {view}").fetchall()}

    def cells(self, statement: str, size: int) -> NDArray[np.int64]:
        """The integers that a compiled statement gives for cells 0 … size − 1, held inside int64.

        Runs after the charge: whatever fails may be the doing of a row, so nothing of it leaves.
        """
        try:
            with self._connection.cursor() as cursor:
                rows = cursor.execute(statement).fetchall()
        except Exception:
            failed = ExecutionFailed("the engine failed after the charge; the reason stays with the data")
        else:
            answer = np.zeros(size, np.int64)
            for cell, value in rows:
                answer[cell] = min(max(int(value), _LEAST), _LARGEST)
            return answer
        raise failed


def _parquet(path: str | Path) -> Path:
    file = Path(path).resolve()
    if file.suffix != ".parquet" or set(str(file)) & set("*?["):
        raise InvalidParameter(f"a table is one Parquet file, named like people.parquet, got {str(path)!r}")
    if not file.is_file():
        raise InvalidParameter(f"there is no file {str(path)!r}")
    return file
