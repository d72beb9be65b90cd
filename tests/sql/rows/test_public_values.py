import duckdb
import pytest

from dalenius.sql.rows import allowed_values, has_dates, joint_values, public_values
from dalenius.sql.text.parse import parse
from tests.sql.rows.reading import read
from tests.sql.sensitivity.grammar import policy


def terms(*texts):
    return [parse(f"SELECT {text}").expressions[0] for text in texts]


def values(text, **told):
    return public_values(terms(text)[0], read(text, **told), policy(**told))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            ("SUBSTRING(k, 1, 1)", ("a", "b", "i")),
            ("UPPER(k)", ("A", "B", "IT'S")),
            ("COALESCE(k, 'none')", ("a", "b", "it's", "none")),
        ),
        *(
            ("j * j", (0, 1, 49)),
            ("CONCAT(k, '-', flag)", None),
            ("YEAR(d) * 100 + QUARTER(d)", (202301, 202302, 202303, 202304, 202401, 202402, 202403, 202404)),
        ),
        *(("x", None), ("FLOOR(x)", None), ("note", None), ("DATE_TRUNC('minute', ts)", None), ("MINUTE(ts)", None)),
        ("DATE_TRUNC('year', d)", ("2023-01-01", "2024-01-01")),
    ],
)
def test_the_values_of_an_expression_are_those_over_declared_values(text, expected):
    found = values(text)
    assert (found is None) == (expected is None and "CONCAT" not in text)
    if expected is not None:
        assert found == expected


def test_days_of_two_years_are_all_listed():
    found = values("d")
    assert (len(found), found[0], found[-1]) == (731, "2023-01-01", "2024-12-31")


@pytest.mark.parametrize(
    ("text", "count"),
    [("HOUR(ts)", 24), ("DATE_TRUNC('day', ts)", 366), ("STRFTIME(ts, '%m %H')", 288), ("CAST(ts AS DATE)", 366)],
)
def test_a_time_is_looked_at_as_finely_as_it_is_read(text, count):
    told = policy()
    told.bounds["ts"] = ("2024-01-01", "2024-12-31")
    assert len(public_values(terms(text)[0], read(text), told)) == count


def test_several_expressions_have_the_combinations_that_occur():
    texts = ("YEAR(d)", "QUARTER(d)")
    told = policy()
    told.bounds["d"] = ("2023-11-01", "2024-05-31")
    found = joint_values(terms(*texts), [read(text) for text in texts], told)
    assert found == ((2023, 4), (2024, 1), (2024, 2))


def test_every_value_of_a_row_is_among_them():
    """Truth by the engine: rows of all declared days, grouped by the engine itself."""
    for text in (
        "STRFTIME(d, '%Y-%m')",
        "WEEK(d)",
        "DAYNAME(d)",
        "d + INTERVAL 1 MONTH",
        "DATE_DIFF('week', d, '2024-12-31')",
    ):
        with duckdb.connect() as connection:
            days = "UNNEST(RANGE(DATE '2023-01-01', DATE '2025-01-01', INTERVAL 1 DAY))::DATE"
            connection.execute(f"CREATE TABLE source AS SELECT {days} AS d")
            rows = connection.execute(f"SELECT DISTINCT {read(text).text} FROM source").fetchall()
        assert {str(row[0]).removesuffix(".0") for row in rows} == set(map(str, values(text)))


def test_a_date_is_seen_wherever_it_stands():
    assert has_dates(terms("YEAR(d) + j")[0], policy())
    assert not has_dates(terms("j + 1")[0], policy())


@pytest.mark.parametrize(
    ("text", "condition", "expected"),
    [
        ("k", "k <> 'b' AND x > 0", ("a", "it's")),
        ("k", "k LIKE 'a%' OR x > 0", ("a", "b", "it's")),
        ("DATE_TRUNC('year', d)", "MONTH(d) = 2 AND YEAR(d) = 2024", ("2024-01-01",)),
        ("YEAR(ts)", "ts > '2029-06-01 10:00:00' AND YEAR(ts) % 2 = 0", tuple(range(2000, 2031, 2))),
    ],
)
def test_a_condition_over_the_same_columns_leaves_out_what_it_excludes(text, condition, expected):
    """One that looks at a time more finely than the expression does is passed over."""
    where = parse(f"SELECT 1 FROM t WHERE {condition}").args["where"].this
    assert public_values(terms(text)[0], read(text), policy(), where) == expected


@pytest.mark.parametrize(
    ("text", "condition", "expected"),
    [
        ("DATE_DIFF('day', d, ts)", "DATE_DIFF('day', d, ts) BETWEEN 0 AND 3 AND x > 1", (0, 1, 2, 3)),
        ("DATE_DIFF('day', d, ts)", "x > 1 AND (DATE_DIFF('day', d, ts) = 2 OR DATE_DIFF('day', d, ts) = 7)", (2, 7)),
        ("DATE_DIFF('day', d, ts)", "DATE_DIFF('day', d, ts) < j", None),
        ("DATE_DIFF('day', d, ts)", "DATE_DIFF('day', d, ts) + 1 IS NULL", None),
        ("DATE_DIFF('day', d, ts)", "DATE_DIFF('week', d, ts) = 1", None),
        ("UPPER(k)", "UPPER(k) LIKE 'A%'", ("A",)),
    ],
)
def test_conditions_on_the_very_expression_leave_the_values_that_they_allow(text, condition, expected):
    """One that reads a column beside it allows all of them, and so does one that no value fulfils."""
    where = parse(f"SELECT 1 FROM t WHERE {condition}").args["where"].this
    listed = ("A", "B") if text == "UPPER(k)" else tuple(range(-9, 10))
    assert allowed_values(terms(text)[0], read(text), listed, where, policy()) == (expected or listed)
