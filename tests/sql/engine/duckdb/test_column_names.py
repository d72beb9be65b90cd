import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from dalenius.sql.engine import column_names


def test_names_of_frames_and_files_come_from_outside_of_rows(tmp_path):
    table = pa.table({"Who": [1], "x": [2]})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("Who;x\n1;2\n", encoding="utf-8")
    for data in (table, pl.from_arrow(table), table.to_pandas(), tmp_path / "t.parquet"):
        assert column_names(data) == {"who", "x"}
    assert {"who", "x"} <= column_names(tmp_path / "t.csv")
    assert "who" in column_names(pd.DataFrame({"x": [1]}, index=pd.Index([1], name="Who")))
    (tmp_path / "t.xlsx").write_bytes(b"")
    assert column_names(tmp_path / "t.xlsx") == set()
