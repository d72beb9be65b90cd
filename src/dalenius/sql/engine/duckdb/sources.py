"""Where a table may come from, and how the engine reads it so that no row can change a type or raise an error."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from glob import glob  # takes an absolute pattern, which Path.glob does not
from pathlib import Path
from typing import Any

from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.csv_files import COMPRESSIONS, csv_source
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.frames import frame_source
from dalenius.sql.engine.duckdb.memory_files import arrow_source, excel_source, json_source, parquet_in_memory
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.engine.source import Source

_GLOB = frozenset("*?[")


def source_of(
    data: Any,
    columns: Mapping[str, str] | None = None,
    table: str | None = None,
    *,
    rowwise_view: bool = False,
    written: FileFormat = PLAIN,
) -> Source:
    """A file, a folder or pattern of files of one kind, or a frame: Arrow, pandas, polars."""
    if not isinstance(data, str | Path):
        return frame_source(data, columns, table, written)
    files = files_of(data)
    kinds = {kind_of_file(file) for file in files} or {kind_of_file(Path(data))}
    read = FILES.get(kinds.pop()) if len(kinds) == 1 else None
    if read is None:
        raise InvalidParameter(
            f"a table is a file such as people.parquet, people.csv or people.xlsx ({', '.join(sorted(FILES))}; CSV and "
            f"JSON lines also as {' or '.join(COMPRESSIONS)}), a folder of files of one kind, or a frame, got "
            f"{str(data)!r}"
        )
    if not files:
        raise InvalidParameter(f"there is no file {str(data)!r}")
    return read(files, columns, table or name_of_place(data), written, rowwise_view, table)


def kind_of_file(file: Path) -> str:
    """The end of a file's name that tells its kind, without that of a compression."""
    plain = file.with_suffix("") if file.suffix.lower() in COMPRESSIONS else file
    return plain.suffix.lower()


def name_of_place(data: str | Path) -> str:
    """A file's name without its ends, the folder's name, or the part of a pattern before its first wildcard."""
    path = Path(data)
    if path.is_dir():
        return path.resolve().name or "table"
    if path.is_file():
        return path.with_suffix("").stem if path.suffix.lower() in COMPRESSIONS else path.stem
    last = path.name
    stem = last[: min((last.index(mark) for mark in _GLOB if mark in last), default=len(last))].rstrip("._-")
    return stem or path.parent.name or "table"


def files_of(data: str | Path) -> list[Path]:
    """The files of a path, each once, whatever links lead to it: read twice, everybody in it would count twice."""
    path = Path(data)
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*")) if not file.name.startswith((".", "_"))]
    else:  # a file's own name may hold a bracket
        files = [path] if path.is_file() else [Path(one) for one in sorted(glob(str(data), recursive=True))]  # noqa: PTH207
    return [Path(file) for file in _distinct(file.resolve() for file in files if file.is_file())]


def _distinct(files: Iterable[Path]) -> tuple[str, ...]:
    seen: dict[tuple[int, int], str] = {}
    for file in files:
        status = file.stat()
        seen.setdefault((status.st_dev, status.st_ino), str(file))
    return tuple(seen.values())


def _parquet(files: Sequence[Path], columns: Mapping[str, str] | None, name: str, written: FileFormat) -> Source:
    paths = tuple(map(str, files))
    if any(set(file) & _GLOB for file in paths):
        raise InvalidParameter("the name of a Parquet file must not hold *, ? or [")
    held = parquet_in_memory(files, columns, name, written)
    if held is not None:
        return held
    listed = exp.Array(expressions=[exp.Literal.string(file) for file in paths]).sql(dialect="duckdb")
    # a text that is not UTF-8 is mended letter by letter instead of failing the scan
    options = "hive_partitioning = false, utf8_validation = 'replace'"
    return Source(
        f"SELECT * FROM read_parquet({listed}, {options})", name, paths, parquet=paths, declared=dict(columns or {})
    )


def _database(files: Sequence[Path], columns: Mapping[str, str] | None, table: str | None, rowwise: bool) -> Source:
    (file,) = files[:1]
    if not table or len(files) > 1:
        raise InvalidParameter(f"{file.name} may hold many tables: name one with table=")
    attach = f"ATTACH {DIALECT.literal(str(file))} AS owned (READ_ONLY)"
    select = f"SELECT * FROM owned.main.{DIALECT.quoted(table)}"
    return Source(
        *(select, table, (str(file),)),
        before=(attach,),
        inner=table,
        rowwise_view=rowwise,
        declared=dict(columns or {}),
    )


_Reader = Callable[[Sequence[Path], Mapping[str, str] | None, str, FileFormat, bool, str | None], Source]
_READ_DATABASE: _Reader = lambda files, columns, _name, _written, rowwise, table: _database(  # noqa: E731
    files, columns, table, rowwise
)
_READ_CSV: _Reader = lambda files, columns, name, written, _r, _t: csv_source(files, columns, name, written)  # noqa: E731
_READ_ARROW: _Reader = lambda files, columns, name, written, _r, _t: arrow_source(files, columns, name, written)  # noqa: E731
_READ_JSON: _Reader = lambda files, columns, name, written, _r, _t: json_source(files, columns, name, written)  # noqa: E731

FILES: Mapping[str, _Reader] = {
    ".parquet": lambda files, columns, name, written, _rowwise, _table: _parquet(files, columns, name, written),
    **dict.fromkeys((".csv", ".tsv"), _READ_CSV),
    **dict.fromkeys((".arrow", ".feather"), _READ_ARROW),
    **dict.fromkeys((".jsonl", ".ndjson"), _READ_JSON),
    ".xlsx": lambda files, columns, name, written, _rowwise, _table: excel_source(files, columns, name, written),
    **dict.fromkeys((".duckdb", ".ddb", ".db"), _READ_DATABASE),
}
"""Files that a table may come from, by the end of their names: the contract of sources holds for each of them."""
