"""The same instants are the same times on the declared clock, from whatever file they are read."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.file_format import PLAIN, FileFormat

BERLIN = FileFormat.declared("t", {"zones": {"TS": "Europe/Berlin"}})
HALF = timedelta(minutes=30)
INSTANTS = [datetime(2024, 3, 31, 0, 30) + HALF * n for n in range(6)]
INSTANTS += [datetime(2024, 10, 26, 23, 30) + HALF * n for n in range(8)]
CLOCK = [one.replace(tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin")).replace(tzinfo=None) for one in INSTANTS]
COLUMNS = {"u": "BIGINT", "ts": "TIMESTAMP"}
OFFSETS = {"+05:30": (5, 30), "Z": (0, 0), "-0330": (-3, -30), "+02": (2, 0), " -08:00": (-8, 0)}


def times(data, written, **terms):
    engine = DuckDB(data, table="t", written=written, **terms)
    return engine.fetch('SELECT CAST("ts" AS TIMESTAMP) AS "ts" FROM "source" ORDER BY "u"')["ts"].to_pylist()


def texts():
    """The instants as texts, by clocks of several offsets."""
    for place, one in enumerate(INSTANTS):
        offset, (hours, minutes) = list(OFFSETS.items())[place % len(OFFSETS)]
        yield f"{one + timedelta(hours=hours, minutes=minutes)}{offset}"


def sources(folder):
    """The instants in every kind of source that can tell them."""
    (folder / "t.csv").write_text("u,ts\n" + "".join(f"{n},{text}\n" for n, text in enumerate(texts())))
    lines = [json.dumps({"u": n, "ts": text}) for n, text in enumerate(texts())]
    (folder / "t.jsonl").write_text("\n".join(lines))
    for name in ("t.csv", "t.jsonl"):
        yield name, folder / name, {"columns": COLUMNS}
    for unit in ("s", "ms", "us", "ns"):
        for zone in ("UTC", "Asia/Tokyo"):
            held = pa.table({"u": range(len(INSTANTS)), "ts": pa.array(INSTANTS).cast(pa.timestamp(unit, zone))})
            pq.write_table(held, folder / f"{unit}.parquet")
            yield f"parquet {unit} {zone}", folder / f"{unit}.parquet", {}
            yield f"arrow {unit} {zone}", held, {}
    yield "pandas", held.to_pandas(), {}
    yield "polars", pl.from_arrow(held), {}


def test_the_same_instants_are_the_same_times_from_every_source(tmp_path):
    for name, data, terms in sources(tmp_path):
        assert times(data, BERLIN, **terms) == CLOCK, name
        assert times(data, PLAIN, **terms) == INSTANTS, name  # UTC where nothing is declared


def test_times_without_an_offset_are_what_the_clock_shows(tmp_path):
    (tmp_path / "t.csv").write_text("u,ts\n" + "".join(f"{n},{one}\n" for n, one in enumerate(INSTANTS)))
    held = pa.table({"u": range(len(INSTANTS)), "ts": pa.array(INSTANTS).cast(pa.timestamp("us"))})
    pq.write_table(held, tmp_path / "t.parquet")
    for data, terms in ((tmp_path / "t.csv", {"columns": COLUMNS}), (tmp_path / "t.parquet", {}), (held, {})):
        assert times(data, BERLIN, **terms) == INSTANTS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("2024-07-01 12:00:00+99", None), ("2024-07-01 12:00:00 Asia/Tokyo", None), ("nothing", None), ("", None)),
        *(("2024-07-01", datetime(2024, 7, 1)), ("2024-07-01 12:00", datetime(2024, 7, 1, 12))),
        *(("9999-12-31 23:59:59+00", None), ("0001-01-01 00:00:00+15:59", None)),
        ("2024-07-01T12:00:00.250Z", datetime(2024, 7, 1, 14, 0, 0, 250000)),
        ("290309-12-22 (BC) 00:00:00+01", None),
    ],
)
def test_each_text_is_a_time_or_null_whatever_stands_in_other_rows(tmp_path, text, expected):
    (tmp_path / "t.csv").write_text(f"u,ts\n1,{text}\n2,2024-01-01 00:00:00+01:00\n")
    assert times(tmp_path / "t.csv", BERLIN, columns=COLUMNS) == [expected, datetime(2024, 1, 1)]


def test_the_zone_of_the_machine_is_not_that_of_the_engine(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    held = pd.DataFrame({"u": [1], "ts": pd.to_datetime(["2024-01-01 12:00:00+00:00"])})
    engine = DuckDB(held, table="t")
    assert engine.fetch("SELECT current_setting('TimeZone') AS zone")["zone"].to_pylist() == ["UTC"]
    assert times(held, PLAIN) == [datetime(2024, 1, 1, 12)]
