"""Columns of every type that a kind of source can hold, most of which the language does not read, with odd values.

Each type stands in one column, beside the unit `u` and the number `n`. A row more has an odd value in every column, and
must change neither the schema nor a refusal nor anything of the others.
"""

import datetime as dt
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROWS = 40
MOST, LEAST = 2**63 - 1, -(2**63)


@dataclass(frozen=True)
class Exotic:
    """A type: how values of it become a column, a plain value or two, and odd ones; None is always odd."""

    make: Callable[[list[Any]], Any]
    plain: Sequence[Any]
    odd: Sequence[Any] = ()

    def column(self, odd: int | None) -> Any:
        """So many plain values, then, if it is asked for, an odd one."""
        more = [] if odd is None else [([*self.odd, None])[odd % (len(self.odd) + 1)]]
        return self.make([*(self.plain[place % len(self.plain)] for place in range(ROWS)), *more])


def _raw(kind: pa.DataType) -> Callable[[list[Any]], pa.Array]:
    """Any integer in a type that is stored as one, as broken files hold it."""
    return lambda values: pa.Array.from_buffers(kind, len(values), pa.array(values, pa.int64()).buffers())


def _of(kind: pa.DataType) -> Callable[[list[Any]], pa.Array]:
    return lambda values: pa.array(values, kind)


def _stored(kind: pa.ExtensionType) -> Callable[[list[Any]], pa.Array]:
    return lambda values: pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))


def _runs(values: list[Any]) -> pa.Array:
    return pc.run_end_encode(pa.array(values))


def _dictionary(values: list[Any]) -> pa.Array:
    """With NULL among the values, and wider places for a row that is the only one of its value."""
    held = list(dict.fromkeys([*values, None]))
    places = pa.array([held.index(value) for value in values], pa.int8() if len(held) < 4 else pa.int16())
    return pa.DictionaryArray.from_arrays(places, pa.array(held, pa.string()), ordered=len(held) > 3)


def _beyond(values: list[Any]) -> pa.Array:
    """Places that a dictionary may not have."""
    places = pa.array(values, pa.int64())
    return pa.DictionaryArray.from_arrays(places, pa.array(["a", "b"]), safe=False)


def _union(values: list[Any]) -> pa.Array:
    kinds = pa.array([isinstance(value, str) for value in values]).cast(pa.int8())
    numbers = pa.array([value if isinstance(value, int) else 0 for value in values])
    texts = pa.array([value if isinstance(value, str) else "" for value in values])
    return pa.UnionArray.from_sparse(kinds, [numbers, texts])


_DAY = dt.datetime(2020, 1, 1)
_TIMES = {
    f"timestamp {unit} {zone}": Exotic(_raw(pa.timestamp(unit, zone)), [1577880000], [MOST, LEAST, LEAST + 1])
    for unit in ("s", "ms", "us", "ns")
    for zone in (None, "UTC", "Asia/Kolkata", "No/Where")
}
ARROW: Mapping[str, Exotic] = {
    **_TIMES,
    "large_string": Exotic(_of(pa.large_string()), ["a", "b"], ["", "x" * 5000]),
    "string_view": Exotic(_of(pa.string_view()), ["a", "b" * 40], ["", "x" * 5000]),
    "binary": Exotic(_of(pa.binary()), [b"a"], [b"\xff"]),
    "binary_view": Exotic(_of(pa.binary_view()), [b"a"], [b"\xff"]),
    "fixed binary": Exotic(_of(pa.binary(2)), [b"ab"], [b"\xff\xff"]),
    "runs of numbers": Exotic(_runs, [1, 1, 2], [2**40]),
    "runs of texts": Exotic(_runs, ["a", "a", "b"], ["q"]),
    "null": Exotic(_of(pa.null()), [None]),
    "dictionary of numbers": Exotic(lambda values: pa.array(values).dictionary_encode(), [1, 2], [2**62]),
    "dictionary that grows": Exotic(_dictionary, ["a", "b"], ["c"]),
    "dictionary beyond its end": Exotic(_beyond, [0, 1], [7, -3, MOST]),
    "decimal32": Exotic(_of(pa.decimal32(5, 2)), [Decimal("1.5")], [Decimal("999.99")]),
    "decimal128": Exotic(_of(pa.decimal128(38, 10)), [Decimal("1.5")], [Decimal("9" * 28)]),
    "decimal256": Exotic(_of(pa.decimal256(60, 10)), [Decimal("1.5")], [Decimal("9" * 50)]),
    "interval": Exotic(_of(pa.month_day_nano_interval()), [pa.MonthDayNano([1, 2, 3])]),
    "duration": Exotic(_raw(pa.duration("us")), [10**6], [MOST, LEAST]),
    "time32": Exotic(_of(pa.time32("s")), [dt.time(1)]),
    "time64": Exotic(_raw(pa.time64("ns")), [1], [MOST, -1]),
    "date64": Exotic(_raw(pa.date64()), [86_400_000], [1, 86_400_000 * 2**35, LEAST]),
    "half": Exotic(
        lambda values: pa.array([None if v is None else np.float16(v) for v in values], pa.float16()),
        [1.0],
        [math.nan, math.inf],
    ),
    "float": Exotic(_of(pa.float32()), [1.0], [math.nan, math.inf, 3e38]),
    "uint64": Exotic(_of(pa.uint64()), [1], [2**64 - 1]),
    "list": Exotic(_of(pa.list_(pa.int64())), [[1]], [[], [1] * 5000]),
    "list_view": Exotic(_of(pa.list_view(pa.int64())), [[1]], [[]]),
    "struct": Exotic(_of(pa.struct([("a", pa.int64())])), [{"a": 1}], [{"a": None}]),
    "map": Exotic(_of(pa.map_(pa.string(), pa.int64())), [[("a", 1)]], [[]]),
    "union": Exotic(_union, [1], ["x"]),
    "uuid": Exotic(_stored(pa.uuid()), [uuid.UUID(int=1).bytes], [b"\xff" * 16]),
    "json": Exotic(_stored(pa.json_()), ["{}"], ["no JSON"]),
    "bool8": Exotic(_stored(pa.bool8()), [1, 0], [7]),
    "opaque": Exotic(_stored(pa.opaque(pa.string(), "x", "y")), ["a"], ["b"]),
}
_UNWRITTEN = {
    "interval",
    "union",
    "runs of numbers",
    "runs of texts",
    "list_view",
    "binary_view",
    "dictionary beyond its end",
    "dictionary that grows",
    "decimal32",
}
_UNWRITTEN |= {name for name in _TIMES if " s " in name or "No/Where" in name}
PARQUET = {name: one for name, one in ARROW.items() if name not in _UNWRITTEN}

