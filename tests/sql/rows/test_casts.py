import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("CAST(note AS INTEGER) + 1", 13), ("CAST(k AS DOUBLE)", None), ("CAST('nan' AS DOUBLE)", None)),
        *(
            ("CAST(2.5 AS INTEGER)", 3),
            ("CAST(flag AS DOUBLE)", 1),
            ("CAST(x AS VARCHAR)", "2.5"),
            ("note::DATE", None),
        ),
        *(("CAST(d AS TIMESTAMP) < ts", True), ("TRY_CAST('x' AS BOOLEAN)", None)),
    ],
)
def test_a_cast_gives_a_value_or_null(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize("text", ["CAST(x AS DATE)", "CAST(x AS BLOB)", "x::UUID", "CAST(d AS DOUBLE)"])
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(YEAR(DATE '2024-05-01') AS VARCHAR)", "2024"),
        ("CAST(CAST(2.5 AS INTEGER) AS VARCHAR)", "3"),
        ("CAST(2.5 AS VARCHAR)", "2.5"),
        ("CAST(CAST(1e30 AS INTEGER) AS VARCHAR)", "1e+30"),
        ("CAST(-CAST(0.0 AS INTEGER) AS VARCHAR)", "0"),
    ],
)
def test_a_whole_number_is_written_without_a_decimal_point(expression, expected):
    assert value(expression) == expected


@pytest.mark.parametrize(
    "condition",
    [
        "d > '2024-13-45'",
        "d BETWEEN '2024-02-30' AND '2024-03-31'",
        "d = DATE '2023-02-29'",
        "d IN ('2024-01-01', 'x')",
    ],
)
def test_a_date_that_does_not_exist_is_refused_by_name(condition):
    with pytest.raises(UnsupportedQuery, match="is no date"):
        value(condition)


def test_dates_as_the_engine_spells_them_are_dates():
    for spelt in ("2024-1-5", "2024-01-05 12:30:00", "infinity"):
        value(f"d < '{spelt}'")
    assert value("TRY_CAST('2024-13-45' AS DATE)") is None
