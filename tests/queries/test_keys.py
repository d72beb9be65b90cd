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
    "values", ["abc", 3, None, [None], [math.nan], [math.inf], [["a"]], [2**53], [1, 1], [1, True], ["\ud800"]]
)
def test_what_cannot_name_a_cell_is_refused(values):
    with pytest.raises(InvalidParameter, match="'x'"):
        Keys("x", values)


def test_keys_that_a_search_did_not_find_are_kept_as_none():
    none = Keys.none("x")
    assert len(none) == 0
    assert none.values == ()
    assert Keys.from_facts(none.facts()) == none
    assert none != Keys.none("y")
