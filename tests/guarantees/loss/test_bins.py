"""Laws on the grid are on their side of the pair, and close to it."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.binning import bins
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.profile import delta_bounds
from dalenius.guarantees.loss.tilt import tilt

PAIRS = {
    "sampled": pairs.gaussian(1).sampled(Fraction(1, 10)),
    "sampled, other way": pairs.gaussian(1).sampled(Fraction(1, 10)).swapped(),
    "spike": pairs.gaussian(9).sampled(Fraction(1, 1000)),
    "laplace": pairs.laplace("0.7"),
    "sampled laplace": pairs.laplace("0.7").sampled(Fraction(1, 3)),
    "fixed size": pairs.gaussian(1).sampled_change_one(Fraction(1, 10)),
    "discrete": pairs.from_masses(
        [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 6), Fraction(1, 4), Fraction(7, 12)]
    ),
}


EPSILONS = (0.0, 0.03, 0.1, 0.4, 1.2)


@cache
def truth(name):
    return [delta_bounds(LossComposition.of([(PAIRS[name], 1)]), epsilon, 1e-4) for epsilon in EPSILONS]


def profile(law, s, step, epsilon):
    """Σ mass·(1 − e^(ε − g))₊ with the tilt taken off again."""
    points = law.origin + step * law.index
    masses = law.masses * np.exp(law.log_total - s * points)
    return float(np.sum(masses * np.maximum(-np.expm1(epsilon - points), 0.0)))


@pytest.mark.theorem("A Thm 13.2", "A Thm 14.2")
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("step", [0.3, 0.05, 0.004])
def test_laws_lie_on_their_side_at_every_epsilon(name, step):
    pair, s = PAIRS[name], 3.0
    made = bins(pair, s, step)
    above, below = made.above(), made.below()
    for epsilon, (low, high) in zip(EPSILONS, truth(name), strict=True):
        assert profile(above, s, step, epsilon) >= low - 1e-15
        assert profile(below, s, step, epsilon) <= high + 1e-15


@pytest.mark.parametrize("name", [name for name in PAIRS if name != "discrete"])
def test_laws_are_second_order_in_the_step(name):
    pair, s = PAIRS[name], 3.0
    exact = tilt(pair, s).log_moment
    for law in ("above", "below"):
        # atoms that lie on the grid; elsewhere the lower law is first order
        unit = float(pair.spacing) if pair.spacing else 1.0
        steps = unit / 50, unit / 500
        coarse, fine = (abs(getattr(bins(pair, s, step), law)().log_total - exact) for step in steps)
        assert fine <= coarse / 20 + 1e-12, law


def test_lattice_laws_are_exact():
    pair = pairs.discrete_laplace("0.05", 3)
    made = bins(pair, 2.0, float(pair.spacing))
    for law in (made.above(), made.below()):
        assert len(law.masses) >= 4
        total = sum(each.first * math.exp(2.0 * each.loss) for each in pair.atoms)
        assert law.log_total == pytest.approx(math.log(total), abs=1e-13)
