"""The names of a table's columns before it is opened, from what stands outside of its rows."""

from pathlib import Path
from typing import Any

from dalenius.sql.engine.duckdb.csv_files import first_line
from dalenius.sql.engine.duckdb.sources import files_of, kind_of_file
from dalenius.sql.engine.file_format import DELIMITERS, FileFormat


def column_names(data: Any) -> frozenset[str]:
    """Names in small letters: of a frame, a Parquet or a CSV file; of any other none."""
    if isinstance(data, str | Path):
        files = files_of(data)
        return frozenset(name.strip().lower() for name in (_of_file(files[0]) if files else ()))
    index = [name for name in getattr(getattr(data, "index", None), "names", ()) if name is not None]
    names: Any = getattr(data, "column_names", None) or getattr(data, "columns", ())
    return frozenset(str(name).lower() for name in (*index, *names))


def _of_file(file: Path) -> list[str]:
    if kind_of_file(file) in (".csv", ".tsv"):
        return [name for mark in DELIMITERS for name in first_line(file, FileFormat(delimiter=mark))]
    if kind_of_file(file) == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return list(pq.read_schema(file).names)
        except (pa.ArrowException, OSError):
            return []
    return []
