from fractions import Fraction

import pytest

from dalenius.curator import Measured, Outcome
from dalenius.curator.outcome import shown, shown_above
from dalenius.mechanisms import Geometric
from dalenius.noise import Lattice
from dalenius.queries import Keys

WHOLE = Measured("n", (5, -1, 7), Lattice(0), Geometric(Fraction(10)))
FINE = Measured("n", (2**20, 3 * 2**19), Lattice(-20), Geometric(Fraction(10 * 2**20)))


def test_values_are_whole_where_the_lattice_is():
    assert WHOLE.values == (5, -1, 7)
    assert all(type(value) is int for value in WHOLE.values)
    assert FINE.values == (1.0, 1.5)


def test_accuracy_is_the_mechanisms_in_the_units_of_the_values():
    assert WHOLE.accuracy(0.05) == Geometric(Fraction(10)).accuracy(0.05)
    assert Fraction(FINE.accuracy(0.05)) >= Geometric(Fraction(10 * 2**20)).accuracy(0.05) / 2**20
    assert FINE.accuracy(0.05) == pytest.approx(10 * 2.9957, abs=0.01)


@pytest.mark.theorem("D Def 2.1")
def test_a_joint_statement_is_wider_than_one_for_each_cell():
    assert WHOLE.accuracy(0.05, 3) > WHOLE.accuracy(0.05)
    (alone, *_), (together, *_) = WHOLE.interval(0.95), WHOLE.interval(0.95, 3)
    assert together[0] < alone[0] < alone[1] < together[1]


@pytest.mark.parametrize("outcome", [Outcome((WHOLE,), Keys("k", ["a", "b", 3])), Outcome((FINE, WHOLE))])
def test_an_outcome_comes_back_from_json(outcome):
    assert Outcome.from_dict(outcome.to_dict()) == outcome


def test_numbers_are_shown_for_people_and_errors_rounded_up():
    assert [shown(7), shown(1.23456), shown("x")] == ["7", "1.235", "x"]
    assert [shown_above(7), shown_above(1.2341)] == ["7", "1.235"]


@pytest.mark.parametrize("radius", [1e15, 1e16, 1e30, 1.00001e30, 1.7e308])
def test_a_radius_of_any_size_is_shown_and_rounded_up(radius):
    assert shown_above(1.00001) == "1.001"
    assert radius <= float(shown_above(radius)) <= radius * 1.002
    assert len(shown_above(radius)) < 25
