import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.learning import LinearRegression, LogisticRegression
from dalenius.learning import stream as module
from dalenius.learning.stream import ParquetRows
from dalenius.mechanisms import Gaussian, KNorm


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
    rows = ParquetRows.open(file[0], ["a", "b"], "t")
    assert len(rows) == 500
    assert max(len(y) for _, y in rows.chunks()) <= 64
    assert repr(rows) == "ParquetRows(private)"


def test_a_file_is_refused_by_its_schema(file, tmp_path):
    with pytest.raises(UnknownName):
        ParquetRows.open(file[0], ["a", "c"], "y")
    for features, path in (("a", file[0]), ([], file[0]), (["a", "a"], file[0]), (["a"], tmp_path / "none.parquet")):
        with pytest.raises(InvalidParameter):
            ParquetRows.open(path, features, "y")
    with pytest.raises(InvalidParameter):
        LogisticRegression(1, bounds=(-1, 1)).fit_parquet(file[0], ["a"], "y")
