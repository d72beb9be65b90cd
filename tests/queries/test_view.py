from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries import Count, Keys, Sum, Table, View

COLUMNS = {"age": [39, 50, 38], "sex": ["Male", "Female", "Male"]}


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "arrow"]
)
def test_every_kind_of_frame_becomes_the_same_table(make):
    table = Table.of(make(COLUMNS))
    assert len(table) == 3
    assert table.column("age").tolist() == [39, 50, 38]
    assert table.column("sex").tolist() == ["Male", "Female", "Male"]


def test_a_table_is_as_long_as_its_columns():
    assert len(Table.of({"a": []})) == 0
    assert len(Table.of({"a": range(5), "b": np.zeros(5)})) == 5


def test_repr_shows_nothing_of_the_data():
    assert repr(Table.of(COLUMNS)) == str(Table.of(COLUMNS)) == "Table(private)"
    assert repr(View()) == "View(private)"


@pytest.mark.parametrize(
    "data", [{}, {"a": [1], "b": [1, 2]}, {"a": np.array([[1, 2]])}, {"a": "123"}, {"a": 3}, {"a": {1: 2}}, 3, [1, 2]]
)
def test_what_is_no_table_is_refused_without_its_content(data):
    with pytest.raises(InvalidParameter) as refusal:
        Table.of(data)
    assert not any(digit in str(refusal.value) for digit in "123")


def test_an_unknown_column_is_refused_by_name():
    with pytest.raises(UnknownName, match="'height'"):
        Table.of(COLUMNS).column("height")


def test_a_gap_in_a_column_of_integers_moves_no_other_row():
    whole = [2**53 - 1, 3]
    for values in (whole, [*whole, None]):
        column = Table.of(pa.table({"x": pa.array(values, pa.int64())})).column("x")
        assert [int(column[0]), int(column[1])] == whole
    assert np.isnan(column[2])
    assert Count().evaluate(Table.of(COLUMNS)).tolist() == [3]


@pytest.mark.parametrize(
    "row",
    [
        "text",
        b"x",
        1j,
        None,
        [1],
        (),
        {},
        2**70,
        datetime(2020, 1, 1),
        np.timedelta64(2, "ns"),
        np.longdouble(1),
        pd.NA,
    ],
    ids=repr,
)
@pytest.mark.parametrize("rows", [[1, 2, 2], [np.int64(1), np.float32(2), np.longdouble(2)]], ids=["plain", "numpy"])
def test_a_row_in_a_list_changes_no_other_row(rows, row):
    """One text turned every number beside it into text: a sum fell to 0, and each count with it."""
    for values in (rows, [*rows, row]):
        table = Table.of({"x": values})
        assert Count(Keys("x", [2])).evaluate(table).tolist() == [2]
        assert Sum("x", (-5, -5), missing="nearest").evaluate(table).tolist() == [-5 * len(values)]
    assert 5 <= Sum("x", (0, 10)).evaluate(table)[0] <= 15


def test_a_null_in_a_dictionary_of_pyarrow_is_not_another_rows_value():
    """It was: of whichever value came last, so that one new value changed every NULL."""
    for values in ([1, None, None], [1, None, None, 7]):
        column = pa.array(values, pa.int64()).dictionary_encode()
        table = Table.of(pa.table({"x": column}))
        assert Count(Keys("x", [1])).evaluate(table).tolist() == [1]
        assert Sum("x", (0, 10)).evaluate(table).tolist() == [sum(filter(None, values))]


def test_a_date_is_no_number_at_any_resolution():
    """Numpy gives nanoseconds as ints, and one row may turn a whole column of dates into nanoseconds."""
    for unit in ("D", "us", "ns"):
        table = Table.of({"x": np.array([1, 1], f"datetime64[{unit}]")})
        assert Count(Keys("x", [1])).evaluate(table).tolist() == [0]
        assert Sum("x", (0, 10)).evaluate(table).tolist() == [0]


def test_an_unreadable_column_is_refused_without_its_words():
    class Unreadable:
        def __array__(self, *_, **__):
            raise ValueError("row 8841")

    with pytest.raises(InvalidParameter, match="'a'") as refusal:
        Table.of({"a": Unreadable()})
    assert "8841" not in str(refusal.value)
    assert refusal.value.__context__ is None
