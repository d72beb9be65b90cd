"""CSV files: text in every column, then the declared types, row by row."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.declared_types import text_column
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.zoned_columns import selected
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.engine.source import Source
from dalenius.sql.types.column_types import FILE_TYPES

_LONGEST_LINE = 1 << 20
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
"""How a file is compressed, by the end of its name."""


def csv_source(
    files: Sequence[Path], columns: Mapping[str, str] | None, table: str, written: FileFormat = PLAIN
) -> Source:
    """Text in every column, then the declared types by TRY_CAST: what does not fit is NULL, a short line is dropped.

    Types are never guessed: one odd row would change them for all. The first line holds the names, which are public.
    Where a quoted field holds line breaks, only who has read all before it knows that, so a file is read in one go.
    Lines may end in any way: strictly read, one row with another end than the rest would fail the scan, or swallow the
    rows after it. What no reader can mend is a quote that is opened and not closed: it makes what follows one field.
    Of several files each is read by its own first line, and all of them must have every declared column.
    """
    if not columns:
        raise InvalidParameter(
            f"a CSV file has no types: declare columns={{name: type}} for {files[0].name}, or let `dalenius policy "
            "init` write them down"
        )
    for name, kind in columns.items():
        if kind.upper() not in FILE_TYPES:
            raise InvalidParameter(f"{name!r} cannot be {kind!r}: a column of a CSV is one of {', '.join(FILE_TYPES)}")
    selects = [_select(file, columns, written) for file in files]
    paths = tuple(map(str, files))
    return Source(" UNION ALL ".join(selects), table, paths, lines=tuple((file, mark(file, written)) for file in files))


def mark(file: Path, written: FileFormat) -> str:
    """What stands between the fields of a file."""
    return written.delimiter or ("\t" if ".tsv" in file.suffixes[-2:] else ",")


def opened_bytes(file: Path) -> IO[Any]:
    """The bytes of a file, as they were before it was compressed."""
    compression = COMPRESSIONS.get(file.suffix.lower())
    if compression is None:
        return file.open("rb")
    import pyarrow as pa

    stream: Any = pa.input_stream(str(file), compression=compression)  # type: ignore[arg-type]
    opened: IO[Any] = stream
    return opened


def first_line(file: Path, written: FileFormat) -> list[str]:
    """The names, read as bytes: a text reader would decode, and stumble over, the rows after them."""
    encoding = "utf-8-sig" if written.encoding == "utf-8" else written.encoding
    try:
        with opened_bytes(file) as lines:
            # not readline(), which a compressed stream lacks
            begun = lines.read(_LONGEST_LINE).split(b"\n", 1)[0]
            return next(csv.reader([begun.decode(encoding).rstrip("\r")], delimiter=mark(file, written)), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return []


def _select(file: Path, columns: Mapping[str, str], written: FileFormat) -> str:
    names = first_line(file, written)
    place_of = {name.strip().lower(): f'"c{place}"' for place, name in enumerate(names)}
    if len(place_of) != len(names) or not names:
        raise InvalidParameter(
            f"the first line of {file.name} must hold the names of its columns, all different, in UTF-8 or in the "
            "encoding that formats= declares"
        )
    for name in columns:
        if name.strip().lower() not in place_of:
            hint = _hint(names, written)
            raise InvalidParameter(f"{file.name} has no column {name!r} in its first line{hint}")
    texts = ", ".join(f"{_text(f'c{place}')}: 'VARCHAR'" for place in range(len(names)))
    typed = [text_column(name, place_of[name.strip().lower()], kind.upper(), written) for name, kind in columns.items()]
    options = [
        "auto_detect = false, strict_mode = false, header = true",
        f"delim = {_text(mark(file, written))}, quote = '\"', escape = '\"'",
        # in parallel it would begin at every 8,000,000th byte, and inside of a quoted field take its lines for rows
        "parallel = false, ignore_errors = true",
        f"columns = {{{texts}}}",
    ]
    if written.encoding != "utf-8":
        options.append(f"encoding = {_text(written.encoding)}")
    if compression := COMPRESSIONS.get(file.suffix.lower()):
        options.append(f"compression = {_text(compression)}")
    return selected(typed, f"read_csv({_text(str(file))}, {', '.join(options)})")


def _hint(names: list[str], written: FileFormat) -> str:
    """A first line that is one field, with another mark in it, was written with that mark."""
    other = [mark for mark in (";", "\t", "|") if len(names) == 1 and mark in names[0] and mark != written.delimiter]
    return f"; is its delimiter {other[0]!r}? Declare formats={{table: {{'delimiter': {other[0]!r}}}}}" if other else ""


def _text(value: str) -> str:
    return DIALECT.literal(value)
