import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.noise import Bits
from dalenius.queries import Distinct, DistinctUnits, Keys, Table
from dalenius.statistics import count_distinct

VIEW = Table.of({"x": ["a", "b", "a", None, "c"], "u": [1, 1, 2, 2, None], "g": [0, 1, 0, 0, 0]})


def told(plan):
    return plan.run(VIEW, Bits()).columns[0].values


def test_values_are_counted_once():
    assert told(count_distinct("x", epsilon=1e4)) == (3,)
    assert told(count_distinct("x", epsilon=1e4, by=Keys("g", [0, 1]))) == (2, 1)


def test_units_are_counted_once_and_need_no_contributions():
    plan = count_distinct(epsilon=1e4, unit="u")
    assert isinstance(plan.query, DistinctUnits)
    assert plan.mechanism.scale * 10_000 == 1
    assert told(plan) == (2,)
    assert told(count_distinct("u", epsilon=1e4, unit="u")) == (2,)


def test_units_by_key_count_in_as_many_groups_as_declared():
    plan = count_distinct(epsilon=1e8, unit="u", by=Keys("g", [0, 1]), contributions=2)
    assert told(plan) == pytest.approx((2, 1), abs=1e-3)
    with pytest.raises(UnboundedQuery, match="contributions"):
        count_distinct(epsilon=1, unit="u", by=Keys("g", [0, 1]))


def test_values_of_a_person_need_contributions():
    plan = count_distinct("x", epsilon=1, unit="u", contributions=3)
    assert isinstance(plan.query, Distinct)
    assert plan.mechanism.scale == 3
    with pytest.raises(UnboundedQuery, match="contributions"):
        count_distinct("x", epsilon=1, unit="u")


def test_a_column_is_named_where_rows_are_the_units():
    with pytest.raises(InvalidParameter, match="name the column"):
        count_distinct(epsilon=1)
