import os

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius
from dalenius.errors import DaleniusError, ExecutionFailed, InvalidParameter
from dalenius.noise import Bits
from dalenius.sql.engine import DuckDB
from dalenius.sql.prepared import table as prepare_module
from dalenius.sql.prepared.folder import Sidecar
from tests.sql.error_channel import extremes

BY_KEY = "SELECT k, COUNT(*) AS n, SUM(x) AS s FROM people GROUP BY k"
FILTERED = "SELECT COUNT(*) FROM people WHERE x > 0"
HUGE = 10**7


def write(path, heavy=20):
    rows = {"who": [1] * heavy + [2, 2, 3, None], "k": ["a"] * heavy + ["a", "b", "b", "a"]}
    pq.write_table(pa.table({**rows, "x": [1.0] * heavy + [2.0, 2.0, 5.0, 9.0]}), path)


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def connect(data, folder, **terms):
    terms = {"contributions": 4, "keys": {"k": ["a", "b"]}, "bounds": {"x": (0, 5)}} | terms
    ledger = folder / "book.ledger"
    return dalenius.connect(data, unit="who", budget={"epsilon": 10**9}, ledger=ledger, table="people", **terms)


def told(answer):
    return [tuple(round(value, 1) if isinstance(value, float) else value for value in row) for row in answer.rows]


def test_sums_are_those_of_at_most_t_rows_of_each_unit(path, tmp_path):
    db = connect(path, tmp_path)
    db.prepare()
    assert told(db.sql(BY_KEY, epsilon=HUGE)) == [("a", 5, 6.0), ("b", 2, 7.0)]  # four of twenty, one of 2, …
    assert db.plan(BY_KEY, epsilon=1).compiled.prepared


def test_a_frame_is_prepared_in_memory(path, tmp_path):
    db = connect(pq.read_table(path), tmp_path)
    db.prepare()
    assert told(db.sql(BY_KEY, epsilon=HUGE)) == [("a", 5, 6.0), ("b", 2, 7.0)]
    with pytest.raises(InvalidParameter, match="in memory"):
        db.prepare(tmp_path / "place")


def test_nothing_is_charged_for_it(path, tmp_path):
    db = connect(path, tmp_path)
    before = db.budget
    db.prepare()
    assert db.budget == before


def test_a_where_is_offered_with_its_bias_and_answered_on_request(path, tmp_path):
    db = connect(path, tmp_path)
    db.prepare()
    assert not db.plan(FILTERED, epsilon=1).compiled.prepared
    assert "prepared=True answers faster, from at most 4 rows" in str(db.explain(FILTERED, epsilon=1))
    assert db.sql(FILTERED, epsilon=HUGE, prepared=True).value == 7
    assert "chosen before WHERE" in str(db.explain(FILTERED, epsilon=1, prepared=True))
    assert "answered from at most 4 rows" in str(db.explain(BY_KEY, epsilon=1))


def test_an_answer_from_prepared_rows_is_another_question(path, tmp_path):
    db = connect(path, tmp_path)
    db.prepare()
    assert db.plan(BY_KEY, epsilon=1).fingerprint != db.plan(BY_KEY, epsilon=1, prepared=False).fingerprint
    before = db.budget
    db.sql(BY_KEY, epsilon=1)
    db.sql(BY_KEY, epsilon=1, prepared=False)
    assert before.epsilon - db.budget.epsilon == 2


def test_it_is_found_again_and_made_anew_for_new_data_or_terms(path, tmp_path):
    folder = tmp_path / "people.parquet.prepared"
    tables = lambda: [place.name for place in folder.glob("table-*")]  # noqa: E731
    connect(path, tmp_path).prepare()
    (first,) = tables()
    connect(path, tmp_path).prepare()
    assert tables() == [first]
    connect(path, tmp_path, contributions=2).prepare()
    (second,) = tables()
    assert second != first
    write(path, heavy=2)
    db = connect(path, tmp_path, contributions=2)
    db.prepare()
    assert tables() != [second]
    assert told(db.sql(BY_KEY, epsilon=HUGE)) == [("a", 3, 4.0), ("b", 2, 7.0)]


