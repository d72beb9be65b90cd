import json

import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.engine import guess_file


def test_types_of_a_csv_are_guessed_from_all_rows_and_those_of_other_files_are_not(tmp_path):
    lines = ["id,amount,day,odd", *["1,2.5,2024-01-31,3"] * 500, *["2,3,2024-02-01,three"] * 100]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    assert guess_file(tmp_path / "t.csv").columns == {
        **{"id": "BIGINT", "amount": "DOUBLE"},
        **{"day": "DATE", "odd": "VARCHAR"},
    }
    (tmp_path / "t.parquet").write_bytes(b"")
    assert guess_file(tmp_path / "t.parquet") is None


def test_a_european_file_is_told_by_its_marks_letters_and_dates(tmp_path):
    (tmp_path / "t.csv").write_bytes("id;Größe;Tag\n1;1.234,50;31.01.2024\n2;2,5;01.02.2024\n".encode("latin-1"))
    guess = guess_file(tmp_path / "t.csv")
    assert guess.columns == {"id": "BIGINT", "Größe": "DOUBLE", "Tag": "DATE"}
    assert guess.written.to_terms() == {
        **{"delimiter": ";", "decimal": ",", "dates": "%d.%m.%Y"},
        "encoding": "latin-1",
    }


def test_json_is_guessed_value_by_value(tmp_path):
    rows = [{"a": 1, "b": 2.5, "d": "2024-01-31", "s": "x", "f": True}] * 20 + [{"a": "odd"}]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    guess = guess_file(tmp_path / "t.jsonl")
    assert guess.columns == {"a": "BIGINT", "b": "DOUBLE", "d": "DATE", "s": "VARCHAR", "f": "BOOLEAN"}
    assert guess.dirt == {"a": ["1 value is not of the type BIGINT and is read as NULL"]}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("t.csv", b"1,2\n3,4\n", "numbers"),
        ("t.csv", b"", "first line"),
        ("t.csv", b"\xff\xfea\x00", "UTF-16"),
        ("t.jsonl", b"x\n", "JSON"),
    ],
)
def test_what_cannot_be_a_table_is_refused_with_its_remedy(tmp_path, name, text, told):
    (tmp_path / name).write_bytes(text)
    with pytest.raises(InvalidParameter, match=told):
        guess_file(tmp_path / name)
    with pytest.raises(InvalidParameter, match="no file"):
        guess_file(tmp_path / "absent.csv")
