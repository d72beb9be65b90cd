"""Where a table may come from, and how the engine reads it so that no row can change a type or raise an error."""

import csv
from collections.abc import Callable, Iterable, Mapping
from glob import glob  # takes an absolute pattern, which Path.glob does not
from pathlib import Path
from typing import Any

from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.declared_types import read_text
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.frames import frame_source
from dalenius.sql.engine.source import Source
from dalenius.sql.types.column_types import FILE_TYPES

_GLOB = frozenset("*?[")
_LONGEST_LINE = 1 << 20


def source_of(
    data: Any, columns: Mapping[str, str] | None = None, table: str | None = None, *, rowwise_view: bool = False
) -> Source:
    """A path to Parquet (globs too), CSV or a DuckDB file, or a frame: Arrow, pandas, polars."""
    if not isinstance(data, str | Path):
        return frame_source(data, columns, table)
    read = FILES.get(Path(data).suffix.lower())
    if read is None:
        raise InvalidParameter(
            f"a table is a file such as people.parquet, people.csv or people.duckdb, or a frame, got {str(data)!r}"
        )
    return read(data, columns, table, rowwise_view)


def _file(path: str | Path) -> Path:
    file = Path(path).resolve()
    if not file.is_file():
        raise InvalidParameter(f"there is no file {str(path)!r}")
    return file


def _parquet(path: str, table: str | None) -> Source:
    # a file's own name may hold a bracket
    paths = [path] if Path(path).is_file() else sorted(glob(path, recursive=True))  # noqa: PTH207
    files = _distinct(Path(file).resolve() for file in paths if Path(file).is_file())
    if not files:
        raise InvalidParameter(f"there is no file {path!r}")
    if any(set(file) & _GLOB for file in files):
        raise InvalidParameter("the name of a Parquet file must not hold *, ? or [")
    listed = exp.Array(expressions=[exp.Literal.string(file) for file in files]).sql(dialect="duckdb")
    name = Path(path).stem if len(paths) == 1 and paths[0] == path else table or _stem(path)
    # a text that is not UTF-8 is mended letter by letter instead of failing the scan
    options = "hive_partitioning = false, utf8_validation = 'replace'"
    return Source(f"SELECT * FROM read_parquet({listed}, {options})", table or name, files, parquet=files)


def _distinct(files: Iterable[Path]) -> tuple[str, ...]:
    """Each file once, whatever links lead to it: read twice, everybody in it would count twice."""
    seen: dict[tuple[int, int], str] = {}
    for file in files:
        told = file.stat()
        seen.setdefault((told.st_dev, told.st_ino), str(file))
    return tuple(seen.values())


def _stem(pattern: str) -> str:
    """The part of a pattern's last name before its first wildcard, or the folder's name."""
    last = Path(pattern).name
    stem = last[: min((last.index(mark) for mark in _GLOB if mark in last), default=len(last))].rstrip("._-")
    return stem or Path(pattern).parent.name or "table"


def _csv(file: Path, columns: Mapping[str, str] | None, table: str | None, mark: str) -> Source:
    """Text in every column, then the declared types by TRY_CAST: what does not fit is NULL, a short line is dropped.

    Types are never guessed: one odd row would change them for all. The first line holds the names, which are public.
    Where a quoted field holds line breaks, only who has read all before it knows that, so the file is read in one go.
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
    typed = ", ".join(
        f"{read_text(place_of[name.lower()], kind.upper())} AS {_name(name)}" for name, kind in columns.items()
    )
    options = (
        f"auto_detect = false, strict_mode = false, header = true, delim = {_text(mark)}, quote = '\"', escape = '\"'"
    )
    # in parallel it would begin at every 8,000,000th byte, and inside of a quoted field take its lines for rows
    read = f"read_csv({_text(str(file))}, {options}, parallel = false, ignore_errors = true, columns = {{{texts}}})"
    return Source(f"SELECT {typed} FROM {read}", table or file.stem, (str(file),), lines=(file, mark))


def _first_line(file: Path, mark: str) -> list[str]:
    """The names, read as bytes: a text reader would decode, and stumble over, the rows after them."""
    try:
        with file.open("rb") as lines:
            return next(csv.reader([lines.readline(_LONGEST_LINE).decode("utf-8-sig")], delimiter=mark), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return []


def _database(file: Path, table: str | None, rowwise_view: bool) -> Source:
    if not table:
        raise InvalidParameter(f"{file.name} may hold many tables: name one with table=")
    attach = f"ATTACH {_text(str(file))} AS owned (READ_ONLY)"
    select = f"SELECT * FROM owned.main.{_name(table)}"
    return Source(select, table, (str(file),), before=(attach,), inner=table, rowwise_view=rowwise_view)


def _text(value: str) -> str:
    return DIALECT.literal(value)


def _name(value: str) -> str:
    return DIALECT.quoted(value)


_Reader = Callable[[str | Path, Mapping[str, str] | None, str | None, bool], Source]
_READ_DATABASE: _Reader = lambda data, _columns, table, rowwise: _database(_file(data), table, rowwise)  # noqa: E731

FILES: Mapping[str, _Reader] = {
    ".parquet": lambda data, _columns, table, _rowwise: _parquet(str(data), table),
    ".csv": lambda data, columns, table, _rowwise: _csv(_file(data), columns, table, ","),
    ".tsv": lambda data, columns, table, _rowwise: _csv(_file(data), columns, table, "\t"),
    **dict.fromkeys((".duckdb", ".ddb", ".db"), _READ_DATABASE),
}
"""Files that a table may come from, by the end of their names: the contract of sources holds for each of them."""