def test_a_table_of_older_data_is_not_read(path, tmp_path):
    db = connect(path, tmp_path)
    db.prepare()
    plan = db.plan(BY_KEY, epsilon=1)
    write(path, heavy=1)
    assert not db.plan(BY_KEY, epsilon=1).compiled.prepared  # all rows answer, of the data as it is
    with pytest.raises(InvalidParameter, match="changed since"):
        db.sql(BY_KEY, epsilon=1, prepared=True)
    before = db.budget
    with pytest.raises(InvalidParameter, match="out of date"):
        db.release(plan)
    assert db.budget == before
    db.prepare()
    assert told(db.sql(BY_KEY, epsilon=HUGE)) == [("a", 2, 3.0), ("b", 2, 7.0)]


def test_the_test_above_sees_a_stale_table(path, tmp_path, monkeypatch):
    """With the check gone the answer is that of the older data."""
    db = connect(path, tmp_path)
    db.prepare()
    write(path, heavy=1)
    monkeypatch.setattr(prepare_module.Prepared, "current", property(lambda self: True))
    assert told(db.sql(BY_KEY, epsilon=HUGE)) == [("a", 5, 6.0), ("b", 2, 7.0)]


def test_a_damaged_or_foreign_table_is_made_anew(path, tmp_path):
    connect(path, tmp_path).prepare()
    (table,) = (tmp_path / "people.parquet.prepared").glob("table-*")
    table.write_bytes(table.read_bytes()[:-1] + b"!")
    db = connect(path, tmp_path)
    db.prepare()
    assert not table.exists()
    assert told(db.sql(BY_KEY, epsilon=HUGE)) == [("a", 5, 6.0), ("b", 2, 7.0)]


def test_a_table_that_is_changed_while_in_use_is_used_no_more(path, tmp_path):
    db = connect(path, tmp_path)
    db.prepare()
    (table,) = (tmp_path / "people.parquet.prepared").glob("table-*")
    os.utime(table)
    assert not db.plan(BY_KEY, epsilon=1).compiled.prepared


def test_a_statement_for_kept_rows_is_never_run_over_the_source(path):
    with pytest.raises(ExecutionFailed):
        DuckDB(path).reading(prepared=True)


def test_without_a_prepared_table_none_is_promised(path, tmp_path):
    db = connect(path, tmp_path)
    assert not any("prepared" in note for note in db.explain(BY_KEY, epsilon=1).notes)
    with pytest.raises(InvalidParameter, match="call prepare"):
        db.sql(BY_KEY, epsilon=1, prepared=True)


def test_several_files_need_a_place_for_it(path, tmp_path):
    write(tmp_path / "people2.parquet", heavy=1)
    db = connect(tmp_path / "people*.parquet", tmp_path)
    with pytest.raises(InvalidParameter, match="folder="):
        db.prepare()
    db.prepare(tmp_path / "place")
    assert db.plan(BY_KEY, epsilon=1).compiled.prepared


def test_a_row_that_holds_anything_prepares_like_any_other(tmp_path):
    """No error, warning or word tells whether the odd person is there."""
    queries = ["SELECT k, SUM(x), AVG(y), MEDIAN(x) FROM people GROUP BY k", "SELECT VARIANCE(j), COUNT(*) FROM people"]
    common = pa.table(extremes.person(1)).slice(0, 1)
    for number, rows in enumerate((common, pa.concat_tables([common, pa.table(extremes.person(2))]))):
        folder = tmp_path / str(number)
        folder.mkdir()
        pq.write_table(rows, folder / "people.parquet")
        bounds = {"x": (-1, 1), "y": (0, 1), "j": (0, 9)}
        db = connect(folder / "people.parquet", folder, keys={"k": ["a", "b"]}, bounds=bounds)
        db.prepare()
        for query in queries:
            assert db.plan(query, epsilon=1).compiled.prepared
            db.sql(query, epsilon=1)


def test_a_file_that_is_gone_is_refused_by_name(path, tmp_path):
    db = connect(path, tmp_path)
    path.unlink()
    with pytest.raises(DaleniusError):
        db.prepare(tmp_path / "place")


def test_two_sessions_share_one_table_also_of_a_database(tmp_path):
    with duckdb.connect(str(tmp_path / "all.duckdb")) as connection:
        connection.execute("CREATE TABLE people (who BIGINT, k VARCHAR COLLATE NOCASE, x DOUBLE)")
        connection.execute("INSERT INTO people VALUES (1, 'a', 1), (1, 'A', 1), (2, 'b', 3)")
    sessions = [connect(tmp_path / "all.duckdb", tmp_path, contributions=1) for _ in range(2)]
    for db in sessions:
        db.prepare()
    assert len(list((tmp_path / "all.duckdb.prepared").glob("table-*"))) == 1
    for db in sessions:
        assert db.plan(BY_KEY, epsilon=1).compiled.prepared
        (_, a, _), (_, b, total) = told(db.sql(BY_KEY, epsilon=HUGE))
        assert a in (0, 1)  # 'A' is no declared key
        assert (b, total) == (1, 3.0)


