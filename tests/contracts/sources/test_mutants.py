"""The contract of sources catches each fault that it was written against."""

import contextlib
import datetime as dt
from dataclasses import replace

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from dalenius.errors import DaleniusError, ExecutionFailed
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.duckdb import declared_types, frames, opening, sources
from dalenius.sql.engine.duckdb import engine as engine_module
from dalenius.sql.engine.source import Source
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.policy import policy as policy_module
from dalenius.sql.rows import casts
from tests.contracts.sources import contract, test_csv_chunks
from tests.contracts.sources.kinds import KINDS, PLAIN_TIME, Row, plain

BY_NAME = {kind.name: kind for kind in KINDS}
PLAIN = [plain(place) for place in range(200)]


@contextlib.contextmanager
def caught():
    """Fail unless the contract fails."""
    with pytest.raises((AssertionError, ExecutionFailed)):
        yield


def reread(monkeypatch, change):
    """Let the engine read each source in another way."""
    made = sources.source_of
    monkeypatch.setattr(engine_module, "source_of", lambda *args, **more: change(made(*args, **more)))


def test_a_csv_read_in_parallel(tmp_path, monkeypatch):
    def parallel(source):
        return replace(source, select=source.select.replace("parallel = false", "parallel = true"))

    reread(monkeypatch, parallel)
    with caught():
        test_csv_chunks.check_shift(tmp_path, test_csv_chunks.EDGE, test_csv_chunks.NOTES["rows in a note"], 1)


