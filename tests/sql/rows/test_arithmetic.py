from dataclasses import replace

import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows import row_expression
from dalenius.sql.text.parse import parse
from tests.sql.rows.reading import read, value
from tests.sql.sensitivity.grammar import policy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("x + j", 9.5), ("x - j", -4.5), ("x * j", 17.5), ("j / x", 2.8), ("x / y", None), ("0 / y", None)),
        *(
            ("j // 2", 3),
            ("-7 // 2", -3),
            ("j % 4", 3),
            ("-7 % 4", -3),
            ("j % y", None),
            ("-x", -2.5),
            ("ABS(-x)", 2.5),
        ),
        *(
            ("FLOOR(-x)", -3),
            ("CEIL(x)", 3),
            ("ROUND(2.26, 1)", 2.3),
            ("CLAMP(j, 0, 5)", 5),
            ("CLAMP(who, 0, 5)", None),
        ),
        *(("GREATEST(x, j, 1)", 7), ("LEAST(x, who)", 2.5), ("1e200 * x * 1e200", float("inf"))),
    ],
)
def test_arithmetic_means_what_it_says(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        *(
            ("x", -3, 7),
            ("x + y", -3, 8),
            ("x - y", -4, 7),
            ("x * y", -3, 7),
            ("x * x", -21, 49),
            ("1 / (y + 1)", 0.5, 1),
        ),
        *(("-x", -7, 3), ("ABS(x)", 0, 7), ("FLOOR(y * 2.5)", 0, 2), ("CLAMP(note::DOUBLE, 1, 2)", 1, 2)),
        *(("GREATEST(x, y)", -3, 7), ("j % 5", -4, 4), ("ROUND(y, 1)", -0.1, 1.1), ("CLAMP(x, 0, 100)", 0, 7)),
    ],
)
def test_bounds_follow_by_intervals(text, low, high):
    assert [round(float(end), 9) for end in read(text).bounds] == [low, high]


def test_steps_of_a_bounded_number_are_a_finite_range():
    assert read("FLOOR(y * 3) * 10").values == (0, 10, 20, 30)
    assert read("10 - FLOOR(y)").values == (10, 9)
    assert read("1 / y").bounds is None


@pytest.mark.parametrize(
    "text", ["k + 1", "CLAMP(x, 1)", "CLAMP(x, y, 1)", "CLAMP(x, 2, 1)", "ROUND(x, y)", "d + x", "FLOOR(k)"]
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)


def test_a_guard_that_would_double_at_each_level_is_refused():
    text = "x"
    for _ in range(20):
        text = f"1 / ({text} + 1)"
    with pytest.raises(UnsupportedQuery, match="terms"):
        read(text)


def test_steps_that_are_held_keep_their_steps():
    terms = replace(policy(), bounds={"x": (0, 9)})

    def values(text):
        return row_expression(parse(f"SELECT {text}").expressions[0], terms).values

    assert values("LEAST(FLOOR(x / 2) * 2, 4)") == (0, 2, 4)
    assert values("GREATEST(FLOOR(x / 2) * 2, 5)") == (5, 6, 8)
    assert values("CLAMP(FLOOR(x / 2) * 2, 1, 5)") == (1, 2, 4, 5)
    assert values("LEAST(x, 4)") is None
