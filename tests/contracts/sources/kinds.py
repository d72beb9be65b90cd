"""Every kind of source, each with a writer of the same rows and with values that only it can hold."""

import datetime as dt
import gzip
import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from dalenius.sql import FileFormat
from tests.contracts.sources import hostile

TYPES = {"u": "VARCHAR", "n": "BIGINT", "x": "DOUBLE", "s": "VARCHAR", "d": "DATE", "w": "TIMESTAMP"}
PLAIN_TIME = dt.datetime(2020, 1, 1, 12)
_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Row:
    """A row as bytes and numbers: texts that may be no UTF-8, days and microseconds that may be no time.

    `line` stands in its place in a CSV, and `objects` in a frame of Python objects.
    """

    u: bytes | None
    n: int | None = 1
    x: float | None = 0.5
    s: bytes | None = b"hello"
    d: int | None = 18262
    w: int | None = 1577880000000000
    line: bytes | None = None
    objects: dict[str, Any] = field(default_factory=dict, repr=False)  # some of them end who asks for their repr


def plain(place):
    """A row of one person as anybody would write it."""
    return Row(b"p%05d" % place, place, place / 8, b"hello %d" % (place % 7), 18262 + place % 50, 10**15 + place)


ODD_TEXTS = [b"", b" ", b"\0", b"?", "\ufffd".encode(), b"a\nb", b'a"b', b"a,b", b"a\tb", b"'", b"x" * 5000]
BROKEN_TEXTS = [b"\xff", b"\xfe", b"caf\xc3", b"?\xff", b"\xed\xa0\x80"]
ODD = [
    *(Row(text, s=text) for text in ODD_TEXTS),
    *(Row(b"me", x=number) for number in (math.nan, math.inf, -math.inf, -0.0, 0.0, 5e-324, 2.0**53, 1e308, None)),
    *(Row(b"me", n=number) for number in (2**63 - 1, -(2**63), 2**53 + 1, 0, None)),
    *(Row(b"me", d=day) for day in (2**31 - 1, -(2**31) + 1, -(2**31), 106751992, -719528, None)),
    *(Row(b"me", w=-(2**63) + more) for more in (0, 1, 2, 14454775807, 14454775808)),
    *(Row(b"me", w=when) for when in (2**63 - 1, 2**63 - 2, -62167219200000000, None)),
    Row(None, None, None, None, None, None),
]
BROKEN = [*(Row(text) for text in BROKEN_TEXTS), *(Row(b"me", s=text) for text in BROKEN_TEXTS)]


@dataclass(frozen=True)
class Kind:
    """A kind of source: how rows are written, and which odd ones it can hold."""

    name: str
    write: Callable[[Path, Sequence[Row]], Any]
    odd: Sequence[Row]
    columns: dict[str, str] | None = None
    suffixes: tuple[str, ...] = ()
    written: FileFormat = field(default_factory=FileFormat)

    def opening(self, folder: Path, rows: Sequence[Row]) -> dict[str, Any]:
        """What to open the rows with."""
        folder.mkdir(parents=True, exist_ok=True)
        return {"data": self.write(folder, rows), "columns": self.columns, "table": "t", "written": self.written}


def _texts(values: Sequence[bytes | None], kind: Any) -> pa.Array:
    raw = pa.array(values, pa.large_binary() if kind == pa.large_string() else pa.binary())
    return pa.Array.from_buffers(kind, len(raw), raw.buffers())


def arrow(rows: Sequence[Row], text: Any = None) -> pa.Table:
    """The rows as Arrow holds them, without a look at whether texts are UTF-8."""
    text = text or pa.string()
    return pa.table(
        {
            "u": _texts([row.u for row in rows], text),
            "n": pa.array([row.n for row in rows], pa.int64()),
            "x": pa.array([row.x for row in rows], pa.float64()),
            "s": _texts([row.s for row in rows], text),
            "d": pa.array([row.d for row in rows], pa.int32()).cast(pa.date32()),
            "w": pa.array([row.w for row in rows], pa.int64()).cast(pa.timestamp("us")),
        }
    )


