import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import Policy
from dalenius.sql.policy.rows_by_table import split_rows_per_unit

FILE = """
table = "visits"
unit = "who"
[columns]
who = "BIGINT"
[tables]
people = "people.parquet"
[rows_per_unit]
visits = "many"
people = "one"
"""


def test_one_word_is_for_all_tables_and_names_tell_them_apart():
    assert split_rows_per_unit("one", "t") == ("one", {})
    assert split_rows_per_unit({"T": "many", "p": "one"}, "t") == ("many", {"p": "one"})
    assert split_rows_per_unit({"p": "one"}, "t") == (None, {"p": "one"})


@pytest.mark.parametrize("said", [{"p": 1}, {"p": "two"}, {3: "one"}])
def test_another_word_is_refused(said):
    with pytest.raises(InvalidParameter, match="'one' or 'many'"):
        split_rows_per_unit(said, "t")


def test_a_policy_keeps_what_was_said_of_each_table(tmp_path):
    (tmp_path / "policy.toml").write_text(FILE, encoding="utf-8")
    policy = Policy.load(tmp_path / "policy.toml")
    assert (policy.rows_per_unit, policy.beside.rows_per_unit) == ("many", {"people": "one"})
    policy.save(tmp_path / "again.toml")
    assert Policy.load(tmp_path / "again.toml") == policy
