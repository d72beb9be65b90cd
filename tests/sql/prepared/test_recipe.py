import duckdb
import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.policy.policy import Policy
from dalenius.sql.prepared.recipe import Preparation
from tests.sql.error_channel import extremes
from tests.sql.sensitivity import grammar, worlds

KEY = "5a" * 32


def prepared(rows, policy):
    with duckdb.connect() as connection:
        connection.execute("SET ieee_floating_point_ops = true")
        connection.register("arrived", rows)
        connection.execute('CREATE TABLE "source" AS SELECT * FROM arrived')
        return connection.sql(Preparation.of(policy).statement(KEY)).to_arrow_table()


def test_light_units_keep_all_their_rows_and_heavy_ones_as_many_as_declared():
    rows = [(who, "a", *[None] * 8) for who, size in ((1, 5), (2, 3), (3, 1), (None, 7)) for _ in range(size)]
    kept = prepared(worlds.table([rows]), grammar.policy("who", 3))
    assert sorted(kept["who"].to_pylist()) == [1, 1, 1, 2, 2, 2, 3]


def test_keys_are_numbered_and_numbers_are_held_in_bounds():
    rows = [
        (who, key, None, x, *[None] * 6) for who, (key, x) in enumerate([("it's", 99.0), ("other", -1.0), ("a", None)])
    ]
    policy = grammar.policy("who", 3)
    kept = prepared(worlds.table([rows]), policy).sort_by("who").to_pydict()
    assert kept[number_of(policy, "k")] == [2, None, 0]
    columns = Preparation.of(policy).wholes
    around, between = (name for text, name in columns.items() if '"source"."x"' in text)
    assert [None if value is None else value / 2**27 for value in kept[around]] == [7, -1, None]  # 30 digits for 7
    assert [None if value is None else value / 2**26 for value in kept[between]] == [10, 2, None]  # from −3 on


def number_of(policy, column):
    numbers = Preparation.of(policy).numbers
    return next(name for text, name in numbers.items() if text.startswith(f'"source"."{column}" '))


def test_null_has_a_number_where_it_is_a_key():
    rows = [(who, key, *[None] * 8) for who, key in enumerate(["it's", "other", None])]
    policy = grammar.policy("who", 3, null_keys=["k"])
    kept = prepared(worlds.table([rows]), policy).sort_by("who").to_pydict()
    assert kept[number_of(policy, "k")] == [2, None, 3]


def test_no_value_makes_it_fail_and_rows_that_are_equal_to_queries_are_equal():
    kept = prepared(pa.table(extremes.person(1)), grammar.policy("who", 4))
    assert kept["who"].to_pylist() == [1] * 4
    zeros = [(1, "a", None, x, *[None] * 6) for x in (0.0, -0.0)]
    again = prepared(worlds.table([zeros]), grammar.policy("who", 2))
    assert list(map(str, again["x"].to_pylist())) == ["0.0", "0.0"]


def test_rows_need_a_unit_and_columns_need_names_of_their_own():
    with pytest.raises(InvalidParameter, match="nothing to prepare"):
        Preparation.of(grammar.policy("row"))
    clash = {"who": "BIGINT", "k": "VARCHAR", "Prepared number 0": "BIGINT"}
    with pytest.raises(InvalidParameter, match="another name"):
        Preparation.of(Policy.declare("t", clash, unit="who", contributions=1, keys={"k": ["a"]}))
