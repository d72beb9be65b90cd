import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Count, Keys, Table
from tests.queries.neighbors import distances

POOL = ["a", "b", "c", None, math.nan, 1, 2.5, True, b"a", ("a",)]
ROWS = st.lists(st.sampled_from(POOL), max_size=5)
KEYS = [None, Keys("x", ["a"]), Keys("x", ["a", "b"]), Keys("x", ["a", 1, "absent"])]
UNITS = [Unit.row(), Unit.row(Relation.CHANGE_ONE)]


@pytest.mark.theorem("A Ex 3.3", "A Ex 3.4", "A Def 3.4")
@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@settings(max_examples=30)
@given(rows=ROWS)
def test_no_neighbor_is_further_away_than_the_sensitivity(keys, unit, rows):
    query = Count(keys)
    assert max(distances(query, rows, POOL, unit), default=0) <= query.sensitivity(unit).l1


@pytest.mark.theorem("A Ex 3.4")
@pytest.mark.parametrize(("unit", "value"), list(zip(UNITS, [1, 2], strict=True)), ids=["add-remove", "change-one"])
def test_a_histogram_has_sensitivity_1_or_2_and_attains_it(unit, value):
    query = Count(Keys("x", ["a", "b", "c"]))
    assert query.sensitivity(unit).l1 == value == max(distances(query, ["a", "b"], POOL, unit))


@pytest.mark.parametrize(
    "column",
    [
        np.array(["a", "b", "a"]),
        np.array(["a", "b", "a"], object),
        np.array(["a", None, "b", math.nan, [], "a"], object),
    ],
)
def test_text_is_counted_whatever_stands_beside_it(column):
    assert Count(Keys("x", ["b", "a", "z"])).evaluate(Table({"x": column})).tolist() == [1, 2, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64, object])
def test_numbers_are_counted_in_every_type(dtype):
    column = np.array([1, 2, 1, 3], dtype)
    assert Count(Keys("x", [1, 2, 300, "1"])).evaluate(Table({"x": column})).tolist() == [2, 1, 0, 0]


def test_a_unit_with_many_rows_is_refused_with_the_remedy():
    with pytest.raises(UnboundedQuery, match="contributions"):
        Count().sensitivity(Unit("user_id"))


def test_facts_hold_the_keys():
    assert Count(Keys("x", ["a"])).facts() == {"query": "count", "keys": {"column": "x", "values": ["a"]}}
    assert str(Count(Keys("x", ["a"]))) == "COUNT(*) for each of 1 values of x"


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int64, object])
def test_no_row_falls_in_two_cells(kind):
    """Else one row would move the answer by more than its sensitivity."""
    near = Keys("x", [0.1, 0.1 + 1e-12, float(np.float32(0.1)), float(np.float16(0.1)), 1, 1.0000001])
    rows = np.array([0.1, 1, 1.0000001, 0.1], kind)
    assert Count(near).evaluate(Table.of({"x": rows})).sum() <= len(rows)


@pytest.mark.parametrize(
    "column",
    [np.array([0x7F800001, 0x3F800000], np.uint32).view(np.float32), np.array(["1e4000", "1"], np.longdouble)],
    ids=["signalling NaN", "beyond float64"],
)
def test_no_row_makes_a_warning(column):
    """The suite turns warnings into errors; a user sees them, and they tell of a row."""
    assert Count(Keys("x", [1])).evaluate(Table({"x": column})).tolist() == [1]
