"""Attacks that once succeeded, from the opening of a table to its exact integers."""

import datetime as dt
import os
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius
from dalenius.errors import DaleniusError
from dalenius.sql.planner.compile import compile_query


def opened(folder, name, data, **terms):
    given = {
        "unit": "u",
        "contributions": 1,
        "table": "t",
        "budget": {"epsilon": 10},
        "ledger": folder / f"{name}.ledger",
    }
    return dalenius.connect(data, **(given | terms))


def exact(session, question):
    """The integers before noise, and how far one unit is proved to move them."""
    compiled = compile_query(question, session.policy)
    return session._engine.scan(compiled.scan, compiled.cells, len(compiled.parts)), compiled.groups[0].steps


def moved(one, other, question):
    (first, proved), (second, _) = exact(one, question), exact(other, question)
    return int(np.abs(first - second).sum()), proved


def test_one_plain_row_less_of_a_large_csv_is_one_row_less(tmp_path):
    rows = [b"p%07d,0.5,hello world this is a filler text row\n" % place for place in range(170_000)]
    note = b"\n".join(b"q%07d,0.5,hello" % place for place in range(5000))
    rows.insert(8_000_000 // len(rows[0]) + 1, b'anna,0.5,"' + note + b'"\n')
    sessions = []
    for name, lines in (("a", rows), ("b", rows[:5] + rows[6:])):
        (tmp_path / f"{name}.csv").write_bytes(b"u,x,s\n" + b"".join(lines))
        columns = {"u": "VARCHAR", "x": "DOUBLE", "s": "VARCHAR"}
        sessions.append(opened(tmp_path, name, tmp_path / f"{name}.csv", columns=columns))
    change, proved = moved(*sessions, "SELECT COUNT(*) FROM t")
    assert change <= proved


def test_one_row_of_nine_megabytes_hides_and_makes_no_other(tmp_path):
    rows = b"".join(b"p%d,0.5,hello\n" % place for place in range(2000))
    (tmp_path / "a.csv").write_bytes(b'u,x,s\nanna,0.5,"' + b"q,0.5,short\n" * 800_000 + b'"\n' + rows)
    session = opened(tmp_path, "a", tmp_path / "a.csv", columns={"u": "VARCHAR", "x": "DOUBLE", "s": "VARCHAR"})
    others = exact(session, "SELECT COUNT(*) FROM t WHERE u LIKE 'p%'")
    every = exact(session, "SELECT COUNT(*) FROM t")
    assert others[0][0, 0] == 2000 * others[1]
    assert every[0][0, 0] <= 2001 * every[1]


@pytest.mark.parametrize("source", ["arrow", "parquet"])
def test_a_time_far_away_fails_no_question(tmp_path, source):
    for name, micros in (("a", [0, 1]), ("b", [0, 1, -(2**63)])):
        held = pa.table({"u": range(len(micros)), "ts": pa.array(micros, pa.int64()).cast(pa.timestamp("us"))})
        pq.write_table(held, tmp_path / f"{name}.parquet")
        session = opened(tmp_path, name, held if source == "arrow" else tmp_path / f"{name}.parquet")
        for question in ("SELECT COUNT(*) FROM t WHERE CAST(ts AS VARCHAR) > '2'", "SELECT COUNT(*) FROM t"):
            session.sql(question, epsilon=1)


def outcome(folder, name, data, question, **terms):
    """What somebody sees who opens a table and asks: the columns, or the words of a refusal, and the budget left."""
    try:
        session = opened(folder, name, data, **terms)
        seen = [session.policy.columns, repr(session)]
        session.explain(question, epsilon=1)
    except DaleniusError as refused:
        return [type(refused), str(refused), repr(refused)]
    return seen


NOON = [dt.datetime(2020, 1, 1, 12)] * 1000


@pytest.mark.parametrize("columns", [None, {"ts": "TIMESTAMP"}])
def test_one_date_among_times_cuts_nobodys(tmp_path, columns):
    frames = [
        pd.DataFrame({"u": range(len(times)), "ts": pd.Series(times, dtype=object)})
        for times in (NOON, [dt.date(2020, 1, 1), *NOON])
    ]
    question = "SELECT COUNT(*) FROM t WHERE ts > '2020-01-01 06:00:00'"
    seen = [outcome(tmp_path, f"o{place}", one, question, columns=columns) for place, one in enumerate(frames)]
    assert seen[0] == seen[1]
    if columns:
        sessions = [opened(tmp_path, str(place), one, columns=columns) for place, one in enumerate(frames)]
        change, proved = moved(*sessions, question)
        assert change <= proved


def test_the_digits_of_the_largest_decimal_are_told_to_nobody(tmp_path):
    prices = [Decimal("1.5"), Decimal("2.5")]
    question = "SELECT COUNT(*) FROM t JOIN pub ON t.price = pub.k"
    seen = []
    for name, held in (("a", prices), ("b", [*prices, Decimal("12345.678")])):
        arrow = pa.table({"u": range(len(held)), "price": pa.array(held)})
        pandas = pd.DataFrame({"u": range(len(held)), "price": pd.Series(held, dtype=object)})
        public = {"pub": pd.DataFrame({"k": ["a"]})}
        seen.append([outcome(tmp_path, name, one, question, public=public) for one in (pandas, arrow)])
    assert seen[0] == seen[1]


def test_the_values_of_an_enum_are_told_to_nobody(tmp_path):
    seen = []
    for name, values in (("a", ["flu", "cold"]), ("b", ["flu", "cold", "anna's rare disease"])):
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute("CREATE TABLE raw(u INTEGER, d VARCHAR)")
            connection.executemany("INSERT INTO raw VALUES (?, ?)", list(enumerate(values)))
            connection.execute("CREATE TYPE disease AS ENUM (SELECT DISTINCT d FROM raw ORDER BY d)")
            connection.execute("CREATE TABLE t AS SELECT u, d::disease AS d FROM raw")
        seen.append(outcome(tmp_path, name, tmp_path / f"{name}.duckdb", "SELECT d, COUNT(*) FROM t GROUP BY d"))
    assert seen[0] == seen[1]
    assert "cold" not in str(seen)


def test_a_view_is_refused_in_the_same_words_whatever_it_holds(tmp_path):
    seen = []
    for name, extra in (("a", ""), ("b", "UNION ALL SELECT 5000, 1e12")):
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute(f"CREATE TABLE pay AS SELECT range AS u, range::DOUBLE AS x FROM range(1000) {extra}")
            connection.execute("CREATE VIEW ranked AS SELECT u, x > AVG(x) OVER () AS above FROM pay")
        asked = "SELECT COUNT(*) FROM ranked WHERE above"
        seen.append(outcome(tmp_path, name, tmp_path / f"{name}.duckdb", asked, table="ranked"))
    assert seen[0] == seen[1]
    assert "rowwise_view" in seen[0][1]


def test_a_table_and_a_view_that_differ_in_a_letter_outside_of_ascii_are_two(tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute('CREATE TABLE "Ä" AS SELECT 1 AS u; CREATE VIEW "ä" AS SELECT COUNT(*) AS u FROM "Ä"')
    assert opened(tmp_path, "a", tmp_path / "a.duckdb", table="Ä").policy.columns == {"u": "INTEGER"}
    with pytest.raises(DaleniusError, match="has no table"):
        opened(tmp_path, "b", tmp_path / "a.duckdb", table="ä")


def test_links_to_a_file_count_nobody_twice(tmp_path):
    (tmp_path / "days").mkdir()
    pq.write_table(pa.table({"u": [1, 2, 3]}), tmp_path / "days" / "a.parquet")
    (tmp_path / "days" / "latest.parquet").symlink_to("a.parquet")
    os.link(tmp_path / "days" / "a.parquet", tmp_path / "days" / "hard.parquet")
    session = opened(tmp_path, "a", tmp_path / "days" / "*.parquet", unit="row", contributions=None)
    answer, proved = exact(session, "SELECT COUNT(*) FROM t")
    assert answer[0, 0] == 3 * proved


def test_units_that_are_not_utf8_are_not_one_person(tmp_path):
    sessions = []
    for name, ids, keys in (("a", [b"\xff"] + [b"\xfe"] * 100, ["a"] + ["b"] * 100), ("b", [b"\xff"], ["a"])):
        raw = pa.array(ids, pa.binary())
        held = pa.table({"u": pa.Array.from_buffers(pa.string(), len(raw), raw.buffers()), "k": keys})
        pq.write_table(held, tmp_path / f"{name}.parquet")
        sessions.append(opened(tmp_path, name, tmp_path / f"{name}.parquet", keys={"k": ["a", "b"]}))
    change, proved = moved(*sessions, "SELECT k, COUNT(*) FROM t GROUP BY k")
    assert change <= proved


FAR = {
    "duration": pa.array([0, 2**62], pa.duration("s")),
    "time of a zone": pa.array([0, 2**62], pa.int64()).cast(pa.timestamp("s", "UTC")),
    "text": pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xff"], pa.binary()).buffers()),
}


@pytest.mark.parametrize("values", FAR.values(), ids=FAR)
def test_no_value_decides_whether_a_frame_opens(tmp_path, values):
    question = "SELECT COUNT(z) FROM t"
    seen = [
        outcome(tmp_path, str(size), pa.table({"u": range(size), "z": values.slice(0, size)}), question)
        for size in (1, 2)
    ]
    assert seen[0] == seen[1]


@pytest.mark.parametrize("value", ["SUM(CLAMP(x, 0, 1e-300))", "AVG(CLAMP(x * 1e-290 * 1e-20, 0, 1e-310))"])
def test_bounds_too_near_to_nought_are_refused_by_name(tmp_path, value):
    session = opened(tmp_path, "a", pa.table({"u": [1], "x": [1.0]}), bounds={"x": (0, 1)})
    with pytest.raises(DaleniusError, match="too near"):
        session.sql(f"SELECT {value} FROM t", epsilon=1)
    with pytest.raises(DaleniusError):
        session.sql("SELECT AVG(x * 1e-290 * 1e-20) FROM t", epsilon=1)
    assert session.budget.epsilon == 10
