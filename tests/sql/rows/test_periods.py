import datetime
import itertools

import duckdb
import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.periods import LONG, start_of
from tests.sql.rows.reading import ROW, read, value

DAY, TIME = f"DATE '{ROW['d']}'", f"TIMESTAMP '{ROW['ts']}'"


@pytest.mark.parametrize(
    "text",
    [
        *(f"DATE_TRUNC('{unit}', {when})" for unit in (*LONG, "hour", "minute", "second") for when in ("ts",)),
        *(f"DATE_TRUNC('{unit}', d)" for unit in LONG),
        *(
            "DATE(ts)",
            "LAST_DAY(d)",
            "LAST_DAY(ts)",
            "DAYNAME(ts)",
            "MONTHNAME(d)",
            "TIME_BUCKET(INTERVAL '1 month', d)",
        ),
        *("STRFTIME(ts, '%Y-%m')", "STRFTIME(d, 'W%V of %G, %a %b %-d')", "STRFTIME(ts, '%H:%M:%S %p %I %%')"),
    ],
)
def test_a_period_is_what_the_engine_says(text):
    with duckdb.connect() as connection:
        query = (
            text.replace("(ts", f"({TIME}")
            .replace(" ts", f" {TIME}")
            .replace("(d", f"({DAY}")
            .replace(" d)", f" {DAY})")
        )
        (true,) = connection.execute(f"SELECT {query}").fetchone()
    own = value(text)
    assert own == (true.date() if isinstance(true, datetime.datetime) and type(own) is datetime.date else true)


def test_a_start_of_a_period_is_the_engines():
    days = [datetime.date(2023, 12, 30) + datetime.timedelta(days=number) for number in range(400)]
    with duckdb.connect() as connection:
        for unit, day in itertools.product(LONG, days[::7]):
            (true,) = connection.execute("SELECT DATE_TRUNC(?, ?::DATE)::DATE", [unit, day]).fetchone()
            assert start_of(unit, day) == true


def test_bounds_are_the_periods_of_the_bounds():
    first, last = (datetime.date.fromordinal(int(end)) for end in read("DATE_TRUNC('quarter', d)").bounds)
    assert (first, last) == (datetime.date(2023, 1, 1), datetime.date(2024, 10, 1))
    assert read("DAYNAME(d)").values[0] == "Monday"


@pytest.mark.parametrize(
    "text",
    [
        *("DATE_TRUNC('century', d)", "DATE_TRUNC('hour', d)", "DATE_TRUNC('month', x)", "STRFTIME(d, note)"),
        *("STRFTIME(d, '%f')", "STRFTIME(d, '%')", "TIME_BUCKET(INTERVAL '3 months', d)", "DAYNAME(k)"),
    ],
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
