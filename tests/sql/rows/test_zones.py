"""AT TIME ZONE is answered where it is known which clock a column shows, and refused with what would tell it."""

import re
from datetime import datetime

import duckdb
import pytest

from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.engine import language
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.rows import row_expression

COLUMNS = {"who": "BIGINT", "ts": "TIMESTAMP", "plain": "TIMESTAMP", "d": "DATE"}
TERMS = {"bounds": {"ts": ("2024-03-01", "2024-04-30")}, "formats": {"t": {"zones": {"TS": "Europe/Berlin"}}}}
POLICY = Policy.declare("t", COLUMNS, unit="who", contributions=1, as_of="2024-12-31", **TERMS)


def value(text, time):
    """The expression over a row whose times are all this one."""
    tree = row_expression(language.read(text), POLICY).tree
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE source AS SELECT TIMESTAMP '{time}' AS ts, TIMESTAMP '{time}' AS plain")
        return connection.execute(f"SELECT {tree.sql('duckdb')} FROM source").fetchone()[0]


@pytest.mark.parametrize(
    ("text", "time", "expected"),
    [
        ("ts AT TIME ZONE 'America/New_York'", "2024-07-01 12:00:00", datetime(2024, 7, 1, 6)),
        ("ts AT TIME ZONE 'UTC'", "2024-01-01 12:00:00", datetime(2024, 1, 1, 11)),
        ("ts AT TIME ZONE 'UTC'", "2024-03-31 02:30:00", datetime(2024, 3, 31, 1, 30)),  # skipped in Berlin
        ("ts AT TIME ZONE 'UTC'", "2024-10-27 02:30:00", datetime(2024, 10, 27, 0, 30)),  # there twice: the first
        ("plain AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata'", "2024-01-01 12:00:00", datetime(2024, 1, 1, 17, 30)),
        ("HOUR(ts AT TIME ZONE 'Asia/Tokyo')", "2024-01-01 12:00:00", 20),
        ("CAST(ts AT TIME ZONE 'Asia/Tokyo' AS DATE)", "2024-01-01 17:00:00", datetime(2024, 1, 2).date()),
    ],
)
def test_the_time_is_that_of_the_other_clock(text, time, expected):
    assert value(text, time) == expected


def test_a_column_without_a_declared_clock_is_refused_with_two_ways_and_both_of_them_work():
    query = "SELECT COUNT(*) FROM t WHERE HOUR(plain AT TIME ZONE 'Asia/Tokyo') < 9"
    with pytest.raises(UnsupportedQuery, match="needs to know which clock plain shows") as refused:
        compile_query(query, POLICY)
    (written,) = re.findall(r"write (.*?) if it shows UTC", str(refused.value))
    compile_query(f"SELECT COUNT(*) FROM t WHERE HOUR({written}) < 9", POLICY)
    declared = {"formats": {"t": {"zones": {"plain": "UTC"}}}}
    compile_query(query, Policy.declare("t", COLUMNS, unit="who", contributions=1, **declared))


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("d AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'", "takes a timestamp, got a date"),
        ("ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'", "shows the clock of Europe/Berlin, as declared"),
        ("ts AT TIME ZONE who", "a zone that is written out"),
        ("(ts + INTERVAL 1 DAY) AT TIME ZONE 'UTC'", "needs to know which clock column shows"),
    ],
)
def test_what_is_not_known_is_refused(text, refusal):
    with pytest.raises(UnsupportedQuery, match=refusal):
        row_expression(language.read(text), POLICY)


def test_a_zone_that_is_none_is_refused():
    with pytest.raises(InvalidParameter, match="one of the zone database"):
        row_expression(language.read("ts AT TIME ZONE 'Nowhere'"), POLICY)


def test_days_and_hours_of_another_clock_are_keys_and_no_time_of_the_range_lacks_one():
    day = compile_query(
        "SELECT DATE_TRUNC('day', ts AT TIME ZONE 'Asia/Kolkata') AS a, COUNT(*) FROM t GROUP BY a", POLICY
    )
    days = [row[0] for row in map(day.labels, range(day.cells))]
    assert (days[0], days[-1], len(days)) == ("2024-03-01", "2024-05-01", 62)
    hour = compile_query("SELECT HOUR(ts AT TIME ZONE 'Asia/Kolkata') AS a, COUNT(*) FROM t GROUP BY a", POLICY)
    assert [row[0] for row in map(hour.labels, range(hour.cells))] == list(range(24))


def test_the_clock_of_a_column_is_kept_by_a_subquery():
    compile_query("SELECT COUNT(*) FROM (SELECT ts AS at FROM t) AS q WHERE HOUR(at AT TIME ZONE 'UTC') < 9", POLICY)


def test_zones_of_a_column_that_holds_no_times_are_refused():
    with pytest.raises(InvalidParameter, match="which is no column of TIMESTAMP"):
        Policy.declare("t", COLUMNS, unit="who", formats={"t": {"zones": {"d": "UTC"}}})


def test_a_policy_file_keeps_zones(tmp_path):
    POLICY.save(tmp_path / "policy.toml")
    assert Policy.load(tmp_path / "policy.toml").zones == {"ts": "Europe/Berlin"}
