from datetime import datetime, timedelta

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.sql.after.regions.dates import moment
from dalenius.sql.after.regions.expressions import Expressions
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import HERE, Context
from dalenius.sql.after.regions.values import Exact, Unknown
from dalenius.sql.engine import language

EXPRESSIONS = [
    *("YEAR(d)", "QUARTER(d)", "MONTH(d)", "DAY(d)", "EXTRACT(year FROM d)", "EXTRACT(hour FROM d)"),
    *(f"DATE_TRUNC('{unit}', d)" for unit in ("year", "quarter", "month", "week", "day")),
    *("d + INTERVAL 1 YEAR", "d - INTERVAL 3 MONTH", "d + INTERVAL '2 weeks'", "d - INTERVAL 45 DAY"),
    *("DAYOFWEEK(d)", "ISODOW(d)", "DAYOFYEAR(d)", "WEEK(d)", "WEEKOFYEAR(d)", "HOUR(d)", "DAYOFMONTH(d)", "MINUTE(d)"),
    *(f"EXTRACT({part} FROM d)" for part in ("dow", "isodow", "doy", "week", "minute")),
    *("DATE_PART('dow', d)", "DATE_PART('weekday', d)", "DATE_PART('month', d)", "DAYNAME(d)", "MONTHNAME(d)"),
    *("CAST(d AS DATE)", "d >= DATE '2024-02-29'", "d < '2024-02-29'", "DATE_TRUNC('month', d) = d", "d IS NULL"),
]
DAYS = st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)).map(
    lambda when: when.replace(microsecond=0, second=0, minute=0)
)


@pytest.fixture(scope="module")
def engine():
    with duckdb.connect() as connection:
        yield connection


def value(text, when):
    tree = language.read(f"SELECT {text} AS x").expressions[0].this
    return Expressions(JointRegion({}, 1), None).value(tree, Context((("t", "d"),), (Exact(when),), HERE))


@settings(max_examples=12)
@given(when=DAYS, whole=st.booleans())
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_a_function_of_a_public_time_is_the_engines(engine, text, when, whole):
    when = when.replace(hour=0) if whole else when
    kind = "DATE" if whole else "TIMESTAMP"
    told = engine.execute(f"SELECT {text} FROM (SELECT CAST('{when}' AS {kind}) AS d)").fetchone()[0]
    known = value(text, when)
    assert isinstance(known, Exact)
    assert known.point == (moment(told) or told)


@pytest.mark.parametrize("text", EXPRESSIONS[:-1])
def test_null_has_no_part(text):
    assert value(text, None) == Exact(None)


@pytest.mark.parametrize(
    "text",
    [
        "EXTRACT(epoch FROM d)",
        "DATE_PART(k, d)",
        "LAST_DAY(d)",
        "DATE_TRUNC('minute', d)",
        "d + INTERVAL 2 HOUR",
        "d + INTERVAL 9999 YEAR",
    ],
)
def test_what_has_no_rule_is_unknown(text):
    assert isinstance(value(text, datetime(2024, 1, 31)), Unknown)


def test_the_last_day_of_a_month_stays_in_the_month_that_is_meant():
    assert value("d + INTERVAL 1 MONTH", datetime(2024, 1, 31)) == Exact(datetime(2024, 2, 29))
    assert value("d - INTERVAL 1 DAY", datetime(2024, 3, 1)) == Exact(datetime(2024, 3, 1) - timedelta(days=1))


def test_a_text_that_names_no_moment_is_none():
    assert moment("yesterday") is None
    assert moment("2024-01-01 00:00:00+02:00") is None
    assert moment(3) is None
