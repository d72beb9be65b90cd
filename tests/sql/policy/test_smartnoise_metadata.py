import sys

import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.policy.smartnoise_metadata import LARGEST, read_tables

COLUMN = {"type": "int"}


def test_schemas_are_read_and_older_files_without_them_too(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("engine: postgres\n'':\n  s:\n    t:\n      rows: 5\n      a: {type: int, private_id: yes}\n")
    (table,) = read_tables(path)
    assert (table.name, table.schema, table.settings, table.private_ids) == ("t", "s", {"rows": 5}, ("a",))
    (old,) = read_tables({"c": {"t": {"max_ids": 1, "a": COLUMN}}})
    assert (old.name, old.schema, set(old.columns)) == ("t", "", {"a"})


def test_a_column_may_be_called_like_a_setting():
    (table,) = read_tables({"c": {"s": {"t": {"rows": COLUMN, "max_ids": 3}}}})
    assert set(table.columns) == {"rows"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a: [1", "not a YAML file at line"),
        ("!!python/object/apply:os.system ['true']", "not a YAML file"),
        ("[" * 5000, "not a YAML file"),
        ("c: {s: {t: {a: {type: int, lower: " + "9" * 5000 + "}}}}", "not a YAML file"),
        ("just text", "must be a YAML mapping"),
        ("a: {}\nb: {}", "one collection, got 2"),
        ("c: {}", "names no table"),
        ("c: {s: {t: {on: {type: int}}}}", "put it in quotes"),
        ("c: {s: {t: 5}}", "no column with a type"),
        ("c: {s: {t: {a: {type: int}, nonsense: 4}}}", "'nonsense' of table 't' is neither"),
        ("c: {s: {t: {a: {type: int, private_id: 'False'}}}}", "private_id of 'a' must be True or False"),
        ("c: {s: {t: {a: {type: int}}}, r: {T: {a: {type: int}}}}", "two tables"),
        ("#" * (LARGEST + 1), "larger than"),
    ],
)
def test_what_is_no_metadata_is_refused_by_name(tmp_path, content, said):
    path = tmp_path / "m.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidParameter, match=said):
        read_tables(path)


def test_nested_aliases_are_never_written_out(tmp_path):
    path = tmp_path / "m.yaml"
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidParameter, match="one collection, got 20"):
        read_tables(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidParameter, match="no metadata"):
        read_tables(tmp_path / "none.yaml")


def test_without_its_parser_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InvalidParameter, match=r"dalenius\[smartnoise\]"):
        read_tables(tmp_path / "m.yaml")
