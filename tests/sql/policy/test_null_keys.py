import pytest

import dalenius
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.sql import Policy
from dalenius.sql.policy.null_keys import split_nulls

COLUMNS = {"who": "BIGINT", "k": "VARCHAR", "d": "DATE", "x": "DOUBLE"}


def test_none_among_keys_and_the_list_are_two_spellings_of_one_fact():
    spelt = Policy.declare("t", COLUMNS, unit="who", keys={"K": ["a", None], "d": [None]})
    listed = Policy.declare("t", COLUMNS, unit="who", keys={"k": ["a"]}, null_keys=["k", "D"])
    assert spelt == listed
    assert listed.null_keys == ("k", "d")
    assert listed.keys["k"].values == ("a",)


def test_a_file_keeps_null_keys_of_all_tables(tmp_path):
    policy = Policy.declare("t", COLUMNS, unit="who", keys={"k": ["a", None]}, null_keys=["x"])
    policy.save(tmp_path / "policy.toml")
    assert 'null_keys = ["x", "k"]' in (tmp_path / "policy.toml").read_text(encoding="utf-8")
    assert Policy.load(tmp_path / "policy.toml") == policy
    text = policy.to_toml().replace('["x", "k"]', '["x", "k", "b.g"]') + '[tables]\nb = "b.parquet"\n'
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    both = Policy.load(tmp_path / "policy.toml")
    assert both.null_keys == ("x", "k")
    assert both.beside.declared.null_keys == ("b.g",)
    (tmp_path / "again.toml").write_text(both.to_toml(), encoding="utf-8")
    assert Policy.load(tmp_path / "again.toml") == both


def test_a_policy_without_null_keys_does_not_name_them():
    assert "null_keys" not in Policy.declare("t", COLUMNS, unit="who", keys={"k": ["a"]}).to_toml()


@pytest.mark.parametrize("null_keys", ["k", 3, [1], ["who"], ["zz"]])
def test_what_names_no_column_to_group_by_is_refused(null_keys):
    with pytest.raises((InvalidParameter, UnknownName)):
        Policy.declare("t", COLUMNS, unit="who", null_keys=null_keys)


def test_none_is_named_once():
    with pytest.raises(InvalidParameter, match="None once"):
        split_nulls({"k": ["a", None, None]})


def test_connect_takes_both_spellings(tmp_path):
    import pyarrow as pa

    rows = pa.table({"who": [1, 2, 3], "k": ["a", None, "b"], "x": [1.0, None, 3.0]})
    terms = {"table": "t", "unit": "who", "contributions": 1, "budget": {"epsilon": 10**6}, "bounds": {"x": (0, 3)}}
    spelt = dalenius.connect(rows, ledger=tmp_path / "a", keys={"k": ["a", None]}, null_keys=["x"], **terms)
    keys = spelt.sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k", epsilon=1000).to_arrow()["k"].to_pylist()
    assert keys == ["a", None]
    halves = spelt.sql("SELECT FLOOR(x) AS f, COUNT(*) AS n FROM t GROUP BY 1", epsilon=1000).to_arrow()
    assert halves["f"].to_pylist()[-1] is None
    assert round(halves["n"].to_pylist()[-1]) == 1