def _parquet(folder: Path, rows: Sequence[Row]) -> Path:
    pq.write_table(arrow(rows), folder / "t.parquet", row_group_size=64)
    return folder / "t.parquet"


def _pattern(folder: Path, rows: Sequence[Row]) -> Path:
    """Three files that are reached by ten names."""
    for place, name in enumerate("abc"):
        file = folder / f"{name}.parquet"
        pq.write_table(arrow(rows[place::3]), file, row_group_size=32, use_dictionary=False)
        (folder / f"again_{name}.parquet").symlink_to(file.name)
        os.link(file, folder / f"hard_{name}.parquet")
    (folder / "same").symlink_to(".", target_is_directory=True)
    return folder / "**" / "*.parquet"


def _field(text: bytes | None, mark: bytes) -> bytes:
    special = text is not None and any(one in text for one in (mark, b'"', b"\n", b"\r"))
    return b"" if text is None else b'"' + text.replace(b'"', b'""') + b'"' if special else text


def line_of(row: Row, mark: bytes = b",") -> bytes:
    """The row as a writer of CSV writes it."""
    if row.line is not None:
        return row.line
    try:
        day = b"" if row.d is None else str((_EPOCH + dt.timedelta(days=row.d)).date()).encode()
        when = b"" if row.w is None else str(_EPOCH + dt.timedelta(microseconds=row.w)).encode()
    except OverflowError:
        day, when = str(row.d).encode(), str(row.w).encode()
    number, real = (b"" if value is None else repr(value).encode() for value in (row.n, row.x))
    return mark.join([_field(row.u, mark), number, real, _field(row.s, mark), day, when]) + b"\n"


def _lines(name: str, mark: bytes) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        (folder / name).write_bytes(mark.join(one.encode() for one in TYPES) + b"\n")
        with (folder / name).open("ab") as file:
            file.writelines(line_of(row, mark) for row in rows)
        return folder / name

    return write


def _database(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        held = arrow(rows)
        with duckdb.connect(str(folder / name)) as connection:
            connection.register("held", held)
            connection.execute("CREATE TABLE t AS SELECT * REPLACE (s COLLATE NOCASE AS s) FROM held")
        return folder / name

    return write


def _chunks(_: Path, rows: Sequence[Row]) -> pa.Table:
    """Arrow in chunks of odd sizes, one of them a slice."""
    held = arrow(rows, pa.large_string())
    return pa.concat_tables([held.slice(0, 7), held.slice(7, 100), held.slice(107)])


def _dictionaries(_: Path, rows: Sequence[Row]) -> pa.Table:
    """Texts and times by dictionaries of all that there is, as a file of categories is read."""
    held = arrow(rows)
    texts = {name: (held[name].combine_chunks(), [getattr(row, name) for row in rows]) for name in ("u", "s")}
    for name, (array, raw) in texts.items():
        order = {value: place for place, value in enumerate(dict.fromkeys(raw))}
        first = [raw.index(value) for value in order]
        codes = pa.array([None if value is None else order[value] for value in raw], pa.int32())
        coded = pa.DictionaryArray.from_arrays(codes, array.take(pa.array(first, pa.int64())))
        held = held.set_column(held.column_names.index(name), name, coded)
    return held


def _decoded(text: bytes | None) -> str | None:
    return None if text is None else text.decode(errors="surrogateescape")


def _numpy(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "n": pd.array([row.n for row in rows], "Int64"),
        "x": np.array([math.nan if row.x is None else row.x for row in rows]),
        "d": pd.array(arrow(rows)["d"], pd.ArrowDtype(pa.date32())),
        "w": np.array([-(2**63) if row.w is None else row.w for row in rows], "i8").view("M8[us]"),
    }


def _pandas(_: Path, rows: Sequence[Row]) -> pd.DataFrame:
    texts = {
        name: pd.array([_decoded(getattr(row, name)) for row in rows], pd.StringDtype("python")) for name in ("u", "s")
    }
    more = _numpy(rows)
    return pd.DataFrame({name: texts.get(name, more.get(name)) for name in TYPES})


def _pandas_of_arrow(_: Path, rows: Sequence[Row]) -> pd.DataFrame:
    held = arrow(rows)
    return pd.DataFrame({name: pd.Series(pd.array(held[name], pd.ArrowDtype(held[name].type))) for name in TYPES})


def _object(row: Row, name: str) -> Any:
    if name in row.objects:
        return row.objects[name]
    value = getattr(row, name)
    try:
        if name == "d" and value is not None:
            return (_EPOCH + dt.timedelta(days=value)).date()
        if name == "w" and value is not None:
            return _EPOCH + dt.timedelta(microseconds=value)
    except OverflowError:
        return value
    return _decoded(value) if name in "us" else value


def _objects(_: Path, rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series([_object(row, name) for row in rows], dtype=object) for name in TYPES})


