from datetime import date, datetime

import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.times import day_literal, time_literal, time_of
from tests.sql.rows.reading import read, value


def test_a_time_of_another_year_is_null_before_a_function_sees_it():
    for far in ("0044-03-15 (BC)", "10000-01-01", "infinity", "-infinity"):
        row = {"d": far, "ts": far}
        assert value("DATE_TRUNC('month', d)", row) is None
        assert value("d + INTERVAL 1 DAY", row) is None
        assert value("DATE_DIFF('day', d, ts)", row) is None
    for last in ("0001-01-01", "9999-12-31"):
        assert value("DATE_TRUNC('day', d)", {"d": last}) == date.fromisoformat(last)


def test_literals_are_dates_and_know_their_day():
    assert day_literal(date(2024, 2, 29)).text == "CAST('2024-02-29' AS DATE)"
    assert time_literal(datetime(2024, 2, 29, 5)).values == ("2024-02-29 05:00:00",)
    assert day_literal(date(1, 1, 1)).bounds == (1, 1)


def test_what_is_no_time_is_refused():
    with pytest.raises(UnsupportedQuery, match="takes a date or a timestamp"):
        time_of(read("x"), "DATE_TRUNC")
