from datetime import UTC, date, datetime
from decimal import Decimal

import duckdb
import numpy as np
import pytest

from dalenius.dbapi.errors import DataError, ProgrammingError
from dalenius.dbapi.parameters import bound, literal


@pytest.mark.parametrize(
    "value",
    [
        *("", "it's", "?", "'; DROP TABLE t; --", "\\", "a\nb", "ö"),
        *(0, -7, 2**62, 0.1, -1e-300, 1e300, True, False, None),
        *(Decimal("1.25"), date(2024, 2, 29), datetime(2024, 2, 29, 12, 30, 1, 5)),
    ],
)
def test_the_database_reads_a_literal_as_the_value(value):
    ((found,),) = duckdb.sql(f"SELECT {literal(value)}").fetchall()
    assert (float(found) if isinstance(value, float) else found) == value


def test_numbers_of_numpy_are_numbers():
    assert literal(np.int64(-3)) == "(-3)"
    assert literal(np.float64(0.5)) == "0.5"


def test_marks_inside_quotes_and_comments_stay():
    assert bound("SELECT '?', \"?\", ? -- ?\n", [1]) == "SELECT '?', \"?\", 1 -- ?\n"
    assert bound("é = ? AND ö = ?", ("ü", 2)) == "é = 'ü' AND ö = 2"


@pytest.mark.parametrize("none", [None, (), []])
def test_without_parameters_the_text_stays(none):
    assert bound("SELECT ?", none) == "SELECT ?"


@pytest.mark.parametrize("given", [[1], [1, 2, 3], "ab", {"a": 1}, b"ab", {1, 2}])
def test_another_number_of_values_or_another_shape_is_refused(given):
    with pytest.raises(ProgrammingError):
        bound("? ?", given)


@pytest.mark.parametrize("query", [None, "'" + "?" * 10, "?" * 200_000])
def test_a_text_that_is_no_query_is_refused(query):
    with pytest.raises(ProgrammingError):
        bound(query, [1])


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), Decimal("sNaN"), 10**500, b"x", object(), [1], datetime(2024, 1, 1, tzinfo=UTC)],
)
def test_what_is_no_value_of_the_language_is_refused(value):
    with pytest.raises(DataError, match="a parameter is"):
        literal(value)
