"""Files that are read into memory when they are opened: Arrow, JSON lines, Excel, and Parquet with coarse times.

Each value becomes one of its column's type, or NULL, by itself; a line of JSON that is none is a row of NULLs.
"""

import datetime
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.csv_files import opened_bytes
from dalenius.sql.engine.duckdb.frames import FrameColumn, frame_source
from dalenius.sql.engine.duckdb.objects import read_objects
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.engine.source import Source
from dalenius.sql.types.column_types import FILE_TYPES

_OBJECT = "OBJECT"
_BLOCK = 1 << 22


def parquet_in_memory(
    files: Sequence[Path], columns: Mapping[str, str] | None, table: str, written: FileFormat = PLAIN
) -> Source | None:
    """Parquet files with times in milliseconds or with a zone; None if the engine reads all of their columns itself.

    Pandas writes times of seconds and days as milliseconds. The engine would turn them into microseconds while it
    scans, and fail at a row that does not fit; in memory such a row is NULL. A time with a zone is the same moment on
    the clock that was declared, or in UTC. Which way a file is read follows from its schema alone.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        coarse = any(_is_coarse(field.type, pa) for field in pq.read_schema(files[0]))
        if not coarse:
            return None
        tables = [pq.ParquetFile(file).read() for file in files]
        if any(one.schema != tables[0].schema for one in tables):
            raise InvalidParameter(f"the files of {table!r} have not all the same columns and types")
        held = pa.concat_tables(tables)
    except (pa.ArrowException, OSError):
        return None  # the engine says that it is no Parquet file
    return _named(frame_source(held, columns, table, written), files)


def _is_coarse(kind: Any, pa: Any) -> bool:
    return bool(pa.types.is_timestamp(kind)) and (kind.unit in ("s", "ms") or kind.tz is not None)


def arrow_source(
    files: Sequence[Path], columns: Mapping[str, str] | None, table: str, written: FileFormat = PLAIN
) -> Source:
    """Arrow IPC, as a file (also called Feather) or as a stream."""
    import pyarrow as pa

    tables = []
    for file in files:
        try:
            tables.append(_ipc(file, pa))
        except (pa.ArrowException, OSError):
            raise InvalidParameter(f"{file.name} cannot be read as an Arrow file") from None
    if any(one.schema != tables[0].schema for one in tables):
        raise InvalidParameter(f"the files of {table!r} have not all the same columns and types")
    return _named(frame_source(pa.concat_tables(tables), columns, table, written), files)


def _ipc(file: Path, pa: Any) -> Any:
    try:
        with pa.memory_map(str(file)) as source:
            return pa.ipc.open_file(source).read_all()
    except pa.ArrowInvalid:
        with pa.memory_map(str(file)) as source:
            return pa.ipc.open_stream(source).read_all()


def json_source(files: Sequence[Path], columns: Mapping[str, str] | None, table: str, written: FileFormat) -> Source:
    """JSON lines: one object a line. Dates and times are texts there, in the declared format."""
    declared = _declared(columns, files[0])
    values: dict[str, list[Any]] = {name: [] for name in declared}
    for file in files:
        try:
            for line in _lines(file):
                row = _object(line)
                for name, column in values.items():
                    column.append(row.get(name))
        except OSError:
            raise InvalidParameter(f"{file.name} cannot be read as JSON lines") from None
    held = [_of_json(name, column, declared[name], written) for name, column in values.items()]
    return _named(frame_source(held, declared, table), files)


def _lines(file: Path) -> Iterator[bytes]:
    rest = b""
    with opened_bytes(file) as stream:
        while block := stream.read(_BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            yield from lines
    if rest:
        yield rest


def _object(line: bytes) -> dict[str, Any]:
    """One row; whatever is no object has no values."""
    try:
        row = json.loads(line.decode())
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _of_json(name: str, values: list[Any], declared: str, written: FileFormat) -> FrameColumn:
    if written.nulls:
        values = [None if isinstance(value, str) and value.strip() in written.nulls else value for value in values]
    if declared in ("DATE", "TIMESTAMP"):
        return FrameColumn(name, read_objects(values, "VARCHAR"), written=written)
    return FrameColumn(name, None, _OBJECT, values)


def excel_source(files: Sequence[Path], columns: Mapping[str, str] | None, table: str, written: FileFormat) -> Source:
    """A sheet whose first row holds the names. A day at midnight is a date; a whole number can be a text's digits."""
    declared = _declared(columns, files[0])
    values: dict[str, list[Any]] = {name: [] for name in declared}
    for file in files:
        rows = sheet_rows(file, written.sheet)
        names = ["" if cell is None else str(cell).strip().lower() for cell in next(rows, ())]
        for name in declared:
            if names.count(name.strip().lower()) != 1:
                raise InvalidParameter(f"{file.name} has no one column {name!r} in the first row of its sheet")
        places = {name: names.index(name.strip().lower()) for name in declared}
        for row in rows:
            for name, column in values.items():
                column.append(_cell(row, places[name], declared[name], written))
    held = [FrameColumn(name, None, _OBJECT, column) for name, column in values.items()]
    return _named(frame_source(held, declared, table), files)


def sheet_rows(file: Path, sheet: str | None) -> Iterator[tuple[Any, ...]]:
    """The rows of a sheet, as Python's own values."""
    try:
        import openpyxl
    except ImportError:
        raise InvalidParameter("an Excel file is read with openpyxl: pip install 'dalenius[excel]'") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning tells in which cell a date is odd
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            if sheet is not None and sheet not in book.sheetnames:
                raise InvalidParameter(f"{file.name} has no sheet {sheet!r}")
            rows = book[sheet] if sheet is not None else book.worksheets[0]
            yield from rows.iter_rows(values_only=True)
            book.close()
    except InvalidParameter:
        raise
    except Exception:  # its words may hold a cell's
        failed = InvalidParameter(f"{file.name} cannot be read as an Excel file (.xlsx)")
    else:
        return
    raise failed


def _cell(row: tuple[Any, ...], place: int, declared: str, written: FileFormat) -> Any:
    value = row[place] if place < len(row) else None
    if isinstance(value, str) and value.strip() in written.nulls:
        return None
    if declared == "DATE" and isinstance(value, datetime.datetime):
        return value.date() if value.time() == datetime.time() else None
    if declared == "VARCHAR" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(int(value)) if value == value // 1 and abs(value) < 2**53 else None
    return value


def _declared(columns: Mapping[str, str] | None, file: Path) -> dict[str, str]:
    if not columns:
        raise InvalidParameter(
            f"{file.name} has no types: declare columns={{name: type}}, or let `dalenius policy init` write them down"
        )
    for name, kind in columns.items():
        if kind.upper() not in FILE_TYPES:
            raise InvalidParameter(f"{name!r} cannot be {kind!r}: a column of it is one of {', '.join(FILE_TYPES)}")
    return {name: kind.upper() for name, kind in columns.items()}


def _named(source: Source, files: Sequence[Path]) -> Source:
    return replace(source, paths=tuple(map(str, files)))
