import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.queries import Keys, Table
from dalenius.queries.cells import cells_of

VALUES = st.sampled_from(["a", "b", "1", 0, 1, 2.5, True, -0.0, None, math.nan, [], b"a"])


@given(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=12))
def test_a_row_is_in_the_cell_whose_key_it_equals(rows):
    keys = Keys.among(list("abc"), [("a", 0, 1), ("b", 0, 2.5), ("a", 1, "1"), (1, 1, 1), (0, "a", "a")])
    table = Table.of({name: [row[i] for row in rows] for i, name in enumerate("abc")})
    expected = [next((i for i, key in enumerate(keys.rows) if key == row), 5) for row in rows]
    assert cells_of(table, keys).tolist() == expected


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64, np.longdouble, object])
def test_numbers_are_found_in_every_type(dtype):
    table = Table({"x": np.array([1, 2, 1, 3], dtype)})
    assert cells_of(table, Keys("x", [2, "1", 300, 1])).tolist() == [3, 0, 3, 4]


@given(st.lists(st.tuples(VALUES, VALUES), max_size=12))
def test_a_row_without_a_value_is_in_the_cell_of_none_and_no_other_row_is(rows):
    keys = Keys.among(list("ab"), [("a", None), (None, 1), (None, None)])
    table = Table.of({name: [row[i] for row in rows] for i, name in enumerate("ab")})
    plain = [tuple(None if isinstance(value, float) and math.isnan(value) else value for value in row) for row in rows]
    assert cells_of(table, keys).tolist() == [
        next((i for i, key in enumerate(keys.rows) if key == row), 3) for row in plain
    ]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (np.array([1.0, np.nan, 2.0]), [0, 1, 2]),
        (np.array([1, 2, 1]), [0, 2, 0]),
        (np.array(["NaT", "2020-01-01"], "datetime64[ns]"), [1, 2]),
        (
            np.array([None, Decimal("NaN"), Decimal(7), pd.NaT, pd.NA, b"", {}, np.float32("nan")], object),
            [1, 1, 2, 1, 1, 2, 2, 1],
        ),
        (np.array(["None", ""]), [2, 2]),
    ],
)
def test_null_is_told_in_every_type(column, expected):
    assert cells_of(Table({"x": column}), Keys("x", [1, None])).tolist() == expected


def test_many_columns_with_many_values_do_not_wrap():
    """A number for every combination of ten columns with a thousand values each would not fit in 64 bits."""
    names = [f"c{i}" for i in range(10)]
    rows = [tuple(range(i, i + 10)) for i in range(1000)]
    table = Table.of(np.array([rows[7], rows[999], [7] * 10]), names=names)
    assert cells_of(table, Keys.among(names, rows)).tolist() == [7, 999, 1000]


def test_no_number_near_a_key_is_taken_for_it():
    near = [np.nextafter(1.0, 0), np.nextafter(1.0, 2), 0.5, -1.0, 1e308, -1e308, math.inf, -math.inf, math.nan, 4096.0]
    table = Table({"x": np.array([*near, 1.0, 1000.0, -0.0])})
    for keys in ([1000, 1, 0], [1000, 1, 0, 10**6], [1000, 1, 0, 0.25]):
        found = cells_of(table, Keys("x", keys)).tolist()
        assert found == [len(keys)] * len(near) + [1, 0, 2]
