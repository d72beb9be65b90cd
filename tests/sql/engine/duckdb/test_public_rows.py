import pyarrow as pa
import pytest

from dalenius.errors import UnsupportedQuery
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
