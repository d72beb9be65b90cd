import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import table_places


def test_a_folder_is_one_table_of_months_or_a_table_for_each_file(tmp_path):
    for name in (
        "months/visits_2024_01.csv",
        "months/visits_2024_02.csv",
        "mixed/a.csv",
        "mixed/b.parquet",
        "mixed/x.md",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert list(table_places([str(tmp_path / "months")])) == ["months"]
    assert list(table_places([str(tmp_path / "mixed")])) == ["a", "b"]
    assert list(table_places([str(tmp_path / "mixed" / "a.csv")])) == ["a"]
    with pytest.raises(InvalidParameter, match="'a'"):
        table_places([str(tmp_path / "mixed" / "a.csv"), str(tmp_path / "mixed")])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidParameter, match="no file"):
        table_places([str(tmp_path / "empty")])


def test_months_beside_other_tables_are_one_and_files_with_other_columns_are_not(tmp_path):
    for name, head in {
        "calls_2024-01.csv": "id,seconds",
        "calls_2024-02.csv": "id,seconds",
        "people.csv": "id",
        "wave1.csv": "id,q1",
        "wave2.csv": "id,q2",
    }.items():
        (tmp_path / name).write_text(f"{head}\n", encoding="utf-8")
    places = table_places([str(tmp_path)])
    assert list(places) == ["calls", "people", "wave1", "wave2"]
    assert places["calls"] == str(tmp_path / "calls*.csv")
