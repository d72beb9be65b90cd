import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.types.kinds import Kind
from dalenius.sql.views.row_language import column_name, kind_of_values, read_row

TABLE = {
    "city": ["Lund", "Umeå", "o'hara", "100%", None],
    "gift": [True, False, None, True, False],
    "n": [3, -7, 0, None, 12],
    "mean": [0.5, -2.25, None, 1e300, 12.0],
}
KINDS = {name: kind_of_values(values) for name, values in TABLE.items()}


def here(text):
    value = read_row(parse_one(text, read="duckdb"), KINDS)
    return [value.of(dict(zip(TABLE, row, strict=True))) for row in zip(*TABLE.values(), strict=True)]


@pytest.fixture(scope="module")
def duck():
    with duckdb.connect() as connection:
        connection.register("t", pa.table({**TABLE, "place": list(range(5))}))
        yield lambda text: [row[0] for row in connection.execute(f"SELECT {text} FROM t ORDER BY place").fetchall()]


NUMBERS = st.sampled_from(["n", "mean", "0", "3", "12.0", "-7", "NULL", "n + 1", "n - mean", "mean * 2", "n / 4", "-n"])
CONDITIONS = st.recursive(
    st.one_of(
        st.builds("{} {} {}".format, NUMBERS, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), NUMBERS),
        st.builds("{} BETWEEN {} AND {}".format, NUMBERS, NUMBERS, NUMBERS),
        st.builds("{} IS NULL".format, NUMBERS),
        st.builds("{} IN ({}, {})".format, NUMBERS, NUMBERS, NUMBERS),
        st.sampled_from(["city LIKE '%u%'", "city ILIKE 'u_e%'", "city = 'o''hara'", "city > 'M'", "city IS NOT NULL"]),
        st.sampled_from(["gift", "gift = TRUE", "city NOT IN ('Lund', NULL)", "city LIKE '100%'", "NULL"]),
    ),
    lambda inner: st.one_of(
        st.builds("(NOT {})".format, inner),
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
    ),
    max_leaves=5,
)


@given(text=CONDITIONS)
def test_conditions_mean_what_a_database_makes_of_them(duck, text):
    assert here(text) == duck(text)


def test_what_has_no_value_is_absent():
    assert here("n / (n - 3)")[0] is None
    assert here("mean * mean")[3] == float("inf")
    assert here("mean * mean - mean * mean")[3] is None


@pytest.mark.parametrize(
    "text",
    [
        *("SUM(n)", "getenv('HOME')", "read_csv('x')", "random()", "n LIKE 'a'", "city + 1", "city < 3", "NOT n"),
        *("gift > 3", "city LIKE city", "n IS TRUE", "n IN (SELECT 1)", "(SELECT 1)", "n AND gift", "CAST(n AS TEXT)"),
        *("-city", "?", "city LIKE 'a' ESCAPE 'b'"),
    ],
)
def test_what_is_outside_of_the_grammar_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        here(text)


def test_names_are_the_view_s_own_and_ignore_case():
    assert column_name(exp.column("CITY"), KINDS) == "city"
    with pytest.raises(UnknownName, match="'secret'; it has city, gift"):
        here("secret > 3")
    with pytest.raises(UnsupportedQuery, match="to_pandas"):
        column_name(parse_one("n + 1"), KINDS)


def test_a_column_s_type_is_that_of_what_was_released():
    assert list(KINDS.values()) == [Kind.TEXT, Kind.BOOLEAN, Kind.NUMBER, Kind.NUMBER]
    assert kind_of_values([None]) is kind_of_values([]) is Kind.NULL
