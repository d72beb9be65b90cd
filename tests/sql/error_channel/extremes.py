"""A person whose rows hold whatever may go wrong."""

import datetime
import math

import pyarrow as pa

from dalenius.sql.engine.duckdb.sources import source_of

COLUMNS = {
    **{"who": "BIGINT", "k": "VARCHAR", "j": "INTEGER", "x": "DOUBLE", "y": "DOUBLE", "f": "FLOAT"},
    **{"flag": "BOOLEAN", "d": "DATE", "ts": "TIMESTAMP", "note": "VARCHAR"},
}
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_DAYS = [
    0,
    2**31 - 1,
    -(2**31) + 2,
    106751991,
    106751992,
    -719528,
    107000000,
    2**31 - 2,
]  # with ±∞, year 0 and year 294276
_FIRST_MICROS = -9223372022400000000  # the first of which the engine can write a text
_MICROS = [0, 2**63 - 1, -(2**63) + 1, 2**63 - 2, 9224318015999999999 - 2**50, -62167219200000000, 2**62]
_MICROS += [-(2**63), -(2**63) + 2, _FIRST_MICROS - 1, _FIRST_MICROS]
_NUMBERS = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, 0.0, 1.7976931348623157e308]
_TEXTS = [
    "",
    " ",
    "nan",
    "-inf",
    "1e400",
    "0000-01-01",
    "294276-12-31",
    "\u0000",
    "\ud7ff",
    "%",
    "_",
    "\\",
    "x" * 5000,
    "a\u0301",
]
_WHOLES = [0, 2**31 - 1, -(2**31), 1, -1]


def person(who):
    """Their rows, as Arrow holds them: each extreme of each column stands in one row at least."""
    size = 16
    take = lambda values: [values[place % len(values)] for place in range(size)]  # noqa: E731
    return {
        "who": pa.array([who] * size, pa.int64()),
        "k": pa.array(take(["a", *_TEXTS]), pa.string()),
        "j": pa.array(take(_WHOLES), pa.int32()),
        "x": pa.array(take(_NUMBERS), pa.float64()),
        "y": pa.array(take(_NUMBERS[::-1]), pa.float64()),
        "f": pa.array(take([math.nan, math.inf, 3e38, 1e-45]), pa.float32()),
        "flag": pa.array(take([True, False, None]), pa.bool_()),
        "d": pa.array(take(_DAYS), pa.int32()).cast(pa.date32()),
        "ts": pa.array(take(_MICROS), pa.int64()).cast(pa.timestamp("us")),
        "note": pa.array(take(_TEXTS), pa.string()),
    }


def time_edges():
    """For every time type, the edges of its integers and of the engine's range, with a few steps to either side."""
    near = [-2, -1, 0, 1, 2]
    firsts = {"s": 10**6, "ms": 10**3, "us": 1}
    wide = [-(2**63), 2**63 - 1]
    edges = {pa.date32(): [-(2**31), 2**31 - 1, -106751991, 106751991, -719528], pa.date64(): wide}
    for unit in ("s", "ms", "us", "ns"):
        last = [_FIRST_MICROS // firsts[unit], 2**63 // firsts[unit]] if unit in firsts else []
        edges[pa.timestamp(unit)] = [*wide, *last, -(2**31), 2**31 - 1]
    for kind, ends in edges.items():
        bits = 31 if kind == pa.date32() else 63
        values = sorted({end + step for end in ends for step in near if -(2**bits) <= end + step < 2**bits})
        size = pa.int32() if bits == 31 else pa.int64()
        yield kind, pa.Array.from_buffers(kind, len(values), pa.array(values, size).buffers())


def table(*people):
    """Their rows together, among those of an ordinary person."""
    usual = {name: column.slice(0, 2) for name, column in person(1).items()}
    return pa.concat_tables([pa.table(usual), *(pa.table(person(who)) for who in people)])


def beside(public_rows, public, people):
    """Tables to join: what the people of extremes own in them, by name or by what refers to their rows."""
    numbers, size = _NUMBERS * 2, len(_NUMBERS) * 2
    texts = [_TEXTS[place % len(_TEXTS)] for place in range(size)]
    wholes = [_WHOLES[place % len(_WHOLES)] for place in range(size)]
    times = size * len(people)
    tables = {
        "table b": {
            "who": pa.array([who for who in people for _ in range(size)], pa.int64()),
            **{"g": pa.array(texts * len(people), pa.string()), "z": pa.array(numbers * len(people), pa.float64())},
            "sex": pa.array((["f", "m", None] * size)[:size] * len(people), pa.string()),
        },
        "table c": {
            **{
                "r": pa.array((wholes * len(people))[:times], pa.int32()),
                "h": pa.array(texts * len(people), pa.string()),
            },
            **{"q": pa.array(numbers * len(people), pa.float64()), "n": pa.array(wholes * len(people), pa.int32())},
        },
        "table e": {
            "m": pa.array(wholes * len(people), pa.int32()),
            "w": pa.array(numbers * len(people), pa.float64()),
        },
    }
    sources = {place: source_of(pa.table(columns), None, place) for place, columns in tables.items()}
    return {**sources, public.place: source_of(public_rows, None, "p")}


BROKEN_TEXT = b"\xff\xfe caf\xc3"


def with_broken_text(held):
    """The table with a text that is not UTF-8 in its last row."""
    notes = [note.as_py() for note in held["note"]]
    encoded = pa.array([None if note is None else note.encode() for note in notes[:-1]] + [BROKEN_TEXT], pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(encoded), encoded.buffers())
    return held.set_column(held.column_names.index("note"), "note", text)


CSV_HEADER = ",".join(COLUMNS)
CSV_USUAL = "1,a,1,1.5,0.5,0.5,true,2024-01-31,2024-01-31 10:00:00,hello"
CSV_ODD = [
    "2,a,text in a number,more text,nan,inf,perhaps,0000-00-00,294276-12-31 23:59:59,x",
    "2,,,,,,,,,",
    "2,a,99999999999999999999,1e400,-1e400,1e39,2,5881580-07-11,infinity,\u00e9",
    '2,"a ""quoted"" one",0x10,1_000,.,-,t,2024-02-30,2024-01-01T25:00:00,"two\nlines"',
    "2,too,few",
    "2,a,1,1,1,1,true,2024-01-31,2024-01-31,x,too,many",
    "9223372036854775808,a,1,1,1,1,true,2024-01-31,2024-01-31,no such person",
    "text for a person,a,1,1,1,1,true,2024-01-31,2024-01-31,x",
]
