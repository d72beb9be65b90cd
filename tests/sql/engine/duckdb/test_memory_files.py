import datetime as dt
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import FileFormat
from dalenius.sql.engine import DuckDB

TYPES = {"who": "VARCHAR", "n": "BIGINT", "d": "DATE", "w": "TIMESTAMP"}


def rows(engine, columns="who, n, CAST(d AS VARCHAR), CAST(w AS VARCHAR)"):
    return engine.look(f"SELECT {columns} FROM source")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Stockholm"])
def test_times_of_any_unit_and_zone_are_moments_in_utc(tmp_path, unit, zone):
    times = pa.array([1_700_000_000], pa.timestamp("s")).cast(pa.timestamp(unit, zone))
    pq.write_table(pa.table({"w": times}), tmp_path / "t.parquet")
    engine = DuckDB(tmp_path / "t.parquet", columns={"w": "TIMESTAMP"})
    assert engine.columns == {"w": "TIMESTAMP"}
    assert rows(engine, "EPOCH_US(w)") == [(1_700_000_000_000_000,)]


def test_a_time_beyond_microseconds_is_null_and_fails_nobody(tmp_path):
    far = pa.array([2**62, 0], pa.int64()).view(pa.timestamp("ms"))
    pq.write_table(pa.table({"w": far}), tmp_path / "t.parquet")
    engine = DuckDB(tmp_path / "t.parquet", columns={"w": "TIMESTAMP"})
    assert rows(engine, "COUNT(*)") == [(2,)]
    assert engine.scan("SELECT 0, COUNT(w) FROM source", 1, 1).tolist() == [[1]]


def test_json_lines_that_are_none_are_rows_of_nulls(tmp_path):
    good = {"who": "a", "n": 3, "d": "2024-01-31", "w": "2024-01-31T10:00:00"}
    lines = [json.dumps(good), "{", "[1]", '"x"', json.dumps({"who": 7, "n": 1.5, "d": "never"}), "\xff"]
    (tmp_path / "t.jsonl").write_bytes("\n".join(lines).encode("latin-1"))
    found = rows(DuckDB(tmp_path / "t.jsonl", columns=TYPES))
    assert found[0] == ("a", 3, "2024-01-31", "2024-01-31 10:00:00")
    assert found[1:] == [(None,) * 4] * 5


def test_an_excel_sheet_has_dates_at_midnight_and_digits_for_texts(tmp_path):
    day = dt.datetime(2024, 1, 31)
    frame = pd.DataFrame(
        {"who": [101, "n/a", 2.5], "n": [1, "x", 2.0], "d": [day, day.replace(hour=3), None], "w": [day] * 3}
    )
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        pd.DataFrame({"other": [1]}).to_excel(book, sheet_name="first", index=False)
        frame.to_excel(book, sheet_name="visits", index=False)
    engine = DuckDB(tmp_path / "t.xlsx", columns=TYPES, written=FileFormat(sheet="visits", nulls=("n/a",)))
    assert rows(engine) == [
        ("101", 1, "2024-01-31", "2024-01-31 00:00:00"),
        (None, None, None, "2024-01-31 00:00:00"),
        (None, 2, None, "2024-01-31 00:00:00"),
    ]
    with pytest.raises(InvalidParameter, match="no sheet"):
        DuckDB(tmp_path / "t.xlsx", columns=TYPES, written=FileFormat(sheet="absent"))
    with pytest.raises(InvalidParameter, match="'who'"):
        DuckDB(tmp_path / "t.xlsx", columns=TYPES)


@pytest.mark.parametrize("name", ["t.xlsx", "t.arrow", "t.parquet"])
def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"secret")
    with pytest.raises(InvalidParameter) as refused:
        DuckDB(tmp_path / name, columns={"who": "VARCHAR"})
    assert "secret" not in str(refused.value)


def test_arrow_files_and_streams_are_read(tmp_path):
    table = pa.table({"who": ["a", "b"]})
    with pa.ipc.new_file(tmp_path / "f.arrow", table.schema) as file:
        file.write_table(table)
    with pa.ipc.new_stream(tmp_path / "s.arrow", table.schema) as stream:
        stream.write_table(table)
    for name in ("f.arrow", "s.arrow"):
        assert DuckDB(tmp_path / name).look("SELECT who FROM source") == [("a",), ("b",)]


def test_types_must_be_declared_where_a_file_has_none(tmp_path):
    (tmp_path / "t.jsonl").write_text("{}", encoding="utf-8")
    for columns in (None, {"x": "BLOB"}):
        with pytest.raises(InvalidParameter):
            DuckDB(tmp_path / "t.jsonl", columns=columns)
