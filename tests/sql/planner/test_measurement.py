from fractions import Fraction

from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Lattice
from dalenius.sql.planner.measurement import Group


def test_a_group_has_a_sensitivity_for_each_relation():
    group = Group("COUNT(*)", ("p0",), 3, 6, Lattice(-20), Fraction(1, 2))
    assert group.sensitivity(Relation.ADD_REMOVE).l1 == 3
    assert group.sensitivity(Relation.CHANGE_ONE).l1 == 6
    assert group.facts()["weight"] == "1/2"


def test_a_group_that_is_bounded_in_l2_says_so_and_nothing_of_l1():
    group = Group("COUNT(*)", ("p0",), 3, 6, Lattice(-20), Fraction(1, 2), square=10)
    assert group.sensitivity(Relation.ADD_REMOVE) == Sensitivity.root(10, Metric.L2)
    assert group.sensitivity(Relation.CHANGE_ONE) == Sensitivity.root(40, Metric.L2)
    assert group.facts()["square"] == 10
