import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter
from dalenius.queries import Distinct, Table
from dalenius.queries.columns import columns_of

BIG = 2**53 + 1
FRAMES = {
    "pandas": lambda values: pd.DataFrame({"x": pd.array(values, "Int64")}),
    "polars": lambda values: pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64)}),
    "lazy": lambda values: pl.LazyFrame({"x": pl.Series(values, dtype=pl.Int64)}),
    "arrow": lambda values: pa.table({"x": pa.array(values, pa.int64())}),
    "dict of arrow": lambda values: {"x": pa.array(values, pa.int64())},
    "dict of polars": lambda values: {"x": pl.Series(values, dtype=pl.Int64)},
    "dict of pandas": lambda values: {"x": pd.Series(values, dtype="Int64")},
    "dict of lists": lambda values: {"x": values},
    "masked": lambda values: {"x": np.ma.array([v or 0 for v in values], mask=[v is None for v in values])},
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_gap_rounds_no_integer(make):
    for values in ([BIG, 3, -BIG], [BIG, 3, -BIG, None], [7, None], [None]):
        column = columns_of(make(values))["x"].tolist()
        assert [None if value is None or value != value else int(value) for value in column] == values


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pa.array([1.5, None, 2.0]), [1.5, None, 2.0]),
        (pa.array([True, None, False]), [1, None, 0]),
        (pa.array(["a", None, "b"]), ["a", None, "b"]),
        (pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
        (pa.array([1, None, 7]).dictionary_encode(), [1, None, 7]),
        (pd.Series(["a", None, "b"], dtype="category"), ["a", None, "b"]),
        (pd.Series([1, "a", None], dtype=object), [1, "a", None]),
        (pd.Series([True, None], dtype="boolean"), [1, None]),
        (pl.Series(["a", None], dtype=pl.Categorical), ["a", None]),
        (pl.Series([1.0, None], dtype=pl.Float32), [1.0, None]),
        (pl.Series([[1], None]), [[1], None]),
    ],
    ids=str,
)
def test_a_null_is_no_value_in_any_column(column, values):
    found = columns_of({"x": column})["x"].tolist()
    assert [None if not isinstance(v, list) and v != v else v for v in found] == values


def test_columns_of_numbers_are_not_copied():
    x = np.arange(6.0)
    for data in ({"x": x}, pl.DataFrame({"x": x}), pd.DataFrame({"x": x}, copy=False), pa.table({"x": x})):
        column = columns_of(data)["x"]
        assert column.dtype == np.float64
        if not isinstance(data, pl.DataFrame):
            assert np.shares_memory(column, x)
    both = columns_of(x.reshape(3, 2), ["a", "b"])
    assert all(np.shares_memory(column, x) for column in both.values())


def test_arrays_with_fields_or_names_are_tables():
    fields = np.array([(1, 2.5), (3, 4.5)], [("a", int), ("b", float)])
    assert {name: column.tolist() for name, column in columns_of(fields).items()} == {"a": [1, 3], "b": [2.5, 4.5]}
    assert columns_of(np.array([1, 2]), ["a"])["a"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (np.zeros((2, 2)), None),
        (np.zeros((2, 2)), ["a"]),
        (np.zeros((2, 2)), ["a", "a"]),
        (np.zeros((2, 2)), "ab"),
        (np.zeros((2, 2, 2)), ["a", "b"]),
        ({"a": [1]}, ["a"]),
        ({1: [1]}, None),
        (pd.DataFrame([[1, 2]]), None),
        ("text", None),
        (7, None),
    ],
    ids=str,
)
def test_what_has_no_named_columns_is_refused(data, names):
    with pytest.raises(InvalidParameter):
        columns_of(data, names)


def test_text_in_a_list_turns_no_number_into_text():
    assert columns_of({"x": [1, 2.5, "a", None]})["x"].tolist() == [1, 2.5, "a", None]
    assert columns_of({"x": [2**70, 1]})["x"].tolist() == [2**70, 1]
    assert columns_of({"x": [2**53 + 1, 0.5]})["x"].tolist() == [2**53 + 1, 0.5]


def test_plain_columns_load_no_frames():
    import subprocess

    script = (
        "import sys, numpy as np; from dalenius.queries import Table; "
        "Table.of({'x': np.zeros(3), 'y': [1, 2, 3]}); print('narwhals' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


NANOSECONDS = np.arange(1000) + 1_700_000_000_000_000_000


def _timed(frame, kind, gap):
    """A thousand times one nanosecond apart, with or without one more row that has none."""
    word = {"M": "datetime64[ns]", "m": "timedelta64[ns]"}[kind]
    rows = NANOSECONDS.astype(word)
    if gap:
        rows = np.append(rows, np.array(["NaT"], word))
    if frame == "masked":
        return {"t": np.ma.MaskedArray(rows, np.isnat(rows))}
    if frame == "polars":
        return pl.DataFrame({"t": pl.Series(rows)})
    if frame == "pandas":
        return pd.DataFrame({"t": rows})
    return pa.table({"t": pa.array(rows, pa.timestamp("ns") if kind == "M" else pa.duration("ns"))})


@pytest.mark.parametrize("frame", ["polars", "pandas", "arrow", "masked"])
@pytest.mark.parametrize("kind", ["M", "m"])
def test_one_row_without_a_time_changes_no_other_rows_time(frame, kind):
    """As Python's own times, which a gap would call for, a thousand nanoseconds are one microsecond, or nameless."""
    full, gap = (Table.of(_timed(frame, kind, gap)).column("t") for gap in (False, True))
    assert full.dtype == gap.dtype
    assert np.array_equal(full, gap[:-1])
    counts = [int(Distinct("t").evaluate(Table({"t": column}))[0]) for column in (full, gap)]
    assert counts == [1000, 1000]
    micro = NANOSECONDS.astype("datetime64[ns]").astype("datetime64[us]")
    as_objects = np.array([*micro.tolist(), None], object)  # what a gap led to
    assert int(Distinct("t").evaluate(Table({"t": as_objects}))[0]) == 1