def _polars(_: Path, rows: Sequence[Row]) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(arrow(rows, pa.large_string())))


def _polars_objects(_: Path, rows: Sequence[Row]) -> pl.DataFrame:
    return pl.DataFrame([pl.Series(name, [_object(row, name) for row in rows], dtype=pl.Object) for name in TYPES])


def _compressed(folder: Path, rows: Sequence[Row]) -> Path:
    plain_file = _lines("t.csv", b",")(folder, rows)
    (folder / "t.csv.gz").write_bytes(gzip.compress(plain_file.read_bytes(), 1))
    plain_file.unlink()
    return folder / "t.csv.gz"


def _european(folder: Path, rows: Sequence[Row]) -> Path:
    """Semicolons, decimal commas, days before months."""
    lines = [";".join(TYPES).encode()]
    for row in rows:
        u, n, x, s, d, w = line_of(Row(b"", row.n, row.x, b"", row.d, row.w), b";").decode().rstrip("\n").split(";")
        dated = [".".join(reversed(one[:10].split("-"))) + one[10:19] for one in (d, w)]
        fields = [u, n, x.replace(".", ","), s, *dated]
        fields = [field.encode() for field in fields]
        fields[0], fields[3] = _field(row.u, b";"), _field(row.s, b";")
        lines.append(b";".join(fields) if row.line is None else row.line.rstrip(b"\n"))
    (folder / "t.csv").write_bytes(b"\n".join(lines) + b"\n")
    return folder / "t.csv"


