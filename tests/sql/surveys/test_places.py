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
