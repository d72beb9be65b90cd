import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import ExecutionFailed, InvalidParameter
from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.duckdb import opening
from dalenius.sql.engine.duckdb.engine import interruptible
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.policy.policy import Policy


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "it's people.parquet"
    pq.write_table(pa.table({"id": [1, 2, None], 'odd "name"': ["a", "b", "a"]}), path)
    return path


def test_columns_come_from_the_schema(file):
    assert DuckDB(file).columns == {"id": "BIGINT", 'odd "name"': "VARCHAR"}


def test_cells_without_rows_are_zero(file):
    answer = DuckDB(file).scan('SELECT 1 AS "cell", COUNT(*) AS "a", 7 AS "b" FROM "source"', 3, 2)
    assert answer.tolist() == [[0, 3, 0], [0, 7, 0]]
    assert answer.dtype == np.int64


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 0, error('id 8841')",
        "SELECT 0, COUNT(*) FROM read_csv('/etc/passwd')",
        "SELECT 0, COUNT(*) FROM read_parquet('other.parquet')",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "ATTACH 'x.db'",
        "COPY source TO 'stolen.csv'",
        "SELECT 0, COUNT(*) FROM nowhere",
    ],
)
def test_a_failure_and_a_way_out_give_the_same_words(file, statement):
    with pytest.raises(ExecutionFailed) as failure:
        DuckDB(file).scan(statement, 1, 1)
    assert str(failure.value) == "the engine failed after the charge; the reason stays with the data"
    assert failure.value.__context__ is None


@pytest.mark.parametrize("name", ["people.csv", "people", "*.parquet", "absent.parquet", "people.json"])
def test_what_is_no_parquet_file_is_refused(tmp_path, name):
    with pytest.raises(InvalidParameter):
        DuckDB(tmp_path / name)


def test_a_file_that_only_looks_like_parquet_is_refused(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"secret text that is no parquet")
    with pytest.raises(InvalidParameter, match=r"x cannot be read") as refusal:
        DuckDB(tmp_path / "x.parquet")
    assert "secret" not in str(refusal.value)
    assert refusal.value.__context__ is None


def test_repr_shows_nothing(file):
    assert repr(DuckDB(file)) == "DuckDB(private)"


