import itertools
import math
from decimal import Decimal

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.queries import Keys, Table
from dalenius.queries.groups import Groups

ODD = [
    None,
    math.nan,
    math.inf,
    2**53,
    -(2.0**60),
    b"x",
    Decimal(1),
    "\ud800",
    [1],
    np.datetime64("2020-01-01"),
    10**400,
]


def counts(query, data):
    values, units = query.evaluate(Table.of(data))
    return dict(zip(values, units.tolist(), strict=True))


def test_values_are_counted_once_for_each_unit_and_written_one_way():
    assert counts(Groups("x"), {"x": ["a", "b", "a", 1, 1.0, True, -0.0, 0.5]}) == {0: 1, 0.5: 1, 1: 3, "a": 2, "b": 1}
    data = {"x": ["a", "a", "b", "a"], "u": [1, 1, 2, 2]}
    assert counts(Groups("x", "u", 2), data) == {"a": 2, "b": 1}


@pytest.mark.filterwarnings("error")
def test_what_no_key_could_be_is_in_no_group():
    assert counts(Groups("x"), {"x": [*ODD, "fine"]}) == {"fine": 1}
    assert counts(Groups("x"), {"x": np.array([1.5, np.nan, np.inf, 2.0**53])}) == {1.5: 1}
    assert counts(Groups("x"), {"x": np.array([2**63 - 1, 7])}) == {7: 1}
    assert counts(Groups("x", "u"), {"x": ["a", "b"], "u": [None, 1]}) == {"a": 0, "b": 1}  # and 0 is never named


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("column", ["x", "u"])
def test_odd_units_and_odd_values_of_units_are_no_trouble(column):
    data = {"x": ["a"] * (len(ODD) + 1), "u": list(range(len(ODD) + 1))} | {column: [*ODD, "fine"]}
    found = counts(Groups("x", "u", 2), data)
    nobody = 4  # NULL, NaN, a list, and numpy's date among objects
    assert sum(found.values()) == (1 if column == "x" else len(ODD) + 1 - nobody)


@pytest.mark.parametrize("kind", [object, np.float32, np.int8, bool])
def test_how_a_column_is_stored_does_not_show(kind):
    found, _ = Groups("x").evaluate(Table.of({"x": np.array([1, 0, 1], kind)}))
    assert [(type(value), value) for value in found] == [(int, 0), (int, 1)]


def test_every_value_found_can_be_a_key():
    rows = ["a", "", "é", 3, -2.5, True, 2**53 - 1, *ODD]
    values, _ = Groups("x").evaluate(Table.of({"x": rows}))
    assert len(Keys("x", values)) == 7


def test_values_come_in_their_own_order_whatever_that_of_rows():
    rows = ["b", 2, "a", 10, 0.5]
    found = {tuple(Groups("x").evaluate(Table.of({"x": list(order)}))[0]) for order in itertools.permutations(rows)}
    assert found == {(0.5, 2, 10, "a", "b")}


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_unit_is_in_so_many_groups_and_moves_no_other_units(most):
    query = Groups("x", "u", most)
    others = {"x": list("abcabcdd"), "u": [1, 1, 1, 2, 2, 2, 3, 4]}
    before = counts(query, others)
    for rows in itertools.product("abcde", repeat=4):
        after = counts(query, {"x": [*others["x"], *rows], "u": [*others["u"], 9, 9, 9, 9]})
        moved = [after.get(value, 0) - before.get(value, 0) for value in set(before) | set(after)]
        assert set(moved) <= {0, 1}
        assert sum(moved) == min(most, len(set(rows)))


def test_a_bound_that_looks_at_the_first_rows_in_the_table_would_be_caught():
    # the kept groups are those of a public hash: the order of rows does not show
    query = Groups("x", "u", 1)
    tables = [{"x": list(order), "u": [1, 1, 1]} for order in itertools.permutations("abc")]
    assert len({tuple(sorted(counts(query, table).items())) for table in tables}) == 1


def test_units_prefer_different_groups_and_the_salt_says_which():
    data = {"x": np.tile(np.arange(4), 500), "u": np.repeat(np.arange(500), 4)}
    kept = counts(Groups("x", "u", 1), data)
    assert all(70 < count < 180 for count in kept.values())  # 125 ± 9.7: more than five standard deviations
    assert kept != counts(Groups("x", "u", 1, "other"), data)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Groups(""),
        lambda: Groups("x", "u", 0),
        lambda: Groups("x", "u", True),
        lambda: Groups("x", None, 2),
        lambda: Groups("x", salt=1),
        lambda: Groups("x", "u").check(Unit.row()),
    ],
)
def test_bad_groups_are_refused(build):
    with pytest.raises(InvalidParameter):
        build()


def test_without_rows_there_is_no_group():
    assert counts(Groups("x"), {"x": []}) == {}
    assert counts(Groups("x", "u", 2), {"x": [], "u": []}) == {}
    assert "salt" in Groups("x").facts()
    assert "x" in str(Groups("x"))
