import pyarrow as pa
import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine.duckdb import public_rows
from dalenius.sql.engine.duckdb.public_rows import IdlePublicRows, PublicRows


def test_tables_are_kept_and_asked_and_replaced():
    rows = PublicRows("synthetic")
    rows.keep('odd "name', pa.table({"x": [1, 2, 3]}))
    assert rows.select('SELECT SUM(x) AS total FROM "odd ""name"').to_pylist() == [{"total": 6}]
    rows.keep('odd "name', pa.table({"x": [5]}))
    assert rows.select('SELECT * FROM "odd ""name"').to_pylist() == [{"x": 5}]


@pytest.mark.parametrize(
    "text", ["SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM elsewhere", "ATTACH 'x.duckdb'", "SET threads = 1"]
)
def test_nothing_else_can_be_reached(text):
    rows = PublicRows("synthetic")
    rows.keep("t", pa.table({"x": [1]}))
    with pytest.raises(UnsupportedQuery):
        rows.select(text)


def test_an_answer_without_end_is_stopped_and_the_next_is_given(monkeypatch):
    """Asking is free, and others share the machine."""
    rows = PublicRows("synthetic")
    rows.keep("t", pa.table({"x": list(range(2000))}))
    monkeypatch.setattr(public_rows, "MOST_SECONDS", 0.2)
    with pytest.raises(UnsupportedQuery, match="seconds"):
        rows.select("SELECT COUNT(*) FROM t a, t b, t c, t d WHERE a.x + b.x + c.x <> d.x")
    monkeypatch.setattr(public_rows, "MOST_ROWS", 3)
    with pytest.raises(UnsupportedQuery, match="more than 3 rows"):
        rows.select("SELECT * FROM t a, t b, t c")
    assert rows.select("SELECT x FROM t ORDER BY x DESC LIMIT 3").column("x").to_pylist() == [1999, 1998, 1997]


def test_an_idle_engine_comes_back_without_the_tables_it_held():
    idle = IdlePublicRows("released", "threads = 1")
    with idle.one() as first:
        first.keep("ages", pa.table({"age": [41]}))
        assert first.select("SELECT age FROM ages").to_pylist() == [{"age": 41}]
    with idle.one() as second:
        assert second is first
        with pytest.raises(UnsupportedQuery) as refused:
            second.select("SELECT age FROM age")
        assert "ages" not in str(refused.value)  # the engine suggests names of tables that it holds
        assert second.select("SELECT COUNT(*) AS n FROM duckdb_tables()").to_pylist() == [{"n": 0}]


def test_two_uses_at_once_have_an_engine_each_and_few_are_kept():
    idle = IdlePublicRows("released")
    with idle.one() as first, idle.one() as second, idle.one() as third:
        first.keep("t", pa.table({"x": [1]}))
        with pytest.raises(UnsupportedQuery):
            second.select("SELECT x FROM t")
        assert len({id(first), id(second), id(third)}) == 3
    assert len(idle._idle) == IdlePublicRows.KEPT


def test_an_engine_that_a_use_failed_on_is_not_used_again():
    idle = IdlePublicRows("released")
    used = []

    def fail():
        with idle.one() as first:
            used.append(first)
            first.keep("t", pa.table({"x": [1]}))
            first.select("SELECT y FROM t")

    with pytest.raises(UnsupportedQuery):
        fail()
    with idle.one() as second:
        assert second is not used[0]
        second.keep("t", pa.table({"x": [2]}))
        assert second.select("SELECT x FROM t").to_pylist() == [{"x": 2}]


def test_a_fork_opens_engines_of_its_own(monkeypatch):
    idle = IdlePublicRows("released")
    with idle.one() as first:
        pass
    monkeypatch.setattr(public_rows.os, "getpid", lambda: -1)
    with idle.one() as second:
        assert second is not first
