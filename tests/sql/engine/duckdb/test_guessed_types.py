import duckdb
import pyarrow as pa
import pytest

from dalenius.sql.engine.duckdb import guessed_types
from dalenius.sql.engine.duckdb.guessed_types import guess_texts


def guess(values):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (c VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
        return guess_texts(connection, "t", ["c"])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", "n/a", None], "BIGINT"),
        (["01", "2"], "VARCHAR"),
        (["1", "2.5"], "DOUBLE"),
        (["1,5", "2"], "DOUBLE"),
        (["2024-01-31", "2024-02-01"], "DATE"),
        (["2024-01-31 10:00:00"], "TIMESTAMP"),
        (["31/01/2024", "01/02/2024"], "DATE"),
        (["31.01.2024 10:00"], "TIMESTAMP"),
        (["true", "False"], "BOOLEAN"),
        (["a", "1"], "VARCHAR"),
        ([None], "VARCHAR"),
    ],
)
def test_a_type_is_what_nine_of_ten_texts_are(values, kind):
    assert guess(values).columns == {"c": kind}


def test_days_and_months_that_cannot_be_told_apart_stay_texts():
    found = guess(["01/02/2024", "03/04/2024"])
    assert found.columns == {"c": "VARCHAR"}
    assert "told apart" in found.dirt["c"][0]


def test_none_may_be_an_answer_and_na_is_none():
    assert guess(["public", "none", "N/A"]).nulls == ("N/A",)


@pytest.mark.parametrize("other", ["1,5", "1.5", "x"])
def test_plain_numbers_are_guessed_as_if_they_were_counted_in_full(monkeypatch, other):
    """The short cut for columns of plain numbers changes no type, no decimal mark and no remark."""
    columns = {
        "whole": ["1", "-20", "n/a", None],
        "real": ["1.5", "2", "-0.25", "NA"],
        "grouped": ["1.234", "2.345", "3.456", "4.567"],
        "zero": ["01", "02", "3", "4"],
        "long": ["123456789012345678", "2", "3", "4"],
        "other": [other, other, other, other],
        "second": ["2,5", "3,5", "7,25", "1"],
    }
    with duckdb.connect() as connection:
        connection.register("t", pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}))
        short = guess_texts(connection, "t", list(columns))
        monkeypatch.setattr(guessed_types, "_plain_numbers", lambda *_: {})
        assert short == guess_texts(connection, "t", list(columns))
