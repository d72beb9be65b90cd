import math

import pytest

from dalenius.sql.rows import narrowed
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity.grammar import policy


def told(condition, until_today=False, **terms):
    where = parse(f"SELECT 1 FROM t WHERE {condition}").args["where"].this
    return narrowed(policy(**terms), where, until_today=until_today)


@pytest.mark.parametrize(
    ("condition", "ends"),
    [
        *(("x >= 1 AND 2.5 >= x", (1, 2.5)), ("x BETWEEN 0 AND 100", (0, 7)), ("x < 2", (-3, math.nextafter(2, 0)))),
        *(
            ("x > 8", (-3, 7)),
            ("x > 1 OR x < 2", (-3, 7)),
            ("x > y", (-3, 7)),
            ("(x = 2)", (2, 2)),
            ("NOT x > 1", (-3, 7)),
        ),
    ],
)
def test_a_number_is_bounded_by_conditions_that_every_row_fulfils(condition, ends):
    assert tuple(map(float, told(condition).bounds["x"])) == ends


@pytest.mark.parametrize(
    ("condition", "ends"),
    [
        ("d >= '2023-06-01' AND d < DATE '2024-01-01'", ("2023-06-01", "2023-12-31")),
        ("d > '2023-06-01'", ("2023-06-02", "2024-02-01")),
        ("d <= '2024-03-05'", ("2023-01-01", "2024-03-05")),
        ("d >= CURRENT_DATE - INTERVAL 30 DAY", ("2024-01-02", "2024-02-01")),
        ("d >= 'no date'", ("2023-01-01", "2024-02-01")),
        ("d > '2030-01-01'", ("2023-01-01", "2024-02-01")),
    ],
)
def test_dates_end_at_the_policys_day_unless_a_later_one_is_asked(condition, ends):
    assert told(condition, until_today=True, as_of="2024-02-01").bounds["d"] == ends


def test_times_are_bounded_by_whole_days():
    assert told("ts > '2020-01-01 10:00:00' AND ts < '2021-01-01'").bounds["ts"] == ("2020-01-01", "2020-12-31")
    assert told("ts < '2021-01-01 00:00:01'").bounds["ts"] == ("1999-01-01", "2021-01-01")


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        *(
            ("k IN ('b', 'c')", ("b",)),
            ("k = 'a'", ("a",)),
            ("k = 'c'", ("a", "b", "it's")),
            ("k IN (note)", ("a", "b", "it's")),
        ),
        ("k = 'a' OR k = 'b'", ("a", "b", "it's")),
    ],
)
def test_keys_are_those_of_a_list_that_are_declared(condition, values):
    assert told(condition).keys["k"].values == values


def test_a_list_gives_keys_to_texts_and_whole_numbers_alone():
    assert told("note IN ('u', 'v', 'u')").keys["note"].values == ("u", "v")
    assert told("who IN (3, 4)").keys["who"].values == (3, 4)
    assert "d" not in told("d IN ('2024-01-01', '2024-1-1')").keys
    assert "x" not in told("x IN (1, 2)").keys
