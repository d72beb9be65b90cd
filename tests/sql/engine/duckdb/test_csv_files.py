import gzip

import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import FileFormat
from dalenius.sql.engine import DuckDB

COLUMNS = {"Größe": "DOUBLE", "Tag": "DATE", "Name": "VARCHAR", "n": "BIGINT"}
EUROPEAN = FileFormat(delimiter=";", decimal=",", dates="%d.%m.%Y", encoding="latin-1", nulls=("k.A.",))
LINES = "Größe;Tag;Name;n\n1.234,50;31.01.2024;Käthe;1.000\n12.5;2024-01-31;k.A.;1,5\nk.A.;1.2.2024;x;7,0\n"


def rows(engine):
    return engine.look('SELECT "Größe", CAST("Tag" AS VARCHAR), "Name", n FROM source')


def test_declared_rules_read_each_row_by_itself(tmp_path):
    (tmp_path / "t.csv").write_bytes(LINES.encode("latin-1"))
    engine = DuckDB(tmp_path / "t.csv", columns=COLUMNS, written=EUROPEAN)
    assert rows(engine) == [
        (1234.5, "2024-01-31", "Käthe", 1000),
        (None, None, None, None),
        (None, "2024-02-01", "x", 7),
    ]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zst"])
def test_compressed_files_hold_the_same_rows_and_are_checked_line_by_line(tmp_path, name):
    def write(text):
        if name.endswith("gz"):
            (tmp_path / name).write_bytes(gzip.compress(text))
        else:
            with pa.output_stream(str(tmp_path / name), compression="zstd") as file:
                file.write(text)

    write(LINES.encode("latin-1"))
    engine = DuckDB(tmp_path / name, columns=COLUMNS, written=EUROPEAN)
    assert (engine.name, len(rows(engine))) == ("t", 3)
    engine.check_lines()
    write((LINES + '1;31.01.2024;"open;7\n').encode("latin-1"))
    with pytest.raises(InvalidParameter, match="hide others"):
        DuckDB(tmp_path / name, columns=COLUMNS, written=EUROPEAN).check_lines()


def test_a_folder_of_months_is_one_table_whatever_the_order_of_its_columns(tmp_path):
    folder = tmp_path / "visits"
    folder.mkdir()
    (folder / "2024_01.csv").write_text("who,x\n1,2\n", encoding="utf-8")
    (folder / "2024_02.csv").write_text("x,who\n3,1\n", encoding="utf-8")
    (folder / ".hidden").write_text("", encoding="utf-8")
    engine = DuckDB(folder, columns={"who": "BIGINT", "x": "DOUBLE"})
    assert engine.name == "visits"
    assert sorted(engine.look("SELECT who, x FROM source")) == [(1, 2.0), (1, 3.0)]
    (folder / "2024_03.parquet").write_bytes(b"")
    with pytest.raises(InvalidParameter, match="files of one kind"):
        DuckDB(folder, columns={"who": "BIGINT"})


def test_a_wrong_delimiter_is_told_with_its_remedy(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    with pytest.raises(InvalidParameter, match="is its delimiter ';'"):
        DuckDB(tmp_path / "t.csv", columns={"a": "BIGINT"})
