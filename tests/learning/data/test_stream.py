import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.learning import HuberRegression, LinearRegression, LogisticRegression, PoissonRegression
from dalenius.learning.data import stream as module
from dalenius.learning.data.stream import StreamedRows
from dalenius.mechanisms import Gaussian, KNorm
from tests.noise.seeded import SeededBits


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    path = tmp_path / "people.parquet"
    columns = {"a": pa.array(X[:, 0]), "b": pa.array([None, *X[1:, 1]]), "y": pa.array([None, *y[1:]])}
    pq.write_table(pa.table(columns | {"t": pa.array([None, *range(499)], pa.int64())}), path)
    return path, X, y


def test_a_file_gives_what_its_rows_in_memory_give(file, monkeypatch):
    path, X, y = file
    monkeypatch.setattr(module, "CHUNK", 64)
    for mechanism in (Gaussian, KNorm):
        monkeypatch.setattr(mechanism, "release", lambda self, answer, bits: np.asarray(answer, np.int64))
    X[0, 1] = np.nan
    labels = np.array([None, *y[1:]], object)
    one = LogisticRegression(1, delta=1e-5, bounds=(-1, 1), classes=["no", "yes"], n_public=500)
    streamed = one.fit_parquet(path, ["a", "b"], "y").coef_
    assert one.feature_names_in_.tolist() == ["a", "b"]
    assert np.array_equal(streamed, one.fit(X, labels).coef_)
    line = LinearRegression(1, delta=1e-5, bounds=(-1, 1), target_bounds=(0, 500))
    assert np.array_equal(
        line.fit_parquet(path, ["a", "b"], "t").coef_, line.fit(X, [np.nan, *map(float, range(499))]).coef_
    )


def test_no_more_than_a_chunk_is_read_at_a_time(file, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 64)
    rows = StreamedRows.open(file[0], ["a", "b"], "t")
    assert len(rows) == 500
    assert max(len(y) for _, y in rows.chunks()) <= 64
    assert repr(rows) == "StreamedRows(private)"


def test_a_file_is_refused_by_its_schema(file, tmp_path):
    with pytest.raises(UnknownName):
        StreamedRows.open(file[0], ["a", "c"], "y")
    for features, path in (("a", file[0]), ([], file[0]), (["a", "a"], file[0]), (["a"], tmp_path / "none.parquet")):
        with pytest.raises(InvalidParameter):
            StreamedRows.open(path, features, "y")
    with pytest.raises(InvalidParameter):
        LogisticRegression(1, bounds=(-1, 1)).fit_parquet(file[0], ["a"], "y")


MODELS = {
    "pure": lambda bits: LogisticRegression(5, bounds=(-1, 1), classes=["no", "yes"], bits=bits),
    "many classes": lambda bits: LogisticRegression(5, bounds=(-1, 1), classes=["maybe", "no", "yes"], bits=bits),
    "gaussian objective": lambda bits: LogisticRegression(
        5, delta=1e-5, bounds=(-1, 1), classes=["no", "yes"], method="objective", bits=bits
    ),
    "descent": lambda bits: LogisticRegression(5, delta=1e-5, bounds=(-1, 1), classes=["no", "yes"], bits=bits),
    "bounds found": lambda bits: LogisticRegression(5, bounds="private", classes=["no", "yes"], bits=bits),
    "huber": lambda bits: HuberRegression(5, bounds=(-1, 1), target_bounds=(0, 500), bits=bits),
    "poisson": lambda bits: PoissonRegression(5, bounds=(-1, 1), ceiling=500, bits=bits),
}


@pytest.mark.parametrize("name", MODELS)
def test_streams_give_bit_by_bit_what_rows_in_memory_give(name, file, monkeypatch):
    """The same chunks and the same noise: file, table, data set and arrays end at the same floats."""
    path, X, y = file
    monkeypatch.setattr(module, "CHUNK", 64)
    monkeypatch.setattr("dalenius.learning.data.rows.CHUNK", 64)
    X[0, 1] = np.nan
    target = "t" if name in ("huber", "poisson") else "y"
    values = [np.nan, *map(float, range(499))] if target == "t" else np.array([None, *y[1:]], object)
    real = MODELS[name](SeededBits(7)).fit(X, values)
    for fitted in (
        MODELS[name](SeededBits(7)).fit_parquet(path, ["a", "b"], target),
        MODELS[name](SeededBits(7)).fit_arrow(pq.read_table(path), ["a", "b"], target),
        MODELS[name](SeededBits(7)).fit_arrow(ds.dataset(path), ["a", "b"], target),
    ):
        assert np.array_equal(fitted.coef_, real.coef_)
        assert np.array_equal(fitted.intercept_, real.intercept_)


