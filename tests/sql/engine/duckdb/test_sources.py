import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.duckdb.sources import source_of

TABLE = pa.table({"id": [1, 2, None], "name": ["a", None, "b"]})
COUNT = 'SELECT 0 AS "cell", COUNT(*) AS "p0", COUNT("id") AS "p1" FROM "source"'


def read(engine):
    return engine.scan(COUNT, 1, 2)[:, 0].tolist()


@pytest.mark.parametrize("frame", [TABLE, TABLE.to_batches()[0], TABLE.to_pandas(), pl.from_arrow(TABLE)])
def test_frames_are_read(frame):
    engine = DuckDB(frame, table="t")
    assert (engine.name, read(engine)) == ("t", [3, 2])


def test_a_frame_is_copied():
    frame = pd.DataFrame({"id": [1, 2, 3]})
    engine = DuckDB(frame)
    frame.loc[0, "id"] = 7
    assert engine.scan('SELECT 0, SUM("id") FROM "source"', 1, 1).tolist() == [[6]]


def test_a_column_of_mixed_objects_has_no_type():
    with pytest.raises(InvalidParameter, match="no type") as refusal:
        DuckDB(pd.DataFrame({"id": [1, "secret"]}))
    assert "secret" not in str(refusal.value)


def test_several_parquet_files_are_one_table(tmp_path):
    for place in range(3):
        pq.write_table(TABLE, tmp_path / f"people_{place}.parquet")
    engine = DuckDB(tmp_path / "people_*.parquet")
    assert (engine.name, read(engine)) == ("people", [9, 6])


def test_files_of_two_schemas_are_refused(tmp_path):
    pq.write_table(TABLE, tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": ["x"], "name": ["y"]}), tmp_path / "b.parquet")
    with pytest.raises(InvalidParameter):
        DuckDB(tmp_path / "*.parquet", table="t")


def test_a_csv_has_declared_names_and_types(tmp_path):
    (tmp_path / "t.csv").write_text('name,ID,"odd ""name"""\na,1,x\nb,text,y\nc\n"d,e",3,z\n', encoding="utf-8")
    engine = DuckDB(tmp_path / "t.csv", columns={"id": "BIGINT", 'odd "name"': "VARCHAR"})
    assert engine.columns == {"id": "BIGINT", 'odd "name"': "VARCHAR"}
    assert read(engine) == [3, 2]


@pytest.mark.parametrize("columns", [None, {"absent": "BIGINT"}, {"id": "BLOB"}, {"id": "BIGINT; DROP TABLE x"}])
def test_a_csv_without_good_declarations_is_refused(tmp_path, columns):
    (tmp_path / "t.csv").write_text("id\n1\n")
    with pytest.raises(InvalidParameter):
        DuckDB(tmp_path / "t.csv", columns=columns)


def test_a_table_of_a_database_file_is_read_and_not_written(tmp_path):
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute('CREATE TABLE "my table" AS SELECT 1 AS id UNION ALL SELECT NULL')
    engine = DuckDB(tmp_path / "x.duckdb", table="my table")
    assert read(engine) == [2, 1]
    with pytest.raises(InvalidParameter, match="table="):
        DuckDB(tmp_path / "x.duckdb")
    with pytest.raises(InvalidParameter):
        DuckDB(tmp_path / "x.duckdb", table="absent")


def test_a_text_that_is_not_utf8_does_not_fail_the_scan(tmp_path):
    broken = pa.Array.from_buffers(pa.string(), 2, pa.array([b"ok", b"\xff\xfe"], pa.binary()).buffers())
    pq.write_table(pa.table({"id": [1, 2], "name": broken}), tmp_path / "t.parquet")
    engine = DuckDB(tmp_path / "t.parquet")
    assert engine.scan("SELECT 0, COUNT(*) FROM source WHERE name <> 'x'", 1, 1).tolist() == [[2]]


def test_times_of_milliseconds_are_read(tmp_path):
    pq.write_table(
        pa.table({"t": pa.array([0], pa.timestamp("ms")), "u": pa.array([0], pa.timestamp("us"))}),
        tmp_path / "t.parquet",
    )
    assert DuckDB(tmp_path / "t.parquet").columns == {"t": "TIMESTAMP_MS", "u": "TIMESTAMP"}


def test_a_name_says_what_a_path_is(tmp_path):
    for name in ("people.json", "people", "*.parquet", "absent.csv"):
        with pytest.raises(InvalidParameter):
            source_of(tmp_path / name)


def test_a_low_memory_limit_is_enough(tmp_path):
    size = 400_000
    pq.write_table(pa.table({"id": list(range(size)), "name": ["x" * 50] * size}), tmp_path / "t.parquet")
    engine = DuckDB(
        tmp_path / "t.parquet",
        settings={"memory_limit": "40MB", "threads": 1, "temp_directory": str(tmp_path / "spill")},
    )
    assert engine.scan('SELECT 0, COUNT(*) FROM (SELECT "id", "name" FROM "source" GROUP BY ALL)', 1, 1).tolist() == [
        [size]
    ]


ODD_LINES = [
    *(
        b"me,1,x\r\n",
        b'me,1,"x"\r\n',
        b"me,1,x\ry\n",
        b"\r\n",
        b"\n",
        b"me\n",
        b"me,1,x,y,z\n",
        b'me,1,"a\r\nb"\n',
        b'me,1,"a\nb"\n',
    ),
    *(
        b'me,1,a"b\n',
        b'me,1,"a""b"\n',
        b"me,1,\xff\xfe\n",
        b"me,1,\0\n",
        b"me,1," + b"z" * 3_000_000 + b"\n",
        b"#me,1,x\n",
    ),
]


@pytest.mark.parametrize("odd", ODD_LINES, ids=[repr(line[:16]) for line in ODD_LINES])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_of_another_kind_neither_fails_a_csv_nor_moves_another_row(tmp_path, odd, end):
    """Read strictly, a line that ends in \\r\\n among others that end in \\n fails the scan or swallows the rest."""
    lines = [b"p%d,0.5,hello" % i + end for i in range(200)]
    for place in (0, 100, 200):
        (tmp_path / "t.csv").write_bytes(b"u,x,s" + end + b"".join([*lines[:place], odd, *lines[place:]]))
        engine = DuckDB(tmp_path / "t.csv", columns={"u": "VARCHAR", "x": "DOUBLE", "s": "VARCHAR"})
        others, all_rows = engine.look(
            "SELECT COUNT(*) FILTER (u LIKE 'p%' AND x = 0.5 AND s = 'hello'), COUNT(*) FROM source"
        )[0]
        assert others == 200
        assert all_rows <= 201
