from fractions import Fraction

import numpy as np

from dalenius.local.means import Duchi, Piecewise


def test_codes_beyond_the_last_are_not_valid_and_tallies_add():
    oracle = Duchi(Fraction(1))
    rows = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1]], np.uint8)
    assert oracle.valid(rows).tolist() == [True, True, False, False]
    assert oracle.tally(rows[:2]).tolist() == [1, 1]
    assert Piecewise(Fraction(1)).reach == Piecewise(Fraction(1)).decoded()[-1]
