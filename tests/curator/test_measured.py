from fractions import Fraction

from dalenius.curator import Measured
from dalenius.mechanisms import Geometric
from dalenius.noise import Lattice

FINE = Measured("n", (2**20, -3 * 2**19), Lattice(-20), Geometric(Fraction(10 * 2**20)))


def test_ends_hold_value_and_radius_rounded_outward():
    low, high = FINE.ends(0.95)
    radius = Geometric(Fraction(10 * 2**20)).accuracy(Fraction(1, 20)) / 2**20
    for value, left, right in zip((Fraction(1), Fraction(-3, 2)), low.tolist(), high.tolist(), strict=True):
        assert Fraction(left) <= value - radius
        assert Fraction(right) >= value + radius
        assert Fraction(right) - Fraction(left) < 2 * radius + Fraction(1, 10**9)


def test_more_cells_at_once_have_wider_ends():
    alone, together = FINE.ends(0.95), FINE.ends(0.95, 7)
    assert (together[0] < alone[0]).all()
    assert (together[1] > alone[1]).all()


def test_numbers_beyond_the_reach_of_floats_stay_within_their_ends():
    huge = Measured("n", (2**62 + 1,), Lattice(0), Geometric(Fraction(1)))
    low, high = huge.ends(0.95)
    assert Fraction(low[0]) < 2**62 + 1 < Fraction(high[0])


def test_it_comes_back_from_json():
    assert Measured.from_dict(FINE.to_dict()) == FINE
