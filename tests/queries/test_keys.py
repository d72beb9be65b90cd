import json
import math

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.queries import Keys


def test_keys_keep_their_order():
    assert Keys("x", ["b", "a"]).values == ("b", "a")
    assert len(Keys("x", range(3))) == 3


def test_numpy_scalars_become_plain_values():
    assert all(type(value) is int for value in Keys("x", np.array([1, 2])).values)


def test_no_keys_is_no_bound():
    with pytest.raises(UnboundedQuery, match="declared"):
        Keys("x", [])


@pytest.mark.parametrize(
    "values", ["abc", 3, None, [None, None], [math.nan], [math.inf], [["a"]], [2**53], [1, 1], [1, True], ["\ud800"]]
)
def test_what_cannot_name_a_cell_is_refused(values):
    with pytest.raises(InvalidParameter, match="'x'"):
        Keys("x", values)


def test_a_product_has_a_cell_for_every_combination():
    keys = Keys.product(Keys("sex", ["f", "m"]), Keys("year", [1, 2, 3]))
    assert keys.columns == ("sex", "year")
    assert keys.rows == keys.values == (("f", 1), ("f", 2), ("f", 3), ("m", 1), ("m", 2), ("m", 3))
    assert len(keys) == 6
    assert str(keys) == "6 values of sex, year"
    with pytest.raises(InvalidParameter, match="2 columns"):
        keys.column  # noqa: B018


@pytest.mark.parametrize(
    "keys",
    [
        Keys("x", ["a", 1, 2.5, False]),
        Keys("x", ["a", None]),
        Keys.product(Keys("x", ["a", None]), Keys("y", [None, 2])),
        Keys.product(Keys("x", ["a"]), Keys("y", [1, 2])),
        Keys.among(["a", "b"], [(1, 2)]),
    ],
    ids=repr,
)
def test_facts_give_the_keys_back(keys):
    assert Keys.from_facts(json.loads(json.dumps(keys.facts()))) == keys


@pytest.mark.parametrize(
    ("columns", "rows"),
    [("ab", [(1, 2)]), ([], [()]), (["a", "a"], [(1, 2)]), (["a", "b"], [(1,)]), (["a", "b"], [(1, 2), (True, 2.0)])],
)
def test_combinations_that_name_no_cell_are_refused(columns, rows):
    with pytest.raises(InvalidParameter):
        Keys.among(columns, rows)
    with pytest.raises(UnboundedQuery):
        Keys.among(["a", "b"], [])


def test_keys_that_a_search_did_not_find_are_kept_as_none():
    none = Keys.none("x")
    assert len(none) == 0
    assert none.values == ()
    assert Keys.from_facts(none.facts()) == none
    assert none != Keys.none("y")
