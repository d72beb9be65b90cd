import datetime
import itertools

import duckdb
import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value

UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
DAYS = ("2023-01-01", "2023-01-31", "2023-12-31", "2024-02-29", "2024-03-01", "2024-12-31")


@pytest.mark.parametrize("word", ["DATE_DIFF", "DATE_SUB"])
def test_a_difference_is_the_engines_and_lies_in_its_bounds(word):
    with duckdb.connect() as connection:
        for unit, (one, two) in itertools.product(UNITS, itertools.product(DAYS, repeat=2)):
            (true,) = connection.execute(
                f"SELECT {word}('{unit}', TIMESTAMP '{one}', TIMESTAMP '{two} 17:45:01')"
            ).fetchone()
            text = f"{word}('{unit}', d, ts)"
            assert value(text, {"d": one, "ts": f"{two} 17:45:01"}) == true
            low, high = read(text.replace("ts", "d")).bounds
            (same,) = connection.execute(f"SELECT {word}('{unit}', DATE '{one}', DATE '{two}')").fetchone()
            assert low <= same <= high


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("d - DATE '2024-02-01'", 28), ("d - 28", datetime.date(2024, 2, 1)), ("1 + d", datetime.date(2024, 3, 1))),
        ("d + INTERVAL 1 YEAR", datetime.date(2025, 2, 28)),
        ("d - INTERVAL '3 months'", datetime.date(2023, 11, 29)),
        ("INTERVAL 36 HOUR + ts", datetime.datetime(2024, 3, 2, 1, 5)),
        ("d + INTERVAL 36 HOUR", datetime.datetime(2024, 3, 1, 12)),
        *(
            ("ts - d <= INTERVAL 13 HOUR", False),
            ("ts - d < INTERVAL 14 HOUR", True),
            ("INTERVAL 1 DAY > ts - d", True),
        ),
        *(("EXTRACT(year FROM AGE(d, DATE '2000-03-01'))", 23), ("DATE_SUB('year', DATE '2000-02-29', d)", 24)),
        ("EXTRACT(year FROM AGE(d))", 2),
        *(("DATE_PART('year', AGE(d, DATE '2000-03-01'))", 23), ("date_part('Year', age(d))", 2)),
        *(("CURRENT_DATE - d", 731), ("today() > d", True), ("DATE_DIFF('day', ts, now())", 731)),
        ("DATE_DIFF('month', '2023-12-31', d)", 2),
    ],
)
def test_dates_are_moved_and_compared_as_written(text, expected):
    assert value(text, as_of="2026-03-01") == expected


def test_a_moved_date_keeps_its_bounds():
    first, last = (datetime.date.fromordinal(int(end)) for end in read("d + INTERVAL 2 MONTH").bounds)
    assert (first, last) == (datetime.date(2023, 3, 1), datetime.date(2025, 2, 28))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "ts - ts",
            "d + x",
            "ts + 1",
            "d + INTERVAL (j) DAY",
            "INTERVAL 1 DAY - d",
            "d + INTERVAL 20000 YEAR",
            "d + d",
        ),
        *("x < INTERVAL 1 DAY", "ts - d < INTERVAL 1 MONTH", "DATE_DIFF('era', d, d)", "DATE_SUB('day', d)"),
        *("EXTRACT(day FROM AGE(d, d))", "DATE_DIFF('day', k, d)", "INTERVAL 1 DAY"),
    ],
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
