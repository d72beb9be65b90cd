import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits, Lattice
from dalenius.noise.inverted import InvertedLaw, lattice_for
from dalenius.numerics import ball
from tests.noise.fit import FALSE_ALARM, p_value
from tests.noise.seeded import ScriptedBits


@dataclass(frozen=True, slots=True)
class Triangle(InvertedLaw):
    """|Z| = 2 (1 − √U) steps: P[|Z| > z] = (1 − z/2)², up to 2."""

    lattice: Lattice
    factor: Fraction = Fraction(1)

    def beyond(self, z: Fraction) -> arb:
        return ball(max(Fraction(0), 1 - z / (2 * self.factor)) ** 2)

    def second_moment(self) -> arb:
        return ball(Fraction(2, 3) * self.factor**2)


def cdf(k):
    z = (np.asarray(k) + 0.5) / 64
    tail = np.maximum(0, 1 - np.abs(z) / 2) ** 2 / 2
    return np.where(z >= 0, 1 - tail, tail)


def test_draws_follow_the_law_and_not_one_a_quarter_wider():
    law, wide = Triangle(Lattice(-6)), Triangle(Lattice(-6), Fraction(5, 4))
    edges = np.arange(-128, 129, 8)
    probabilities = np.diff(np.concatenate([[0.0], cdf(edges), [1.0]]))
    assert p_value(law.steps(Bits(), 5000), edges, probabilities) > FALSE_ALARM
    assert p_value(wide.steps(Bits(), 5000), edges, probabilities) < FALSE_ALARM


def test_masses_sum_to_one_and_the_bounded_law_ends():
    law = Triangle(Lattice(-4))
    masses = [math.exp(law.log_mass(Fraction(k, 16))) for k in range(-40, 41)]
    assert sum(masses) == pytest.approx(1)
    assert law.log_mass(3) == -math.inf
    assert law.radius(1e-30) <= 2
    exact = sum(mass * (k / 16) ** 2 for k, mass in zip(range(-40, 41), masses, strict=True))
    assert exact <= law.variance <= exact * 1.1


def test_a_digit_that_decides_nothing_is_followed_by_more():
    # P[|Z| > 0] of a step of 1 is (3/4)² = 9/16: U begins with exactly those digits, so the next ones decide
    law, first = Triangle(Lattice(0)), 9 << 60
    for next_word, expected in ((0, 0), (5, 0)):
        bits = ScriptedBits(first, next_word, 0)
        assert abs(law.steps(bits, 1)[0]) == expected
    assert abs(law.steps(ScriptedBits(first - 1, 0), 1)[0]) > 0


def test_sample_is_in_real_units():
    law = Triangle(Lattice(-6))
    assert (np.abs(law.sample(Bits(), 50)) <= 2).all()
    assert (law.sample(Bits(), 50) * 64 % 1 == 0).all()


@pytest.mark.parametrize("lattice", [-20, "x", Lattice(-200)])
def test_a_lattice_that_does_not_fit_is_refused(lattice):
    with pytest.raises(InvalidParameter):
        lattice_for(Fraction(1), Fraction(100), lattice)
    assert lattice_for(Fraction(1), Fraction(100), None) == Lattice(-20)