DUCKDB: Mapping[str, tuple[str, list[str]]] = {
    "UUID": ("'00000000-0000-0000-0000-000000000001'", ["'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
    "TIMETZ": ("'12:00:00+01'", ["'24:00:00+15:59:59'", "'00:00:00-15:59:59'"]),
    "TIME": ("'12:00:00'", ["'24:00:00'"]),
    "HUGEINT": ("1", [f"{2**127 - 1}", f"{-(2**127)}"]),
    "UHUGEINT": ("1", [f"{2**128 - 1}"]),
    "UBIGINT": ("1", [f"{2**64 - 1}"]),
    "BIT": ("'101'", ["'0'"]),
    "BIGNUM": ("1", [f"'{'9' * 400}'"]),
    "UNION(a INT, b VARCHAR)": ("union_value(a := 1)", ["union_value(b := 'x')"]),
    "MAP(VARCHAR, INT)": ("MAP {'a': 1}", ["MAP {}"]),
    "STRUCT(a INT)": ("{'a': 1}", []),
    "INT[]": ("[1]", ["[]"]),
    "INT[2]": ("[1, 2]", []),
    "INTERVAL": ("INTERVAL 1 DAY", ["INTERVAL '178956970 years'"]),
    "BLOB": ("'a'::BLOB", ["'\\xFF'::BLOB"]),
    "JSON": ("'{}'", ["'[1]'"]),
    "DECIMAL(38,10)": ("1.5", ["9999999999999999999999999999.9999999999"]),
    "FLOAT": ("1.5", ["'nan'", "'inf'", "16777217"]),
    "TIMESTAMP_S": ("'2020-01-02'", ["'infinity'", "'-infinity'", "'290308-12-22 (BC)'"]),
    "TIMESTAMP_MS": ("'2020-01-02'", ["'infinity'", "'-infinity'", "'290308-12-22 (BC)'"]),
    "TIMESTAMP_NS": ("'2020-01-02'", ["'infinity'", "'-infinity'", "'1677-09-22'"]),
    "TIMESTAMPTZ": ("'2020-01-02'", ["'infinity'", "'-infinity'", "'290308-12-22 (BC)'"]),
    "DATE": ("'2020-01-02'", ["'infinity'", "'-infinity'", "'5877642-06-25 (BC)'"]),
    "mood": ("'b'", ["'a'"]),
    "VARCHAR COLLATE NOCASE": ("'b'", ["'B'"]),
    "BIGINT GENERATED ALWAYS AS (n * 2) VIRTUAL": ("", []),
    "BIGINT DEFAULT 5 CHECK (n < 1000)": ("1", ["2"]),
}


def _categories(values: list[Any]) -> pd.Series:
    kinds = pd.CategoricalDtype(pd.Index(sorted({value for value in values if value is not None}), dtype="string"))
    return pd.Series(values, dtype=kinds)


PANDAS: Mapping[str, Exotic] = {
    "category": Exotic(_categories, ["b", "c"], ["a", "d"]),
    "category of numbers": Exotic(
        lambda values: pd.Series(pd.array(values, "Int64")).astype("category"), [1, 2], [0, 2**60]
    ),
    **{
        kind: Exotic(lambda values, kind=kind: pd.Series(values, dtype=kind), normal, odd)
        for kind, normal, odd in [
            ("period[D]", [pd.Period("2020-01-01")], [pd.Period("2021-01-01")]),
            ("interval[float64]", [pd.Interval(0.0, 1.0)], [pd.Interval(2.0, 3.0)]),
            ("Sparse[float64]", [1.0, 2.0], [math.nan, 5.0]),
            ("boolean", [True], [False]),
            ("Int8", [1], [127]),
            ("Float32", [1.0], [math.inf]),
            ("timedelta64[ns]", [pd.Timedelta(1)], []),
            ("datetime64[ns, UTC]", [pd.Timestamp("2020", tz="UTC")], [pd.Timestamp("2262-04-11", tz="UTC")]),
            ("complex128", [1j], [2j]),
            ("string[pyarrow]", ["a"], [""]),
            ("str", ["a"], [""]),
        ]
    },
    "arrow dictionary": Exotic(
        lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))), ["a"], ["b"]
    ),
    "datetime64[s]": Exotic(
        lambda v: np.array(["NaT" if one is None else one for one in v], "M8[s]"),
        ["2020-01-01"],
        ["20000-01-01", "-9999-01-01"],
    ),
}
POLARS: Mapping[str, Exotic] = {
    "enum that grows": Exotic(
        lambda v: pl.Series(v, dtype=pl.Enum(sorted({one for one in v if one}))), ["b", "c"], ["a", "d"]
    ),
    **{
        str(kind): Exotic(lambda values, kind=kind: pl.Series(values, dtype=kind), normal, odd)
        for kind, normal, odd in [
            (pl.Categorical, ["a", "b"], ["c"]),
            (pl.Struct({"a": pl.Int64}), [{"a": 1}], []),
            (pl.Decimal(20, 2), [Decimal("1.5")], [Decimal("99999")]),
            (pl.Duration, [dt.timedelta(1)], []),
            (pl.Time, [dt.time(1)], []),
            (pl.List(pl.Int64), [[1]], [[]]),
            (pl.Array(pl.Int64, 1), [[1]], []),
            (pl.Null, [None], []),
            (pl.Int128, [1], [2**100]),
            (pl.Binary, [b"a"], [b"\xff"]),
            (pl.Datetime("ms"), [_DAY], []),
            (pl.Datetime("us", "Europe/Paris"), [_DAY], []),
            (pl.UInt8, [1], [255]),
        ]
    },
}
ODD = 4
"""The most odd values that a type has, None among them."""


