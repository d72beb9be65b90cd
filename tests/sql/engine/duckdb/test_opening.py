import os

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius
from dalenius.errors import InvalidParameter
from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.duckdb import opening


def broken_units(folder, ids, **more):
    raw = pa.array(ids, pa.binary())
    held = pa.table({"u": pa.Array.from_buffers(pa.string(), len(ids), raw.buffers()), **more})
    pq.write_table(held, folder / "t.parquet")
    engine = DuckDB(folder / "t.parquet")
    engine.name_unit("U")
    return [row[0] for row in engine.look("SELECT u FROM source")]


IDS = [b"a?b", b"\xff", b"\xfe", b"?", b"caf\xc3", b"caf?", b"", None, b"a ", b"a\0", "\ufffd".encode(), b"?\xff?"]
READ = ["a?b", None, None, "?", None, "caf?", "", None, "a ", "a\0", "\ufffd", None]


def test_units_that_are_not_utf8_are_null_and_no_other(tmp_path):
    assert broken_units(tmp_path, IDS) == READ


def test_mended_units_are_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_is_unit", lambda *_: False)
    found = broken_units(tmp_path, IDS)
    assert found[1] == found[2] == found[3], "three people are one"


def test_a_column_called_like_the_place_of_a_row_hides_no_broken_unit(tmp_path):
    found = broken_units(tmp_path, IDS, file_row_number=[0] * len(IDS))
    assert found == [None if text and "?" in text else text for text in READ]


def test_units_of_many_files_are_told_apart(tmp_path):
    for name, ids in (("a", [b"x?", b"y"]), ("b", [b"x\xff", b"y"])):
        raw = pa.array(ids, pa.binary())
        pq.write_table(
            pa.table({"u": pa.Array.from_buffers(pa.string(), 2, raw.buffers())}), tmp_path / f"{name}.parquet"
        )
    engine = DuckDB(tmp_path / "*.parquet", table="t")
    engine.name_unit("u")
    assert sorted(str(row[0]) for row in engine.look("SELECT u FROM source")) == ["None", "x?", "y", "y"]


@pytest.fixture
def ranked(tmp_path):
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("CREATE TABLE pay AS SELECT range AS u, range::DOUBLE AS x FROM range(1000)")
        connection.execute("CREATE VIEW ranked AS SELECT u, x > AVG(x) OVER () AS above FROM pay")
        connection.execute("CREATE SCHEMA other; CREATE TABLE other.hidden AS SELECT 1 AS u")
    return tmp_path / "x.duckdb"


def test_a_view_is_refused_unless_its_owner_answers_for_its_rows(ranked):
    with pytest.raises(InvalidParameter, match="rowwise_view=True"):
        DuckDB(ranked, table="ranked")
    assert DuckDB(ranked, table="ranked", rowwise_view=True).columns == {"u": "BIGINT", "above": "BOOLEAN"}
    assert DuckDB(ranked, table="PAY").columns == {"u": "BIGINT", "x": "DOUBLE"}


@pytest.mark.parametrize("name", ["absent", "hidden", "duckdb_tables", "sqlite_master", "pragma_version"])
def test_what_is_no_table_of_the_file_is_refused(ranked, name):
    for stated in (False, True):
        with pytest.raises(InvalidParameter, match="has no table"):
            DuckDB(ranked, table=name, rowwise_view=stated)


def test_a_type_is_told_without_its_parentheses(tmp_path):
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("CREATE TYPE ill AS ENUM ('flu', 'anna''s rare (disease)')")
        connection.execute(
            "CREATE TABLE t (a ill, b DECIMAL(9, 3), c ill[], d STRUCT(x ill), e DECIMAL(4, 1)[], f MAP(ill, INT), "
            "g INT[3])"
        )
    assert DuckDB(tmp_path / "x.duckdb", table="t").columns == {
        **{"a": "ENUM", "b": "DECIMAL", "c": "ENUM[]", "d": "STRUCT", "e": "DECIMAL[]", "f": "MAP", "g": "INTEGER[3]"}
    }


def test_a_file_is_read_once_whatever_links_lead_to_it(tmp_path):
    pq.write_table(pa.table({"u": [1, 2, 3]}), tmp_path / "a.parquet")
    (tmp_path / "latest.parquet").symlink_to("a.parquet")
    os.link(tmp_path / "a.parquet", tmp_path / "copy.parquet")
    (tmp_path / "day").mkdir()
    (tmp_path / "day" / "a.parquet").symlink_to("../a.parquet")
    (tmp_path / "again").symlink_to("day")
    for pattern in ("*.parquet", "**/*.parquet"):
        assert DuckDB(tmp_path / pattern, table="t").look("SELECT COUNT(*) FROM source") == [(3,)]


def test_ten_thousand_columns_are_opened_and_asked(tmp_path):
    """The engine takes minutes to bind `* REPLACE` over so many columns; a list of them it binds at once."""
    columns = {"who": [1, 2, 3]} | {f"c{i}": [float(i), 1.0, 2.0] for i in range(10_000)}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    db = dalenius.connect(
        tmp_path / "t.parquet",
        unit="who",
        budget={"epsilon": 1000},
        ledger=tmp_path / "l",
        contributions=2,
        bounds={"c1": (0, 3)},
    )
    answer = db.sql("SELECT COUNT(*) AS n, SUM(c1) AS s FROM t", epsilon=900)
    assert answer.value["n"] == pytest.approx(3, abs=1)
    assert answer.value["s"] == pytest.approx(4, abs=1)
    assert len(db.policy.columns) == 10_001


def test_settings_hold_on_every_cursor():
    """What is set for one connection alone would not reach the cursors that statements run on."""
    wanted = {"ieee_floating_point_ops": "true", "default_collation": "", "perfect_ht_threshold": "20"}
    with opening.in_memory({}) as connection:
        opening.set_up(connection)
        listed = "SELECT name, value FROM duckdb_settings()"
        assert wanted.items() <= dict(connection.cursor().execute(listed).fetchall()).items()