def test_this_suite_would_notice_an_open_door(tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n")
    assert duckdb.connect().execute(f"SELECT COUNT(*) FROM read_csv('{tmp_path}/x.csv')").fetchone() == (1,)


def test_the_name_of_a_folder_is_no_column(tmp_path):
    """DuckDB would take it for one and give every row the same `id`: all rows those of one person."""
    folder = tmp_path / "id=7"
    folder.mkdir()
    pq.write_table(pa.table({"id": ["a", "b"]}), folder / "x.parquet")
    assert DuckDB(folder / "x.parquet").columns == {"id": "VARCHAR"}
    assert DuckDB(folder / "x.parquet").scan('SELECT 0, COUNT(DISTINCT "id") FROM "source"', 1, 1).tolist() == [[2]]


def test_the_engine_prints_no_progress_among_the_answers():
    engine = DuckDB(pa.table({"x": [1]}), table="t")
    assert engine.look("SELECT current_setting('enable_progress_bar')") == [(False,)]


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NOCASE.NOACCENT", None])
def test_a_row_equals_one_key_at_most_whatever_collation_the_owner_chose(tmp_path, collation):
    """A collation of the column, or of all texts (None), would put one row in several cells at the price of one."""
    keys = ["a", "A", "á", "Á", "a\u0301"]
    if collation is None:
        engine = DuckDB(pa.table({"K": ["a"]}), table="t", settings={"default_collation": "NOCASE"})
    else:
        with duckdb.connect(str(tmp_path / "t.duckdb")) as made:
            made.execute(f'CREATE TABLE t("K" VARCHAR COLLATE {collation}, "odd ""name" VARCHAR COLLATE {collation})')
            made.execute("INSERT INTO t VALUES ('a', 'b')")
            matches = made.execute('SELECT COUNT(*) FROM t JOIN (SELECT UNNEST(?) AS key) ON "K" = key', [keys])
            assert matches.fetchone()[0] > 1  # the engine's own answer
        engine = DuckDB(tmp_path / "t.duckdb", table="t")
    policy = Policy.declare("t", engine.columns, unit="row", keys={"K": keys})
    for query in (
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        "SELECT CASE k WHEN 'A' THEN 1 ELSE 2 END AS g, COUNT(*) FROM t GROUP BY g",
    ):
        compiled = compile_query(query, policy)
        counts = engine.scan(compiled.scan, compiled.cells, 1)
        assert counts.sum() == 1
        assert counts[0, 0] == (1 if compiled.cells == 5 else 0)


MANY = 40
"""People whose rows are alike: what one other row does to them all shows."""
ASKED = [
    *(f"SELECT COUNT(*) AS n FROM t WHERE {one}" for one in ("x IS NULL", "x > 5", "x <> 1", "f >= 2.5", "x = x")),
    *(
        f"SELECT COUNT(*) AS n FROM t WHERE {one}"
        for one in ("note = 'caf?'", "note < 'caf@'", "note IN ('caf?', 'b')")
    ),
    *(f"SELECT COUNT(*) AS n FROM t WHERE {one}" for one in ("note LIKE 'caf?%'", "SUBSTR(note, 1) = 'caf?'")),
    *("SELECT SUM(x) AS s FROM t", "SELECT AVG(f) AS a, COUNT(*) AS n FROM t", "SELECT COUNT(x) AS n FROM t"),
    *("SELECT note, COUNT(*) AS n FROM t GROUP BY note", "SELECT x > 5 AS big, COUNT(*) AS n FROM t GROUP BY big"),
    "SELECT COUNT(*) AS n FROM (SELECT who, MIN(note) AS m, MAX(x) AS x FROM t GROUP BY who) AS q WHERE m = 'caf?'",
    "SELECT COUNT(*) AS n FROM (SELECT who, MIN(note) AS m, MAX(x) AS x FROM t GROUP BY who) AS q WHERE x IS NULL",
    "SELECT COUNT(*) AS n FROM t AS a JOIN t AS b ON a.who = b.who AND a.note = b.note WHERE b.note = 'caf?'",
]
OTHERS = [(float("inf"), b"a"), (float("-inf"), b"zz"), (float("nan"), b"caf?"), (1e9, b"\xff"), (3.0, b"caf\xc3")]


def odd_rows(path, *others):
    """A file of people who all have NaN and a text that is not UTF-8, of two usual ones, and perhaps of another."""
    rows = [(float("nan"), b"caf\xc3")] * MANY + [(1.0, b"cafA"), (2.0, b"d"), *others]
    texts = pa.array([text for _, text in rows], pa.binary())
    numbers = [number for number, _ in rows]
    columns = {"who": list(range(len(rows))), "x": numbers, "f": pa.array(numbers, pa.float32())}
    notes = pa.Array.from_buffers(pa.string(), len(rows), texts.buffers())
    pq.write_table(pa.table({**columns, "note": notes}), path)
    return DuckDB(path, table="t")


def moved_by_others(folder):
    """The questions of which one more person moves the exact parts by more than the sensitivity."""
    base = odd_rows(folder / "base.parquet")
    more = [odd_rows(folder / f"{place}.parquet", other) for place, other in enumerate(OTHERS)]
    terms = {"keys": {"note": ["caf?", "b"]}, "bounds": {"x": (0, 10), "f": (0, 10)}}
    policy = Policy.declare("t", base.columns, unit="who", contributions=1, **terms)
    found = []
    for query in ASKED:
        compiled = compile_query(query, policy)
        (group,) = compiled.groups
        here, *there = (one.scan(compiled.scan, compiled.cells, len(group.parts)) for one in (base, *more))
        if max(int(abs(other - here).sum()) for other in there) > group.steps:
            found.append(query)
    return found


def test_no_row_of_a_parquet_file_hangs_on_the_rows_of_others(tmp_path):
    """The file's least and largest values know nothing of NaN, and of texts only how they were written."""
    assert moved_by_others(tmp_path) == []


def test_conclusions_from_the_least_and_largest_of_many_rows_are_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_OF_PARQUET", {})
    found = moved_by_others(tmp_path)
    assert {"SELECT COUNT(*) AS n FROM t WHERE x IS NULL", "SELECT note, COUNT(*) AS n FROM t GROUP BY note"} <= set(
        found
    )
    assert len(found) >= 8


def test_the_values_of_a_parquet_file_stay_what_they_are(tmp_path):
    numbers = [0.0, -0.0, 5e-324, float("inf"), float("-inf"), float("nan"), 1.7976931348623157e308, None, 1.1]
    texts = ["", "a", "é\u0000x", None, "x" * 5000, "''", "%", "\u0000", " "]
    held = pa.table({"x": numbers, "f": pa.array(numbers, pa.float32()), "t": texts})
    pq.write_table(held, tmp_path / "t.parquet")
    engine = DuckDB(tmp_path / "t.parquet")
    assert engine.columns == {"x": "DOUBLE", "f": "FLOAT", "t": "VARCHAR"}
    assert repr(engine.look('SELECT * FROM "source"')) == repr(
        list(zip(*(held[name].to_pylist() for name in held.column_names), strict=True))
    )


INVALIDATES = "SELECT 0, COUNT(CAST(ts AS VARCHAR)) FROM source"
PLAIN = 'SELECT 0, COUNT(*) FROM "source"'


@pytest.fixture(params=["frame", "parquet", "duckdb"])
def far(request, tmp_path):
    """A time before the engine's first day, whose text makes the engine invalid."""
    held = pa.table({"ts": pa.array([0, -(2**63)], pa.int64()).cast(pa.timestamp("us"))})
    if request.param == "frame":
        return DuckDB(held)
    if request.param == "parquet":
        pq.write_table(held, tmp_path / "t.parquet")
        return DuckDB(tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM held")
    return DuckDB(tmp_path / "t.duckdb", table="t")


def test_an_engine_that_a_statement_left_invalid_is_opened_anew(far):
    for run in (
        lambda: far.scan(INVALIDATES, 1, 1),
        lambda: far.fetch(INVALIDATES),
        lambda: far.scan(INVALIDATES, 1, 1),
    ):
        with pytest.raises(ExecutionFailed):
            run()
        assert far.scan(PLAIN, 1, 1).tolist() == [[2]]


def test_an_engine_that_stays_invalid_is_caught(far, monkeypatch):
    monkeypatch.setattr(DuckDB, "_reopened", lambda *_: False)
    for statement in (INVALIDATES, PLAIN):
        with pytest.raises(ExecutionFailed):
            far.scan(statement, 1, 1)


@pytest.mark.parametrize("error", [RuntimeError("something else"), duckdb.Error("Query interrupted"), ValueError()])
def test_only_the_engines_own_word_for_a_signal_is_an_interrupt(error):
    def fail(raised):
        raise raised

    with pytest.raises(type(error)):
        interruptible(lambda _: fail(error), None)
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda _: fail(RuntimeError("Query interrupted")), None)