def _beside(columns: Mapping[str, Any], odd: int | None) -> dict[str, Any]:
    """The columns after the unit and a number."""
    rows = ROWS + (odd is not None)
    return {"u": [f"p{place:03}" for place in range(rows)], "n": list(range(rows)), **columns}


def _held(types: Mapping[str, Exotic], odd: int | None) -> dict[str, Any]:
    return _beside({name: one.column(odd) for name, one in types.items()}, odd)


def _parquet(folder: Path, odd: int | None, **how: Any) -> Path:
    folder.mkdir(parents=True)
    pq.write_table(pa.table(_held(PARQUET, odd)), folder / "t.parquet", row_group_size=16, **how)
    return folder / "t.parquet"


def _database(folder: Path, odd: int | None) -> Path:
    folder.mkdir(parents=True)
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        moods = "'b', 'c'" if odd is None else "'a', 'b', 'c', 'd'"
        connection.execute(f"CREATE TYPE mood AS ENUM ({moods})")
        connection.execute("CREATE MACRO sum(x) AS 5")
        typed = ", ".join(f'"{name}" {name}' for name in DUCKDB)
        connection.execute(f"CREATE TABLE t (u VARCHAR, n BIGINT, {typed})")
        names = [name for name, (normal, _) in DUCKDB.items() if normal]
        quoted = ", ".join(f'"{name}"' for name in names)
        into = f"INSERT INTO t (u, n, {quoted})"
        normal = ", ".join(DUCKDB[name][0] for name in names)
        connection.execute(f"{into} SELECT printf('p%03d', i), i, {normal} FROM range({ROWS}) AS r(i)")
        if odd is not None:
            values = [(*DUCKDB[name][1], "NULL")[odd % (len(DUCKDB[name][1]) + 1)] for name in names]
            connection.execute(f"{into} VALUES ('p{ROWS:03}', {ROWS}, {', '.join(values)})")
    return folder / "t.duckdb"


SOURCES: Mapping[str, Callable[[Path, int | None], Any]] = {
    "arrow": lambda _, odd: pa.table(_held(ARROW, odd)),
    "parquet": lambda folder, odd: _parquet(folder, odd),
    "parquet with INT96 times, without dictionaries": lambda folder, odd: _parquet(
        folder, odd, use_deprecated_int96_timestamps=True, use_dictionary=False, data_page_version="2.0"
    ),
    "duckdb": _database,
    "pandas": lambda _, odd: pd.DataFrame(_held(PANDAS, odd)).astype({"u": "string"}),
    "polars": lambda _, odd: pl.DataFrame(
        {
            name: pl.Series(name, one) if isinstance(one, list) else one.alias(name)
            for name, one in _held(POLARS, odd).items()
        }
    ),
}