def _json(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        with (folder / name).open("wb") as file:
            for row in rows:
                held = {one: _object(row, one) for one in TYPES}
                text = json.dumps(held, ensure_ascii=False, default=str)
                file.write(row.line or text.encode(errors="surrogateescape") + b"\n")
        return folder / name

    return write


def _excel(folder: Path, rows: Sequence[Row]) -> Path:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(list(TYPES))
    for row in rows:
        cells = [_object(row, name) for name in TYPES]
        sheet.append([None if _no_cell(cell) else cell for cell in cells])
    book.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def _no_cell(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dt.date) and value.year < 1900:
        return True
    return isinstance(value, str) and bool(ILLEGAL_CHARACTERS_RE.search(value))


def _arrow_file(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        held = arrow(rows)
        with pa.ipc.new_file(folder / name, held.schema) as file:
            file.write_table(held, max_chunksize=64)
        return folder / name

    return write


def _milliseconds(folder: Path, rows: Sequence[Row]) -> Path:
    """Times as pandas writes those of seconds; the numbers stay, so that many are far beyond microseconds."""
    held = arrow(rows)
    times = pa.array([row.w for row in rows], pa.int64()).view(pa.timestamp("ms", "UTC"))
    pq.write_table(held.set_column(5, "w", times), folder / "t.parquet", row_group_size=64)
    return folder / "t.parquet"


HOSTILE = [Row(b"me", objects=dict.fromkeys(TYPES, value)) for value in hostile.VALUES]
HOSTILE += [
    Row(b"me", objects={"w": dt.date(2020, 1, 1)}),
    Row(b"me", objects={"w": _EPOCH.replace(tzinfo=dt.UTC), "d": _EPOCH}),
    Row(b"me", objects={"x": Decimal("123456789.123456789"), "n": 2.0**53}),
    Row(b"me", objects={"u": 7, "s": b"bytes"}),
]
ODD_LINES = [
    *(
        b"me\n",
        b"me,1,1,x,2020-01-01,2020-01-01,7,8\n",
        b"\n",
        b"me,1,1,\xff\xfe,,\n",
        b"me,1,1,\0,,\n",
        b"#me,1,1,x,,\n",
    ),
    *(b'me,1,1,"a\nq,2,2,b,,",,\n', b'me,1,1,"a\r\nb",,\r\n', b"me,one,1e999,x,never,25:61\n", b"me,1,1,a\rb,,\n"),
    b"me,1,1," + b"z" * 3_000_000 + b",,\n",
    b'me,1,1,"' + b"z,1,1,x,,\n" * 300_000 + b'",,\n',
]
CSV_ROWS = [*ODD, *BROKEN, *(Row(b"me", line=line) for line in ODD_LINES)]

ODD_JSON = [
    Row(b"me", line=line)
    for line in (b"{\n", b"\n", b"[1]\n", b'{"u": "me", "n": 1e999}\n', b'{"u": {"a": 1}}\n', b"[" * 5000 + b"\n")
]
EUROPEAN = FileFormat(delimiter=";", decimal=",", dates="%d.%m.%Y")

KINDS = (
    Kind("parquet", _parquet, [*ODD, *BROKEN], suffixes=(".parquet",)),
    Kind("parquet pattern", _pattern, [*ODD, *BROKEN]),
    Kind("csv", _lines("t.csv", b","), CSV_ROWS, TYPES, (".csv",)),
    Kind("tsv", _lines("t.tsv", b"\t"), [*ODD, *BROKEN], TYPES, (".tsv",)),
    Kind("duckdb", _database("t.duckdb"), ODD, suffixes=(".duckdb",)),
    Kind("ddb", _database("t.ddb"), ODD[:3], suffixes=(".ddb",)),
    Kind("db", _database("t.db"), ODD[:3], suffixes=(".db",)),
    Kind("csv.gz", _compressed, CSV_ROWS[-len(ODD_LINES) : -2], TYPES),
    Kind("european csv", _european, [*ODD, *BROKEN, *CSV_ROWS[-6:-4]], TYPES, written=EUROPEAN),
    Kind("jsonl", _json("t.jsonl"), [*ODD, *BROKEN, *ODD_JSON], TYPES, (".jsonl",)),
    Kind("ndjson", _json("t.ndjson"), ODD[:3], TYPES, (".ndjson",)),
    Kind("xlsx", _excel, ODD, TYPES, (".xlsx",)),
    Kind("arrow file", _arrow_file("t.arrow"), [*ODD, *BROKEN], suffixes=(".arrow",)),
    Kind("feather", _arrow_file("t.feather"), ODD[:3], suffixes=(".feather",)),
    Kind("parquet in milliseconds", _milliseconds, [*ODD, *BROKEN]),
    Kind("arrow chunks", _chunks, [*ODD, *BROKEN]),
    Kind("arrow batch", lambda _, rows: arrow(rows).combine_chunks().to_batches()[0], [*ODD, *BROKEN]),
    Kind("arrow dictionaries", _dictionaries, [*ODD, *BROKEN]),
    Kind("pandas", _pandas, [*ODD, *BROKEN]),
    Kind("pandas of arrow", _pandas_of_arrow, [*ODD, *BROKEN]),
    Kind("pandas objects", _objects, [*ODD, *BROKEN, *HOSTILE], TYPES),
    Kind("polars", _polars, ODD),
    Kind("polars objects", _polars_objects, [*ODD, *HOSTILE], TYPES),
)
