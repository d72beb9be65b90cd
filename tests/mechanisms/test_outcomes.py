import math
from fractions import Fraction

import pytest

from dalenius.mechanisms import Geometric, Laplace
from dalenius.mechanisms.outcomes import additive_outcomes, stated_outcomes
from dalenius.noise import Lattice
from dalenius.numerics import precision


@pytest.mark.parametrize(
    ("mechanism", "pair"),
    [
        (Geometric(Fraction(1)), ((0,), (2,))),
        (Geometric(Fraction(1)), ((0, 5), (1, 4))),
        (Laplace(1, Lattice(-22)), ((0,), (2**22,))),
        (Laplace(1, Lattice(-22)), ((0, 0), (2**21, 2**21))),
        (Laplace(1, Lattice(-22)), ((0, 3), (2**22, 3))),
    ],
)
def test_both_laws_are_divided_without_rest(mechanism, pair):
    outcomes = additive_outcomes(mechanism, *pair)
    for side in (0, 1):
        with precision(160):
            assert float(sum(masses[side] for masses in outcomes).mid()) == 1


def test_single_cells_where_the_ratio_passes_a_level():
    # Lap(1), 1 apart: the ratio falls from e to 1/e over a width of 1; levels are passed 41 times
    outcomes = additive_outcomes(Laplace(1, Lattice(-22)), (0,), (2**22,))
    smallest = sorted(float(p.mid()) for p, _ in outcomes if float(p.mid()) > 1e-20)[:41]
    assert smallest[-1] < 1e-3
    assert smallest[0] < 2e-7  # one cell is 2⁻²² of a scale


def test_cells_of_a_geometric_law_are_its_own():
    masses = sorted((float(p.mid()) for p, _ in additive_outcomes(Geometric(Fraction(1)), (0,), (1,))), reverse=True)
    assert masses[0] == pytest.approx(math.tanh(0.5))
    assert masses[1] == pytest.approx(math.tanh(0.5) / math.e)


def test_equal_answers_tell_nothing():
    assert [tuple(map(float, pair)) for pair in additive_outcomes(Geometric(Fraction(1)), (3,), (3,))] == [(1.0, 1.0)]


def test_a_mechanism_that_lists_its_outcomes_is_read_side_by_side():
    class Coin:
        def masses(self, answer):
            return [answer, 1 - answer]

    assert stated_outcomes(Coin(), 0.25, 0.5) == [(0.25, 0.5), (0.75, 0.5)]
