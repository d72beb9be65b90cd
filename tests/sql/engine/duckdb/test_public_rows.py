import pyarrow as pa
import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine.duckdb import public_rows
from dalenius.sql.engine.duckdb.public_rows import PublicRows


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
