import itertools
from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.curator import Facts
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.guarantees import PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.numerics import precision
from dalenius.queries import Keys, Table
from dalenius.statistics import histogram
from tests.contracts.hockey_stick import both_directions, violates


@pytest.mark.theorem("A Ex 3.4")
def test_noise_does_not_grow_with_the_number_of_keys():
    for size in (2, 50):
        assert histogram("x", range(size), epsilon=0.5).mechanism.scale == 2
        assert histogram("x", range(size), epsilon=0.5, unit=Unit.row(Relation.CHANGE_ONE)).mechanism.scale == 4


def test_every_declared_key_has_a_cell_and_no_other():
    outcome = histogram("x", ["a", "absent"], epsilon=1000).run(Table.of({"x": ["a", "b", "a"]}), Bits())
    assert outcome.columns[0].values == (2, 0)


def test_numbers_are_counted_between_edges_as_numpy_does():
    plan = histogram("x", edges=[0, 10, 20, 30], epsilon=1000)
    outcome = plan.run(Table.of({"x": [0, 9.99, 10, 30, 31, -1, None]}), Bits())
    assert outcome.columns[0].values == (2, 1, 1)
    assert outcome.keys.values == ("[0.0, 10.0)", "[10.0, 20.0)", "[20.0, 30.0]")


def test_keys_come_from_what_was_declared():
    facts = Facts.declare(keys={"x": ["a", "b"]})
    assert histogram("x", epsilon=1, about=facts).keys == Keys("x", ["a", "b"])
    with pytest.raises(UnboundedQuery, match="'x' needs public keys"):
        histogram("x", epsilon=1)
    with pytest.raises(InvalidParameter, match="not both"):
        histogram("x", ["a"], edges=[0, 1], epsilon=1)


def laws(plan, rows, reach=45):
    """log-masses of every pair of released counts near the exact ones, for two cells."""
    law, exact = plan.mechanism.noise, plan.query.evaluate(Table.of({"x": rows}))
    with precision(160):
        one, two = ([law.log_mass_ball(y - int(x)).exp() for y in range(-reach, reach)] for x in exact)
        return [p * q for p, q in itertools.product(one, two)]


@pytest.mark.theorem("A Ex 3.4")
@pytest.mark.parametrize("relation", list(Relation))
def test_the_whole_law_of_two_cells_respects_the_guarantee_on_every_neighbor(relation):
    """The hockey stick of all 8 100 outcomes near the answers: nothing is left at ε, and more is at 0.9 ε."""
    rows, epsilon = ["a", "b", "b"], Fraction(1)
    plan = histogram("x", ["a", "b"], epsilon=epsilon, unit=Unit.row(relation))
    wrong = replace(plan, mechanism=plan.mechanism.scaled(0.8))
    added = [[*rows, value] for value in ("a", "b", "c", None)] + [rows[1:], rows[:-1]]
    changed = [["b", "b", "b"], ["c", "b", "b"], ["a", "a", "b"], ["a", "b", None]]
    shown = Fraction(0)
    for other in added if relation is Relation.ADD_REMOVE else changed:
        sticks = both_directions(list(zip(laws(plan, rows), laws(plan, other), strict=True)))
        assert not violates(sticks, PureDP(epsilon), [epsilon, epsilon * 2])
        shown = max(shown, *(stick(epsilon * Fraction(9, 10))[0] for stick in sticks))
        if relation is Relation.ADD_REMOVE and other == rows[1:]:
            mutant = both_directions(list(zip(laws(wrong, rows), laws(wrong, other), strict=True)))
            assert violates(mutant, PureDP(epsilon), [epsilon])
    assert shown > Fraction(1, 100)


@pytest.mark.theorem("A Ex 3.4")
@pytest.mark.parametrize("bins", [1, 7, 100])
def test_the_noise_does_not_grow_with_the_bins(bins):
    for relation, scale in ((Relation.ADD_REMOVE, 1), (Relation.CHANGE_ONE, 1 if bins == 1 else 2)):
        plan = histogram("x", edges=range(bins + 1), epsilon="0.5", unit=Unit.row(relation))
        assert plan.mechanism.scale == 2 * scale
