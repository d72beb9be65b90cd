import copy
import pickle

import pytest

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Nodes, Relation, Unit


def test_unit_is_written_as_people_write_it():
    assert Unit.of("row") == Unit.row() == Unit(None, Relation.ADD_REMOVE)
    assert Unit.of("user_id") == Unit("user_id")
    assert Unit.of(Unit("user_id")) == Unit("user_id")
    assert Unit.of("user_id", Relation.CHANGE_ONE) == Unit("user_id", Relation.CHANGE_ONE)
    assert Unit.of(Unit("user_id"), Relation.CHANGE_ONE) == Unit("user_id", Relation.CHANGE_ONE)


@pytest.mark.parametrize("bad", [None, "", 7, b"user", ["user"], True])
def test_what_names_no_unit_is_refused(bad):
    with pytest.raises(InvalidParameter, match="unit must be"):
        Unit.of(bad)


def test_a_column_called_row_cannot_pass_for_one_row_each():
    with pytest.raises(InvalidParameter, match="rename it"):
        Unit("row")


@pytest.mark.parametrize("bad", ["add-remove", None, 1])
def test_relation_is_a_relation(bad):
    with pytest.raises(InvalidParameter, match="relation"):
        Unit("user_id", bad)


def test_unlike_units_differ_in_name_or_relation():
    units = [Unit(column, relation) for column in (None, "a", "b") for relation in Relation]
    assert len({(unit.name, unit.relation) for unit in units}) == len(set(units)) == 6


def test_unit_is_a_plain_value():
    unit = Unit("user_id", Relation.CHANGE_ONE)
    assert pickle.loads(pickle.dumps(unit)) == copy.deepcopy(unit) == unit
    assert str(unit) == "each user_id (change-one)"
    with pytest.raises(AttributeError):
        unit.column = "other"


def test_nodes_are_two_columns_apart_from_every_column():
    nodes = Unit.of(("caller", "callee"))
    assert nodes == Nodes("caller", "callee") == Unit.of(["caller", "callee"]) != Unit("caller")
    assert nodes != Nodes("callee", "caller")
    assert Unit.of(nodes, Relation.CHANGE_ONE) == Nodes("caller", "callee", Relation.CHANGE_ONE)
    assert Unit.stored(nodes.column, nodes.relation) == nodes == pickle.loads(pickle.dumps(nodes))
    odd = Nodes('a", "b', "ü")
    assert Unit.stored(odd.column, odd.relation) == odd
    assert str(nodes) == "each node, by caller or callee (add-remove)"
    with pytest.raises(InvalidParameter, match="rename it"):
        Unit(nodes.column)
    for bad in (("a",), ("a", "a"), ("a", ""), ("a", 3), ("a", "b", "c")):
        with pytest.raises(InvalidParameter, match="unit must be"):
            Unit.of(bad)
    for damaged in ("nodes: ", "nodes: [", 'nodes: ["a"]'):
        with pytest.raises(InvalidParameter):
            Unit.stored(damaged, Relation.ADD_REMOVE)
