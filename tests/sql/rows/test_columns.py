import math

import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.rows.columns import column
from tests.sql.rows.reading import ROW, read, value


def test_odd_numbers_follow_the_declared_rules():
    odd = {**ROW, "x": math.nan, "y": math.inf}
    assert value("x", odd) is None
    assert value("y", odd) == math.inf
    assert value("y", odd, infinity="null") is None
    assert value("x", odd, fill={"x": 4}) == 4


def test_keys_and_bounds_are_those_declared():
    assert read("k").values == ("a", "b", "it's")
    assert read("flag").values == (False, True)
    assert read("x").bounds == (-3, 7)
    assert read("who").bounds is None


def test_a_column_of_a_type_that_the_language_lacks_is_refused():
    with pytest.raises(UnsupportedQuery, match="BLOB"):
        column("b", Policy.declare("t", {"b": "BLOB"}, unit="row"))
