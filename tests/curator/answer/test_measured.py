from fractions import Fraction

from dalenius.curator import Measured
from dalenius.mechanisms import Geometric
from dalenius.noise import Lattice

FINE = Measured("n", (2**20, -3 * 2**19), Lattice(-20), Geometric(Fraction(10 * 2**20)))


def test_an_interval_holds_value_and_radius_rounded_outward():
    radius = Geometric(Fraction(10 * 2**20)).accuracy(Fraction(1, 20)) / 2**20
    for value, (left, right) in zip((Fraction(1), Fraction(-3, 2)), FINE.interval(0.95), strict=True):
        assert Fraction(left) <= value - radius
        assert Fraction(right) >= value + radius
        assert Fraction(right) - Fraction(left) < 2 * radius + Fraction(1, 10**9)


def test_more_cells_at_once_have_a_wider_interval():
    assert FINE.accuracy(0.05, 7) > FINE.accuracy(0.05)


def test_it_comes_back_from_json():
    assert Measured.from_dict(FINE.to_dict()) == FINE