def test_a_failure_while_preparing_tells_nothing_of_rows(path, tmp_path, monkeypatch):
    db = connect(path, tmp_path)
    monkeypatch.setattr(prepare_module.Preparation, "statement", lambda self, key: "SELECT error('row 7')")
    with pytest.raises(DaleniusError, match="reason stays with the data") as failed:
        db.prepare()
    assert "row 7" not in str(failed.value)
    assert failed.value.__context__ is None
    assert not list((tmp_path / "people.parquet.prepared").glob("table-*"))


def test_a_new_key_chooses_other_rows_and_neither_charges_nor_draws_again(tmp_path):
    path, heavy = tmp_path / "people.parquet", 200
    rows = {"who": [1] * heavy + [2, 2, 3], "k": ["a"] * (heavy + 3), "x": [float(x) for x in range(heavy + 3)]}
    pq.write_table(pa.table(rows), path)
    folder = tmp_path / "people.parquet.prepared"
    db, other = (connect(path, tmp_path, contributions=20, bounds={"x": (0, 300)}) for _ in range(2))
    db.prepare()
    other.prepare()
    before, answer, left = (folder / "key").read_bytes(), db.sql(BY_KEY, epsilon=1), db.budget
    kept = [kept_rows(folder)]
    db.prepare(new_key=True)
    kept.append(kept_rows(folder))
    assert (folder / "key").read_bytes() != before
    assert [[who for who, _ in rows].count(1) for rows in kept] == [20, 20]
    assert kept[0] != kept[1]  # equal with a chance of 1 in C(200, 20) > 10^26
    assert db.sql(BY_KEY, epsilon=1).value == answer.value  # the answer that was given stays the answer, for nothing
    assert db.budget == left
    assert other.sql(BY_KEY, epsilon=2).rows  # its table is gone: it goes back to all rows
    with pytest.raises(InvalidParameter, match=r"call prepare\(\)"):
        other.sql(BY_KEY, epsilon=2, prepared=True)
    db.prepare()
    assert kept_rows(folder) == kept[1]


def kept_rows(folder):
    (table,) = folder.glob("table-*.duckdb")
    with duckdb.connect(str(table), read_only=True) as opened:
        ((name,),) = opened.sql("SHOW TABLES").fetchall()
        return sorted(opened.sql(f'SELECT who, x FROM "{name}"').fetchall())


def test_who_waited_for_a_new_key_uses_it(path, tmp_path):
    folder = tmp_path / "place"
    waiting, renewing = Sidecar(folder, Bits()), Sidecar(folder, Bits())
    with renewing.locked():
        renewing.read_key(Bits(), new=True)
    assert waiting.key != renewing.key
    with waiting.locked():
        waiting.read_key(Bits())
    assert waiting.key == renewing.key


@pytest.mark.parametrize("null_keys", [[], ["k"]])
def test_a_where_that_leaves_fewer_keys_is_answered_from_kept_rows_cell_by_cell(tmp_path, null_keys):
    """The numbers of all keys would put rows of the second where the question has its first, or outside of it."""
    rows = pa.table({"who": [1, 1, 2, 3, 4], "k": ["a", "b", "b", None, "other"], "x": [1.0, 2.0, 3.0, 4.0, 5.0]})
    db = connect(rows, tmp_path, null_keys=null_keys)
    db.prepare()
    ask = "SELECT k, COUNT(*) AS n, SUM(x) AS s FROM people WHERE {} GROUP BY k"
    assert told(db.sql(ask.format("k = 'b'"), epsilon=HUGE, prepared=True)) == [("b", 2, 5.0)]
    assert told(db.sql(ask.format("k >= 'b'"), epsilon=HUGE, prepared=True)) == [("b", 2, 5.0)]
    every = [("a", 1, 1.0), ("b", 2, 5.0), *([(None, 1, 4.0)] if null_keys else [])]
    assert told(db.sql(BY_KEY, epsilon=HUGE)) == every
    assert db.plan(BY_KEY, epsilon=1).compiled.prepared
