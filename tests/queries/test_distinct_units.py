import pytest

from dalenius.neighbors import Relation, Unit
from dalenius.queries import ONE, Contributions, DistinctUnits, Keys, Table

TABLE = Table.of({"u": [1, 1, 1, "p", "p", None, 2**63], "k": ["a", "a", "b", "a", "z", "a", "c"]})


def test_units_are_counted_once_however_many_rows_they_have():
    assert DistinctUnits(Contributions("u", 1)).evaluate(TABLE).tolist() == [3]
    assert DistinctUnits(Contributions("u", 1)).evaluate(Table.of({"u": []})).tolist() == [0]


def test_a_unit_in_several_groups_shares_its_weight():
    keys = Keys("k", ["a", "b", "c", "d"])
    assert DistinctUnits(Contributions("u", 1), keys).evaluate(TABLE).tolist() == [ONE * 3 // 2, ONE // 2, ONE, 0]
    assert DistinctUnits(Contributions("u", 2), keys).evaluate(TABLE).tolist() == [2 * ONE, ONE, ONE, 0]


@pytest.mark.theorem("A Ex 3.3")
def test_one_unit_is_one():
    query = DistinctUnits(Contributions("u", 5))
    assert [query.sensitivity(Unit("u", relation)).l1 for relation in Relation] == [1, 1]
    by_key = DistinctUnits(Contributions("u", 5), Keys("k", ["a", "b"]))
    assert [by_key.sensitivity(Unit("u", relation)).l1 / ONE for relation in Relation] == [5, 10]
