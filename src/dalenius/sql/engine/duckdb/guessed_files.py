"""How a file seems to be written: guessed once from all of its rows, for its owner, who reads and corrects it.

What is guessed becomes declared rules in a policy; nothing is guessed when questions are asked.
"""

import codecs
import csv
import datetime
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.csv_files import csv_source, first_line, opened_bytes
from dalenius.sql.engine.duckdb.guessed_types import guess_texts, misfits
from dalenius.sql.engine.duckdb.memory_files import sheet_rows
from dalenius.sql.engine.duckdb.sources import files_of, kind_of_file
from dalenius.sql.engine.file_format import DELIMITERS, FileFormat

_BEGINNING = 1 << 20
_LINES = 200
_MOST_OF = 0.9


@dataclass(frozen=True, slots=True)
class GuessedFile:
    """Types of columns and the format of a file without types of its own; what is odd about them, by column."""

    columns: dict[str, str]
    written: FileFormat = field(default_factory=FileFormat)
    dirt: dict[str, list[str]] = field(default_factory=dict)


def guess_file(path: str | Path) -> GuessedFile | None:
    """A guess for CSV, JSON lines and Excel files; None for a file that has types of its own."""
    files = files_of(path)
    if not files:
        raise InvalidParameter(f"there is no file {str(path)!r}")
    kind = kind_of_file(files[0])
    if kind in (".csv", ".tsv"):
        return _guess_csv(files[0])
    if kind in (".jsonl", ".ndjson"):
        return _guess_objects(_json_columns(files[0]))
    return _guess_objects(_sheet_columns(files[0])) if kind == ".xlsx" else None


def _guess_csv(file: Path) -> GuessedFile:
    with opened_bytes(file) as stream:
        begun = stream.read(_BEGINNING)
    if begun[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InvalidParameter(f"{file.name} is written in UTF-16: save it again in UTF-8")
    encoding = "utf-8" if _is_utf8(file) else "latin-1"
    text = begun.decode(encoding, errors="replace").removeprefix("\ufeff")
    written = FileFormat(delimiter=_delimiter(text, file), encoding=encoding)
    names = [name for name in first_line(file, written) if name.strip()]
    if not names:
        raise InvalidParameter(f"the first line of {file.name} must hold the names of its columns")
    if all(_is_numeral(name) for name in names):
        raise InvalidParameter(f"the first line of {file.name} holds numbers: put the names of the columns there")
    dirt: dict[str, list[str]] = {}
    if len(names) < len(first_line(file, written)):
        dirt[""] = ["a column without a name, as pandas writes its index: left out"]
    source = csv_source([file], dict.fromkeys(names, "VARCHAR"), "t", written)
    with duckdb.connect(":memory:") as connection:
        try:
            connection.execute(f"CREATE TABLE t AS {source.select}")
        except duckdb.Error:
            raise InvalidParameter(f"{file.name} cannot be read as a CSV: is the file what its name says?") from None
        guessed = guess_texts(connection, "t", names)
    dirt |= guessed.dirt
    plain = None if written.delimiter == ("\t" if kind_of_file(file) == ".tsv" else ",") else written.delimiter
    rules = FileFormat(plain, guessed.decimal, guessed.dates, encoding, guessed.nulls)
    return GuessedFile(guessed.columns, rules, dirt)


def _is_utf8(file: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with opened_bytes(file) as stream:
        try:
            while block := stream.read(_BEGINNING):
                decoder.decode(block)
        except UnicodeDecodeError:
            return False
    return True


def _delimiter(text: str, file: Path) -> str:
    """The mark by which most of the first lines have as many fields as the line of names, and more than one."""
    lines = text.splitlines()[:_LINES]
    own = "\t" if kind_of_file(file) == ".tsv" else ","
    best = (0.0, 0, own)
    for mark in DELIMITERS:
        try:
            rows = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
        except csv.Error:
            continue
        if not rows or len(rows[0]) < 2:
            continue
        same = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        best = max(best, (round(same, 2), len(rows[0]), mark))
    return best[2]


def _is_numeral(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _json_columns(file: Path) -> Mapping[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    with opened_bytes(file) as stream:
        lines = stream.read().splitlines()
    for place, line in enumerate(lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        for name, value in row.items() if isinstance(row, dict) else ():
            columns.setdefault(str(name), [None] * place).append(value)
        for column in columns.values():
            column += [None] * (place + 1 - len(column))
    if not columns:
        raise InvalidParameter(f"{file.name} holds no lines of JSON objects")
    return {name: column for name, column in columns.items() if name}


def _sheet_columns(file: Path) -> Mapping[str, list[Any]]:
    rows = list(sheet_rows(file, None))
    names = ["" if cell is None else str(cell).strip() for cell in rows[0]] if rows else []
    if not any(names):
        raise InvalidParameter(f"the first row of {file.name} must hold the names of its columns")
    return {
        name: [row[place] if place < len(row) else None for row in rows[1:]] for place, name in enumerate(names) if name
    }


def _guess_objects(columns: Mapping[str, Iterable[Any]]) -> GuessedFile:
    """The type that nine of ten values have; a text column may be one of dates."""
    types: dict[str, str] = {}
    dirt: dict[str, list[str]] = {}
    for name, values in columns.items():
        seen = Counter(_type_of(value) for value in values if value is not None)
        types[name], odd = _most_common(seen)
        if odd:
            dirt[name] = [misfits(odd, types[name])]
    return GuessedFile(types, FileFormat(), dirt)


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 2**53):
        return "BIGINT"
    if isinstance(value, float):
        return "DOUBLE"
    if isinstance(value, datetime.datetime):
        return "DATE" if value.time() == datetime.time() else "TIMESTAMP"
    if isinstance(value, str):
        return _type_of_text(value)
    return "VARCHAR"


def _type_of_text(text: str) -> str:
    for kind, read in (("DATE", datetime.date), ("TIMESTAMP", datetime.datetime)):
        try:
            read.fromisoformat(text)
        except ValueError:
            continue
        if len(text) >= 10 and "-" in text:
            return kind
    return "VARCHAR"


def _most_common(seen: "Counter[str]") -> tuple[str, int]:
    for wider, narrow in (("DOUBLE", "BIGINT"), ("TIMESTAMP", "DATE")):
        if seen[wider]:
            seen[wider] += seen.pop(narrow, 0)
    if not seen:
        return "VARCHAR", 0
    kind, count = seen.most_common(1)[0]
    total = sum(seen.values())
    return (kind, total - count) if count >= _MOST_OF * total else ("VARCHAR", 0)
