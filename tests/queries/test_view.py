import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries import Count, Table, View

COLUMNS = {"age": [39, 50, 38], "sex": ["Male", "Female", "Male"]}


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "arrow"]
)
def test_every_kind_of_frame_becomes_the_same_table(make):
    table = Table.of(make(COLUMNS))
    assert len(table) == 3
    assert table.column("age").tolist() == [39, 50, 38]
    assert table.column("sex").tolist() == ["Male", "Female", "Male"]


def test_repr_shows_nothing_of_the_data():
    assert repr(Table.of(COLUMNS)) == str(Table.of(COLUMNS)) == "Table(private)"
    assert repr(View()) == "View(private)"


@pytest.mark.parametrize("data", [{}, {"a": [1], "b": [1, 2]}, {"a": [[1, 2]]}, 3, [1, 2]])
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
