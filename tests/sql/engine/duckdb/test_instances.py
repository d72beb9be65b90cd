"""An instance for each statement: what one uses up no other lacks."""

import gc
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import ExecutionFailed, InvalidParameter
from dalenius.sql.engine.duckdb import instances
from dalenius.sql.engine.duckdb.engine import DuckDB
from dalenius.sql.engine.duckdb.instances import KEPT, asked_for

LIMITS = {"memory_limit": "40MB", "max_temp_directory_size": "1MB"}
COUNTED = "SELECT COUNT(*) FROM duckdb_tables() WHERE table_name = 'mark'"
NEEDS_MEMORY = "SELECT 0 AS cell, COUNT(*) AS n FROM (SELECT x FROM range(700000) AS r(x) GROUP BY x)"


def engine(tmp_path, instances, **more):
    pq.write_table(pa.table({"patient": ["a", "b"], "x": [1, 2]}), tmp_path / "visits.parquet")
    return DuckDB(tmp_path / "visits.parquet", settings={**LIMITS, "instances": instances, **more})


def while_memory_is_used_up(made):
    """Ask for memory from inside of a statement that has used up what there is."""

    def work(cursor):
        cursor.execute("CREATE TEMP TABLE big AS SELECT HASH(x) AS x FROM range(1) AS r(x)")
        for turn in range(1000):
            try:
                cursor.execute(f"INSERT INTO big SELECT HASH(x, {turn}) FROM range(600000) AS r(x)")
            except duckdb.OutOfMemoryException:
                break
        else:
            raise AssertionError("the memory was not used up")
        return made.scan(NEEDS_MEMORY, 1, 1)

    return made._run(work)


@pytest.mark.long
def test_a_statement_that_uses_up_its_memory_fails_no_other(tmp_path):
    made = engine(tmp_path, "statement")
    assert while_memory_is_used_up(made).tolist() == [[700_000]]
    made.close()


@pytest.mark.long
def test_on_a_shared_instance_it_does(tmp_path):
    """What the test above would see if statements shared their memory."""
    made = engine(tmp_path, "shared")
    with pytest.raises(ExecutionFailed):
        while_memory_is_used_up(made)
    made.close()


@pytest.mark.parametrize(("instances", "seen"), [("statement", 0), ("shared", 1)])
def test_two_statements_that_run_at_a_time_have_no_instance_in_common(tmp_path, instances, seen):
    """A table that one makes is there for all statements of its instance; limits are an instance's too."""
    made = engine(tmp_path, instances)

    def work(cursor):
        cursor.execute("CREATE TABLE mark AS SELECT 1 AS x")
        return made._run(lambda other: other.execute(COUNTED).fetchall())

    assert made._run(work) == [(seen,)]
    made.close()


def test_what_does_not_fit_goes_to_a_folder_for_us_alone_which_is_removed(tmp_path):
    place = tmp_path / "space"
    place.mkdir()
    made = engine(tmp_path, "statement", temp_directory=str(place))
    made.scan("SELECT 0 AS cell, COUNT(*) AS n FROM source", 1, 1)
    (folder,) = place.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    made.close()
    assert list(place.iterdir()) == []
    made = engine(tmp_path, "statement", temp_directory=str(place))
    made.scan("SELECT 0 AS cell, COUNT(*) AS n FROM source", 1, 1)
    del made
    gc.collect()
    assert list(place.iterdir()) == []


def test_an_instance_that_failed_is_not_used_again_and_idle_ones_are_few(tmp_path):
    made = engine(tmp_path, "statement")
    with pytest.raises(ExecutionFailed):
        made.scan("SELECT 0 AS cell, error('row') AS n", 1, 1)
    assert made._apart._idle == []

    def deep(level):
        return made._run(lambda cursor: deep(level - 1) if level else cursor.execute("SELECT 1").fetchall())

    deep(KEPT + 3)
    assert len(made._apart._idle) == KEPT
    made.close()


def test_a_closed_engine_fails_its_statements(tmp_path):
    made = engine(tmp_path, "statement")
    made.close()
    with pytest.raises(ExecutionFailed):
        made.scan("SELECT 0 AS cell, COUNT(*) AS n FROM source", 1, 1)


def test_the_unit_that_is_named_later_holds_in_every_instance(tmp_path):
    made = engine(tmp_path, "statement")
    made.scan("SELECT 0 AS cell, COUNT(*) AS n FROM source", 1, 1)
    made.name_unit("patient")
    made.scan("SELECT 0 AS cell, COUNT(*) AS n FROM source", 1, 1)
    assert all(one.sources is made._sources for one in made._apart._idle)
    made.close()


def test_instances_are_shared_or_one_for_each_statement():
    assert asked_for({"threads": 1}) == ({"threads": 1}, False)
    with pytest.raises(InvalidParameter, match="statement"):
        asked_for({"instances": "many"})


def test_a_statement_waits_a_little_for_an_instance_before_it_opens_one(tmp_path, monkeypatch):
    made = engine(tmp_path, "statement")
    opened, entered, go = [], threading.Barrier(KEPT + 1), threading.Event()
    first = instances._Instance
    monkeypatch.setattr(instances, "_Instance", lambda *given: opened.append(1) or first(*given))

    def held(cursor):
        entered.wait(60)
        go.wait(60)

    with ThreadPoolExecutor(KEPT + 1) as pool:
        running = [pool.submit(made._run, held) for _ in range(KEPT)]
        entered.wait(60)
        assert len(opened) == KEPT
        monkeypatch.setattr(instances, "PATIENCE", 60)
        waiting = pool.submit(made.scan, "SELECT 0 AS cell, 1 AS n", 1, 1)
        go.set()  # the instances come back, and one of them is taken
        assert waiting.result().tolist() == [[1]]
        assert [one.result() for one in running] == [None] * KEPT
    assert len(opened) == KEPT
    made.close()


def test_statements_that_keep_their_instances_keep_nobody_from_another(tmp_path, monkeypatch):
    made = engine(tmp_path, "statement")
    monkeypatch.setattr(instances, "PATIENCE", 0.001)
    entered, go = threading.Barrier(KEPT + 1), threading.Event()

    def held(cursor):
        entered.wait(60)
        go.wait(60)

    with ThreadPoolExecutor(KEPT) as pool:
        running = [pool.submit(made._run, held) for _ in range(KEPT)]
        entered.wait(60)
        assert made.scan("SELECT 0 AS cell, 1 AS n", 1, 1).tolist() == [[1]]
        go.set()
        assert [one.result() for one in running] == [None] * KEPT
    made.close()


def test_instances_are_opened_one_at_a_time_and_one_that_comes_back_is_taken_meanwhile(tmp_path, monkeypatch):
    made, first = engine(tmp_path, "statement"), instances._Instance
    monkeypatch.setattr(instances, "PATIENCE", 0.001)
    opened, opening, most, go = [], [], [], threading.Event()

    def slowly(*given):
        opening.append(1)
        most.append(len(opening))
        opened.append(1)
        if len(opened) == 1:
            assert go.wait(60)
        opening.pop()
        return first(*given)

    monkeypatch.setattr(instances, "_Instance", slowly)
    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(made.scan, "SELECT 0 AS cell, 1 AS n", 1, 1) for _ in range(12)]
        while not opened:
            time.sleep(0.001)
        assert made._apart._opening == 1
        go.set()
        assert [one.result().tolist() for one in asked] == [[[1]]] * 12
    assert max(most) == 1
    assert made._apart._opening == made._apart._running == 0
    made.close()
