"""Where a table may come from, and how the engine reads it so that no row can change a type or raise an error."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from glob import glob  # takes an absolute pattern, which Path.glob does not
from pathlib import Path
from typing import Any

from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.sql.columns import FILE_TYPES

COARSE_TIME = "TIMESTAMP in milliseconds"
"""A file's type that the language refuses: a row beyond the engine's microseconds would make the scan fail."""
_GLOB = frozenset("*?[")
_LONGEST_LINE = 1 << 20
_DATABASES = (".duckdb", ".ddb", ".db")


@dataclass(frozen=True, slots=True)
class Source:
    """A SELECT that reads the table, the files it may touch, and what must be done before."""

    select: str
    name: str
    paths: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    parquet: tuple[str, ...] = ()


def source_of(data: Any, columns: Mapping[str, str] | None = None, table: str | None = None) -> Source:
    """A path to Parquet (globs too), CSV or a DuckDB file, or a frame: Arrow, pandas, polars."""
    if not isinstance(data, str | Path):
        return _frame(data, table)
    suffix = Path(data).suffix.lower()
    if suffix == ".parquet":
        return _parquet(str(data), table)
    if suffix in (".csv", ".tsv"):
        return _csv(_file(data), columns, table, "\t" if suffix == ".tsv" else ",")
    if suffix in _DATABASES:
        return _database(_file(data), table)
    raise InvalidParameter(
        f"a table is a file such as people.parquet, people.csv or people.duckdb, or a frame, got {str(data)!r}"
    )


def _file(path: str | Path) -> Path:
    file = Path(path).resolve()
    if not file.is_file():
        raise InvalidParameter(f"there is no file {str(path)!r}")
    return file


def _parquet(path: str, table: str | None) -> Source:
    # a file's own name may hold a bracket
    found = [path] if Path(path).is_file() else sorted(glob(path, recursive=True))  # noqa: PTH207
    files = tuple(str(Path(file).resolve()) for file in found if Path(file).is_file())
    if not files:
        raise InvalidParameter(f"there is no file {path!r}")
    if any(set(file) & _GLOB for file in files):
        raise InvalidParameter("the name of a Parquet file must not hold *, ? or [")
    listed = exp.Array(expressions=[exp.Literal.string(file) for file in files]).sql(dialect="duckdb")
    name = Path(path).stem if len(found) == 1 and found[0] == path else table or _stem(path)
    # a text that is not UTF-8 is mended letter by letter instead of failing the scan
    options = "hive_partitioning = false, utf8_validation = 'replace'"
    return Source(f"SELECT * FROM read_parquet({listed}, {options})", table or name, files, parquet=files)


def _stem(pattern: str) -> str:
    """The part of a pattern's last name before its first wildcard, or the folder's name."""
    last = Path(pattern).name
    stem = last[: min((last.index(mark) for mark in _GLOB if mark in last), default=len(last))].rstrip("._-")
    return stem or Path(pattern).parent.name or "table"


def _csv(file: Path, columns: Mapping[str, str] | None, table: str | None, mark: str) -> Source:
    """Text in every column, then the declared types by TRY_CAST: what does not fit is NULL, a short line is dropped.

    Types are never guessed: one odd row would change them for all. The first line holds the names, which are public.
    Lines may end in any way: strictly read, one row with another end than the rest would fail the scan, or swallow the
    rows after it. What no reader can mend is a quote that is opened and not closed: it makes what follows one field.
    """
    if not columns:
        raise InvalidParameter(f"a CSV file has no types: declare columns={{name: type}} for {file.name}")
    names = _first_line(file, mark)
    lower = {name.strip().lower(): name for name in names}
    if len(lower) != len(names) or not names:
        raise InvalidParameter(f"the first line of {file.name} must hold the names of its columns, all different")
    for name, kind in columns.items():
        if name.lower() not in lower:
            raise InvalidParameter(f"{file.name} has no column {name!r} in its first line")
        if kind.upper() not in FILE_TYPES:
            raise InvalidParameter(f"{name!r} cannot be {kind!r}: a column of a CSV is one of {', '.join(FILE_TYPES)}")
    texts = ", ".join(f"{_text(f'c{place}')}: 'VARCHAR'" for place in range(len(names)))
    place_of = {name.strip().lower(): f'"c{place}"' for place, name in enumerate(names)}
    # without TRIM the engine would cast while it splits the line, and drop a line whose number is none
    typed = ", ".join(
        f"TRY_CAST({column if kind.upper() == 'VARCHAR' else f'TRIM({column})'} AS {kind.upper()}) AS {_name(name)}"
        for name, kind in columns.items()
        for column in [place_of[name.lower()]]
    )
    options = (
        f"auto_detect = false, strict_mode = false, header = true, delim = {_text(mark)}, quote = '\"', escape = '\"'"
    )
    read = f"read_csv({_text(str(file))}, {options}, ignore_errors = true, columns = {{{texts}}})"
    return Source(f"SELECT {typed} FROM {read}", table or file.stem, (str(file),))


def _first_line(file: Path, mark: str) -> list[str]:
    """The names, read as bytes: a text reader would decode, and stumble over, the rows after them."""
    try:
        with file.open("rb") as lines:
            return next(csv.reader([lines.readline(_LONGEST_LINE).decode("utf-8-sig")], delimiter=mark), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return []


def _database(file: Path, table: str | None) -> Source:
    if not table:
        raise InvalidParameter(f"{file.name} may hold many tables: name one with table=")
    attach = f"ATTACH {_text(str(file))} AS owned (READ_ONLY)"
    return Source(f"SELECT * FROM owned.{_name(table)}", table, (str(file),), before=(attach,))


def _frame(data: Any, table: str | None) -> Source:
    """A frame as an Arrow table, which has one type for each column; a column of mixed objects has none."""
    import pyarrow as pa

    try:
        held = _arrow(data, pa)
        held.validate(full=True)
    except Exception:  # its words may hold a value
        failed = InvalidParameter("a frame must be Arrow, pandas or polars, with one type for each column")
    else:
        return Source("SELECT * FROM frame", table or "data", tables={"frame": held})
    raise failed


def _arrow(data: Any, pa: Any) -> Any:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if hasattr(data, "to_arrow"):
        return data.to_arrow()
    return pa.Table.from_pandas(data, preserve_index=False)


def _text(value: str) -> str:
    return exp.Literal.string(value).sql(dialect="duckdb")


def _name(value: str) -> str:
    return exp.to_identifier(value, quoted=True).sql(dialect="duckdb")
