import duckdb
import pytest

from dalenius.sql.engine.duckdb.declared_types import read_text, read_typed
from dalenius.sql.types.column_types import FILE_TYPES


def read(expression, value, kind="VARCHAR"):
    with duckdb.connect() as connection:
        statement = f"SELECT {expression} FROM (SELECT CAST(? AS {kind}) AS c)"
        return connection.execute(statement, [value]).fetchall()[0][0]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        *[("7", 7), (" -7 ", -7), ("+7", 7), ("7.0", 7), ("7.", 7), ("9007199254740993", 9007199254740993)],
        *[
            (text, None)
            for text in ("7.5", "1e3", "1e17", "9007199254740993.0", "0x10", "", "x", "99999999999999999999")
        ],
    ],
)
def test_a_text_is_the_whole_number_that_it_writes_out_or_null(text, whole):
    assert read(read_text("c", "BIGINT"), text) == whole


def test_a_time_of_day_is_no_part_of_a_date():
    assert str(read(read_text("c", "DATE"), "2024-01-31 ")) == "2024-01-31"
    assert read(read_text("c", "DATE"), "2024-01-31 10:00:00") is None


@pytest.mark.parametrize("kind", FILE_TYPES)
def test_a_text_of_no_type_is_null(kind):
    assert read(read_text("c", kind), "\0?") == ("\0?" if kind == "VARCHAR" else None)


@pytest.mark.parametrize(
    ("value", "whole"),
    [(7.0, 7), (-0.0, 0), (7.5, None), (2.0**53, None), (-(2.0**53), None), ("nan", None), ("inf", None)],
)
def test_a_float_that_may_stand_for_several_whole_numbers_is_null(value, whole):
    assert read(read_typed("c", "DOUBLE", "BIGINT"), value, "DOUBLE") == whole


def test_without_the_end_of_floats_two_people_become_one():
    assert float(2**53) == float(2**53 + 1)
    bent = read_typed("c", "DOUBLE", "BIGINT").replace("ABS(c) < 9007199254740992 AND", "")
    assert read(bent, float(2**53 + 1), "DOUBLE") == 2**53


def test_types_that_would_bend_values_have_no_way():
    assert read_typed("c", "TIMESTAMP", "DATE") is None
    assert read_typed("c", "DATE", "TIMESTAMP") is None
    assert read_typed("c", "BIGINT", "VARCHAR") is None
    assert read_typed("c", "BIGINT", "BIGINT") == "c"
    assert read(read_typed("c", "DECIMAL", "BIGINT"), "1.5", "DECIMAL(5,2)") is None
    assert read(read_typed("c", "BIGINT", "INTEGER"), 2**40, "BIGINT") is None
