import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.duckdb.frames import frame_source, public_frame

NOON = dt.datetime(2020, 1, 1, 12)
HOLDINGS = [["a", "b"], [1, 2], [NOON, NOON], [None, None], [Decimal("1.5"), Decimal(2)], [b"a", b"b"], [1, "a"]]


def rows(engine):
    return engine.look("SELECT * FROM source")


@pytest.mark.parametrize("values", HOLDINGS, ids=str)
def test_a_column_of_objects_needs_a_declared_type_whatever_it_holds(values):
    objects = pd.Series(values, dtype=object)
    categories = pd.CategoricalDtype(pd.Index(objects.unique(), dtype=object)) if values[0] else object
    for frame in (
        pd.DataFrame({"u": objects}),
        pd.DataFrame({"u": objects.astype(categories)}),
        pl.DataFrame({"u": pl.Series(values, dtype=pl.Object)}),
    ):
        with pytest.raises(InvalidParameter, match="declare columns=") as refusal:
            DuckDB(frame)
        assert "1.5" not in str(refusal.value)
        assert DuckDB(frame, columns={"U": "varchar"}).columns == {"U": "VARCHAR"}


def test_the_time_of_day_of_others_stays_where_one_person_has_a_date():
    frame = pd.DataFrame({"u": range(3), "ts": pd.Series([dt.date(2020, 1, 1), NOON, NOON], dtype=object)})
    engine = DuckDB(frame, columns={"ts": "TIMESTAMP"})
    assert engine.columns == {"u": "BIGINT", "ts": "TIMESTAMP"}
    assert rows(engine) == [(0, None), (1, NOON), (2, NOON)]


def test_guessed_types_are_caught():
    """What the engine would have read before: the type is the first row's, and cuts everybody's times."""
    guessed = public_frame(pd.DataFrame({"ts": pd.Series([dt.date(2020, 1, 1), NOON], dtype=object)}))
    assert pa.types.is_date(guessed["ts"].type)


@pytest.mark.parametrize(
    ("frame", "columns"),
    [
        (pd.DataFrame({"x": pd.array([1, None], "Int64")}), {"x": "BIGINT"}),
        (pd.DataFrame({"x": pd.array([True, None], "boolean")}), {"x": "BOOLEAN"}),
        (pd.DataFrame({"x": pd.array([0.5, None], "Float64")}), {"x": "DOUBLE"}),
        (pd.DataFrame({"x": ["a", None]}), {"x": "VARCHAR"}),
        (pd.DataFrame({"x": pd.array(["a", None], pd.StringDtype("python"))}), {"x": "VARCHAR"}),
        (pd.DataFrame({"x": pd.Categorical(["a", None])}), {"x": "VARCHAR"}),
        (pd.DataFrame({"x": pd.Categorical([3, None])}), {"x": "BIGINT"}),
        (pd.DataFrame({"x": pd.array([1, None], pd.ArrowDtype(pa.decimal128(5, 2)))}), {"x": "DECIMAL"}),
        (pd.DataFrame({"x": pd.array([NOON, None], "datetime64[us]")}), {"x": "TIMESTAMP"}),
        (pl.DataFrame({"x": pl.Series(["a", None], dtype=pl.Categorical)}), {"x": "VARCHAR"}),
        (pl.DataFrame({"x": pl.Series(["a", None], dtype=pl.Enum(["a", "b"]))}), {"x": "VARCHAR"}),
        (pa.table({"x": pa.array([1, None], pa.int8())}), {"x": "TINYINT"}),
        (pa.table({"x": pa.array([1.5, None], pa.float16())}), {"x": "FLOAT"}),
    ],
    ids=str,
)
def test_dtypes_have_their_types(frame, columns):
    engine = DuckDB(frame)
    assert engine.columns == columns
    assert [row[0] is None for row in rows(engine)] == [False, True]


FAR = [
    pa.array([0, 2**62], pa.duration("s")),
    pa.StructArray.from_arrays([pa.array([0, 2**62], pa.int64()).cast(pa.timestamp("s", "UTC"))], ["a"]),
    pa.array([[b"\xff"], []], pa.list_(pa.binary())),
]


@pytest.mark.parametrize("values", FAR, ids=lambda one: str(one.type)[:9])
def test_columns_that_are_not_read_do_not_decide_whether_a_frame_opens(values):
    for held in (values, values.slice(0, 1)):
        engine = DuckDB(pa.table({"u": range(len(held)), "z": held}))
        assert list(engine.columns) == ["u", "z"]
        assert len(rows(engine)) == len(held)
    with pytest.raises(InvalidParameter, match="cannot be declared"):
        DuckDB(pa.table({"u": range(2), "z": values}), columns={"z": "BIGINT"})


def test_a_declared_type_reads_a_column_of_another():
    floats = pd.DataFrame({"u": [1.0, 2.5, float(2**53), None], "n": [1, 2, 3, 4]})
    engine = DuckDB(floats, columns={"u": "BIGINT"})
    assert engine.columns == {"u": "BIGINT", "n": "BIGINT"}
    assert [row[0] for row in rows(engine)] == [1, None, None, None]


def test_lone_surrogates_are_null():
    assert rows(DuckDB(pd.DataFrame({"u": pd.array(["a", "\ud800"], pd.StringDtype("python"))}))) == [("a",), (None,)]


def test_what_is_no_frame_or_lacks_a_column_is_refused():
    for data in (3, {"u": [1]}, pd.DataFrame(), pa.table([pa.array([1]), pa.array([2])], names=["u", "U"])):
        with pytest.raises(InvalidParameter, match="a frame must be"):
            frame_source(data, None, None)
    with pytest.raises(InvalidParameter, match="no column 'z'"):
        frame_source(pa.table({"u": [1]}), {"z": "BIGINT"}, None)