def test_a_file_read_once_for_each_name(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_distinct", lambda files: tuple(map(str, files)))
    kind = BY_NAME["parquet pattern"]
    less, more = (contract.opened(kind, tmp_path / name, rows) for name, rows in (("a", PLAIN), ("b", PLAIN[1:])))
    with caught():
        contract.check_neighbours(more, less, 1)


def ranked(folder, size):
    with duckdb.connect(str(folder / f"{size}.duckdb")) as connection:
        connection.execute(f"CREATE TABLE pay AS SELECT range AS n FROM range({size})")
        connection.execute(
            "CREATE VIEW t AS SELECT n::VARCHAR u, n, n > AVG(n) OVER () AS x, 'a' AS s, NULL::DATE AS d, "
            "NULL::TIMESTAMP AS w FROM pay"
        )
    return contract.seen({"data": folder / f"{size}.duckdb", "table": "t"}, ())


def test_a_view_taken_for_a_table(tmp_path, monkeypatch):
    less, more = ranked(tmp_path, 100), ranked(tmp_path, 101)
    contract.check_neighbours(less, more, 1)
    assert less.refusal is not None
    monkeypatch.setattr(opening, "_check_table", lambda *_: None)
    (tmp_path / "views").mkdir()
    less, more = ranked(tmp_path / "views", 100), ranked(tmp_path / "views", 101)
    with caught():
        contract.check_neighbours(less, more, 1)


def guessed(data, _columns, table, _written=None):
    """A frame as Arrow guesses it from its values, with every column."""
    return Source("SELECT * FROM frame", table or "data", tables={"frame": frames.public_frame(data)})


def frame_of(times):
    held = [("a", 1, 0.5, "s", dt.date(2020, 1, 1), when) for when in times]
    columns = {
        name: pd.Series(values, dtype=object) for name, values in zip("unxsdw", zip(*held, strict=True), strict=True)
    }
    return {"data": pd.DataFrame(columns), "columns": BY_NAME["pandas objects"].columns, "table": "t"}


def neighbours_by_time():
    less = frame_of([PLAIN_TIME] * 5)
    more = frame_of([dt.date(2020, 1, 1), *[PLAIN_TIME] * 5])
    return contract.seen(less, ()), contract.seen(more, ())


def test_types_guessed_from_values(monkeypatch):
    contract.check_neighbours(*neighbours_by_time(), 1)
    monkeypatch.setattr(sources, "frame_source", guessed)
    with caught():
        contract.check_neighbours(*neighbours_by_time(), 1)


def far(seconds):
    held = pa.table({"n": range(len(seconds)), "z": pa.array(seconds, pa.int64()).cast(pa.timestamp("s", "UTC"))})
    try:
        return sorted(DuckDB(held, table="t").columns), None
    except DaleniusError as refused:
        return None, str(refused)


def test_columns_copied_that_nobody_reads(monkeypatch):
    assert far([0]) == far([0, 2**62])
    monkeypatch.setattr(sources, "frame_source", guessed)
    with caught():
        assert far([0]) == far([0, 2**62])


def refusal_over(folder, name, values):
    with duckdb.connect(str(folder / f"{name}.duckdb")) as connection:
        connection.execute(f"CREATE TYPE ill AS ENUM ({values})")
        connection.execute("CREATE TABLE t (u INTEGER, a ill)")
    engine = DuckDB(folder / f"{name}.duckdb", table="t")
    with pytest.raises(DaleniusError) as refused:
        compile_query("SELECT COUNT(a) AS n FROM t", Policy.declare("t", engine.columns, unit="u", contributions=1))
    return str(refused.value)


def test_types_named_with_their_parentheses(tmp_path, monkeypatch):
    assert refusal_over(tmp_path, "a", "'flu'") == refusal_over(tmp_path, "b", "'flu', 'anna''s'")
    for module in (opening, policy_module):
        monkeypatch.setattr(module, "type_name", lambda kind: kind)
    with caught():
        assert refusal_over(tmp_path, "c", "'flu'") == refusal_over(tmp_path, "d", "'flu', 'anna''s'")


def test_units_mended_into_one(tmp_path, monkeypatch):
    rows = [Row(text, place) for place, text in enumerate([b"\xff", b"\xfe"])]
    contract.check_units(contract.read_units(BY_NAME["parquet"].opening(tmp_path, rows)))
    monkeypatch.setattr(opening, "_is_unit", lambda *_: False)
    with caught():
        contract.check_units(contract.read_units(BY_NAME["parquet"].opening(tmp_path, rows)))


@pytest.mark.parametrize(("kind", "first"), [("f8", 2**53), ("f4", 2**24), ("f2", 2**11)])
def test_units_rounded_into_one(kind, first, monkeypatch):
    """Two whole numbers that are one float: by then it is too late, so neither is anybody's."""
    floats = pd.Series([first, first + 1, 5]).astype(kind)
    opened = {"data": pd.DataFrame({"u": floats, "n": range(3)}), "columns": {"u": "BIGINT"}, "table": "t"}
    contract.check_units(contract.read_units(opened))
    monkeypatch.setattr(declared_types, "_ENDS", dict.fromkeys(("DOUBLE", "FLOAT"), 2**62))
    monkeypatch.setattr(frames, "HALF_END", 2**62)
    with caught():
        contract.check_units(contract.read_units(opened))


EARLY = [Row(b"me", w=-(2**63)), *PLAIN]
TEXT = ("SELECT COUNT(*) AS n FROM t WHERE CAST(w AS VARCHAR) > '2'",)


def test_a_cast_that_is_not_guarded(tmp_path, monkeypatch):
    written = lambda when: casts.exp.TryCast(this=when, to=casts.exp.DataType.build("TEXT"), safe=True)  # noqa: E731
    monkeypatch.setattr(casts, "_written_time", written)
    contract._compiled.cache_clear()
    with caught():
        contract.seen(BY_NAME["parquet"].opening(tmp_path, EARLY), TEXT)
    contract._compiled.cache_clear()


def fails_then_counts(kind, folder):
    engine = DuckDB(**kind.opening(folder, EARLY))
    with pytest.raises(ExecutionFailed):
        engine.scan("SELECT 0, COUNT(CAST(w AS VARCHAR)) FROM source", 1, 1)
    assert engine.scan("SELECT 0, COUNT(*) FROM source", 1, 1).tolist() == [[len(EARLY)]]


@pytest.mark.parametrize("name", ["parquet", "duckdb", "arrow chunks"])
def test_an_engine_that_is_not_opened_anew(name, tmp_path, monkeypatch):
    fails_then_counts(BY_NAME[name], tmp_path / "sound")
    monkeypatch.setattr(DuckDB, "_reopened", lambda *_: False)
    with caught():
        fails_then_counts(BY_NAME[name], tmp_path / "broken")
