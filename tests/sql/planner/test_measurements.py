import json
from dataclasses import replace
from fractions import Fraction

from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Lattice
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.measurements import Measurement, QuantileChoice
from tests.sql.sensitivity.grammar import policy

RANK = QuantileChoice(
    "MEDIAN(x)", ("p0",), (Fraction(1, 2),), Fraction(0), Fraction(1), 4096, 3, 1, "SELECT", Fraction(1)
)


def test_a_group_has_a_sensitivity_for_each_relation():
    group = Measurement("COUNT(*)", ("p0",), 3, 6, Lattice(-20), Fraction(1, 2))
    assert group.sensitivity(Relation.ADD_REMOVE).l1 == 3
    assert group.sensitivity(Relation.CHANGE_ONE).l1 == 6
    assert group.facts()["weight"] == "1/2"


def test_a_group_that_is_bounded_in_l2_says_so_and_nothing_of_l1():
    group = Measurement("COUNT(*)", ("p0",), 3, 6, Lattice(-20), Fraction(1, 2), square=10)
    assert group.sensitivity(Relation.ADD_REMOVE) == Sensitivity.root(10, Metric.L2)
    assert group.sensitivity(Relation.CHANGE_ONE) == Sensitivity.root(40, Metric.L2)
    assert group.facts()["square"] == 10


def test_facts_tell_quantiles_apart():
    assert RANK.facts() != replace(RANK, levels=(Fraction(1, 4),)).facts()
    assert RANK.facts() != replace(RANK, share=Fraction(1, 4)).facts()


def test_facts_of_a_mode_are_json_and_hold_all_that_the_choice_depends_on():
    (mode,) = compile_query("SELECT MODE(k) FROM t", policy()).modes
    facts = json.loads(json.dumps(mode.facts()))
    assert facts["values"] == ["a", "b", "it's"]
    assert set(facts) == {"question", "part", "values", "scan", "steps", "row", "share"}


def test_facts_of_the_largest_cells_are_json_and_hold_all_that_the_choice_depends_on():
    top = compile_query("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 2", policy()).top
    facts = json.loads(json.dumps(top.facts()))
    assert (facts["k"], facts["lattice"], facts["steps"]) == (2, -20, 2 * 2**20)
    assert set(facts) == {"question", "part", "k", "scan", "steps", "lattice"}