def peak(rows, tmp_path, **more):
    rng = np.random.default_rng(0)
    path = tmp_path / f"{rows}.parquet"
    X = rng.uniform(-1, 1, (rows, 4))
    columns = {f"x{k}": X[:, k] for k in range(4)} | {"y": (X[:, 0] > 0).astype(np.int64)}
    pq.write_table(pa.table(columns), path, row_group_size=4096)
    model = LogisticRegression(1, bounds=(-1, 1), classes=[0, 1], **more)
    tracemalloc.start()
    model.fit_parquet(path, ["x0", "x1", "x2", "x3"], "y")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.coef_[0, 0] > 0
    return used


@pytest.mark.parametrize("more", [{}, {"delta": 1e-5, "method": "objective"}], ids=["pure", "gaussian objective"])
def test_memory_is_that_of_a_chunk_however_many_rows(tmp_path, monkeypatch, more):
    """Five times the rows, 5 × 8 bytes each: kept, they would take 1.6 MB more; read again, next to nothing."""
    monkeypatch.setattr(module, "CHUNK", 2048)
    few, many = (peak(rows, tmp_path, **more) for rows in (10_000, 50_000))
    assert many < few + 400_000


def test_a_stream_that_can_be_read_once_is_refused(file):
    table = pq.read_table(file[0])
    with pytest.raises(InvalidParameter, match="once"):
        LogisticRegression(1, bounds=(-1, 1), classes=["no", "yes"]).fit_arrow(table.to_reader(), ["a"], "y")
    with pytest.raises(UnknownName):
        LinearRegression(1, bounds=(-1, 1), target_bounds=(0, 1)).fit_arrow(table, ["z"], "y")
    line = LinearRegression(9, bounds=(-1, 1), target_bounds=(0, 500)).fit_arrow(table, ["a", "b"], "t")
    assert line.feature_names_in_.tolist() == ["a", "b"]
    assert len(StreamedRows.of(ds.dataset(file[0]), ["a"], "y")) == len(StreamedRows.of(table, ["a"], "y")) == 500


def test_no_value_of_a_column_makes_a_fit_fail(tmp_path):
    """Text that is no UTF-8, dates beyond the calendar, huge decimals: a rule, or a refusal by the type alone."""
    bad = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\3\0\0\0"), pa.py_buffer(b"\xff\xfeb")]
    )
    table = pa.table(
        {
            "x": pa.array([1.0, float("nan")]),
            "big": pa.array([2**63 - 1, None], pa.int64()),
            "exact": pa.array(["9" * 60, None]).cast(pa.decimal256(70, 2)),
            "flag": pa.array([True, None]),
            "none": pa.nulls(2),
            "word": bad,
            "kind": pa.array(["a", None]).dictionary_encode(),
            "day": pa.array([2**31 - 1, 0], pa.int32()).cast(pa.date32()),
        }
    )
    path = tmp_path / "odd.parquet"
    pq.write_table(table, path)
    names = ["x", "big", "exact", "flag", "none", "word", "kind"]
    for target in ("word", "kind", "flag", "none"):
        made = LogisticRegression(1, bounds=(-1, 1), classes=["a", "b"])
        for fitted in (made.fit_arrow(table, names, target), made.fit_parquet(path, names, target)):
            assert np.all(np.isfinite(fitted.coef_))
    with pytest.raises(InvalidParameter, match="date32"):
        StreamedRows.of(table, ["day"], "x")
    with pytest.raises(InvalidParameter, match="date32"):
        StreamedRows.open(path, ["x"], "day")
    (features, told), *_ = StreamedRows.of(table, ["flag", "big"], "kind").chunks()
    assert np.array_equal(features, [[1, 2.0**63], [np.nan, np.nan]], equal_nan=True)
    assert told.tolist() == ["a", None]


def test_a_data_set_that_a_row_could_make_fail_is_refused_by_its_kind(tmp_path):
    """Before the charge, and whatever the rows hold: a text that is no number, 300 as a byte, one divided by zero."""
    path, text = tmp_path / "a.parquet", tmp_path / "a.csv"
    pq.write_table(pa.table({"x": [1, 2, 300], "y": [0, 1, 0]}), path)
    text.write_text("x,y\n1,0\n2,1\n", encoding="utf-8")
    narrow = pa.schema([("x", pa.int8()), ("y", pa.int64())])
    inverse = pc.divide(pc.scalar(1), ds.field("x") - pc.scalar(2)) > pc.scalar(0)
    whole = ds.dataset(path)
    for data in (
        ds.dataset(text, format="csv"),
        ds.dataset(path, schema=narrow),
        whole.filter(inverse),
    ):
        with pytest.raises(InvalidParameter):
            StreamedRows.of(data, ["x"], "y")
    for data in (whole, ds.dataset([whole, whole]), ds.dataset(pa.table({"x": [1.0], "y": [0]}))):
        assert sum(len(y) for _, y in StreamedRows.of(data, ["x"], "y").chunks()) in (1, 3, 6)
