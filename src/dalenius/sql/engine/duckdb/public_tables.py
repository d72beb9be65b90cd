"""Public tables: read whole, since whatever is in them may be known."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from dalenius.errors import InvalidParameter
from dalenius.queries import Keys
from dalenius.queries.view import EXACT
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.frames import public_frame
from dalenius.sql.engine.duckdb.sources import source_of
from dalenius.sql.engine.source import Source
from dalenius.sql.types.column_types import KEY_TYPES, REALS, is_decimal, kind_of
from dalenius.sql.types.kinds import Kind

MOST_KEYS = 10_000
_FARTHEST = 1e100


@dataclass(frozen=True, slots=True)
class PublicTable:
    """A public table as it is now, and what is known of its columns; `digest` tells its content from another."""

    source: Source
    digest: str
    columns: dict[str, str]
    keys: dict[str, Keys]
    bounds: dict[str, tuple[float, float]]
    unique: frozenset[str]
    reals: dict[str, Keys]
    """The values of columns of real numbers, which are keys of a choice alone."""


def read_public_table(name: str, data: Any) -> PublicTable:
    """Read a Parquet or CSV file, or a frame."""
    try:
        with duckdb.connect(":memory:") as connection:
            held = _read(connection, name, data)
            connection.register("held", held)
            columns = {column: kind for column, kind, *_ in connection.execute("DESCRIBE held").fetchall()}
            keys, bounds, unique = _known(connection, columns)
            reals = _reals(connection, columns)
    except duckdb.Error:
        failed = InvalidParameter(f"public={{{name!r}: …}} cannot be read as a table")
    else:
        # names in the order of the bytes: two tables with their columns swapped are not the same table
        digest = hashlib.sha256(repr(list(columns.items())).encode())
        for batch in held.combine_chunks().to_batches():
            digest.update(batch.serialize())
        source = Source("SELECT * FROM frame", name, _files(name, data), tables={"frame": held})
        return PublicTable(source, digest.hexdigest()[:32], columns, keys, bounds, unique, reals)
    raise failed


def _files(name: str, data: Any) -> tuple[str, ...]:
    """The files that a public table is read from: none of them may be somebody's private one."""
    if isinstance(data, str | Path) and Path(data).suffix.lower() in (".csv", ".tsv"):
        return (str(Path(data).resolve()),)
    return source_of(data, None, name).paths


def _read(connection: duckdb.DuckDBPyConnection, name: str, data: Any) -> Any:
    if isinstance(data, str | Path) and Path(data).suffix.lower() in (".csv", ".tsv"):
        if not Path(data).is_file():
            raise InvalidParameter(f"there is no file {str(data)!r}")
        return connection.sql("SELECT * FROM read_csv(?)", params=[str(data)]).to_arrow_table()
    if not isinstance(data, str | Path):
        return public_frame(data)
    source = source_of(data, None, name)
    if source.before:
        raise InvalidParameter(f"public={{{name!r}: …}} takes a Parquet or CSV file, or a frame")
    return connection.sql(source.select).to_arrow_table()


def _known(
    connection: duckdb.DuckDBPyConnection, columns: Mapping[str, str]
) -> tuple[dict[str, Keys], dict[str, tuple[float, float]], frozenset[str]]:
    """Keys, bounds, and the columns that hold no value twice."""
    keys: dict[str, Keys] = {}
    bounds: dict[str, tuple[float, float]] = {}
    unique: set[str] = set()
    for name, kind in columns.items():
        column = DIALECT.quoted(name)
        # decimals are compared as the language reads them: two of them may be one double
        compared = f"CAST({column} AS DOUBLE)" if is_decimal(kind) else column
        values, rows = _one(connection, f"SELECT COUNT(DISTINCT {compared}), COUNT({column}) FROM held")
        if values == rows:
            unique.add(name)
        if kind in KEY_TYPES and kind not in REALS and 1 <= values <= MOST_KEYS:
            cursor = connection.execute(f"SELECT DISTINCT {column} FROM held WHERE {column} IS NOT NULL ORDER BY 1")
            listed = [value for (value,) in cursor.fetchall() if not (isinstance(value, str) and "\0" in value)]
            far = any(isinstance(value, int) and abs(value) >= EXACT for value in listed)
            keys |= {name: Keys(name, listed)} if listed and not far else {}
        if kind_of(kind) is Kind.NUMBER:
            number = f"CAST({column} AS DOUBLE)"
            ends = _one(connection, f"SELECT MIN({number}), MAX({number}) FROM held WHERE ABS({number}) <= {_FARTHEST}")
            bounds |= {name: ends} if ends[0] is not None else {}
    return keys, bounds, frozenset(unique)


def _reals(connection: duckdb.DuckDBPyConnection, columns: Mapping[str, str]) -> dict[str, Keys]:
    """The values of real and decimal columns, as the language reads them: as doubles, none of them NaN or ±∞."""
    reals: dict[str, Keys] = {}
    for name, kind in columns.items():
        if not is_decimal(kind) and kind not in REALS:
            continue
        number = f"CAST({DIALECT.quoted(name)} AS DOUBLE)"
        cursor = connection.execute(
            f"SELECT DISTINCT {number} FROM held WHERE ABS({number}) < {EXACT} ORDER BY 1 LIMIT {MOST_KEYS + 1}"
        )
        listed = [value for (value,) in cursor.fetchall()]
        reals |= {name: Keys(name, listed)} if 1 <= len(listed) <= MOST_KEYS else {}
    return reals


def _one(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[Any, ...]:
    row = connection.execute(statement).fetchone()
    assert row is not None
    return row
