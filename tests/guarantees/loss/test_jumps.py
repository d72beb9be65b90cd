"""Taking the jumps of two steps out and adding them in closed form gives the whole again."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import dblquad

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.jumps import is_heavy, jumps_beyond

RATE, MU = 0.02, 1.25


def composition(count):
    return LossComposition.of([(pairs.gaussian(Fraction(25, 16)).sampled(Fraction("0.02")), count)])


def excess(y1, y2, epsilon):
    """The density of (P − e^ε·Q)₊ for two steps."""
    first, second = (1 - RATE + RATE * math.exp(MU * y - MU * MU / 2) for y in (y1, y2))
    return math.exp(-(y1 * y1 + y2 * y2) / 2) / (2 * math.pi) * max(0.0, first * second - math.exp(epsilon))


@pytest.mark.parametrize("log_delta", [-4.0, -9.0])
def test_jumps_and_the_rest_are_the_whole(log_delta):
    epsilon = 0.3
    jumps = jumps_beyond(composition(2), epsilon, log_delta, 1e-3)
    end = jumps.kept.others[0][0].pieces[0].hi

    def edge(y1):  # where the other step must be for the two to pass ε
        w = math.exp(epsilon) / (1 - RATE + RATE * math.exp(MU * y1 - MU * MU / 2))
        grown = (w - 1 + RATE) / RATE
        return (math.log(grown) + MU * MU / 2) / MU if grown > 0 else -12.0

    def whole(top):
        return dblquad(
            lambda y2, y1: excess(y1, y2, epsilon), -12, top, lambda y1: min(max(edge(y1), -12), top), top, epsrel=1e-9
        )[0]

    expected = whole(12.0) - whole(min(end, 12.0))
    low, high = jumps.bounds(epsilon)
    assert low <= expected * (1 + 1e-6) + 1e-12
    assert expected * (1 - 1e-6) - 1e-12 <= high
    assert high - low <= 1e-3 * math.exp(log_delta)
    assert float(jumps.first.mid()) > expected * (1 + 1e-6)  # the mass of the jumps alone would be too much


def test_the_kept_law_is_the_same_below_the_level():
    whole = composition(5)
    kept = jumps_beyond(whole, 0.5, -12.0, 1e-3).kept.others[0][0]
    before = whole.others[0][0]
    y = np.linspace(-3.0, min(kept.pieces[0].hi, 5.0), 7)
    assert np.array_equal(kept.pieces[0].loss(y), before.pieces[0].loss(y))
    assert 0 < kept.lost < 1


@pytest.mark.parametrize(
    ("pair", "heavy"),
    [
        (pairs.gaussian(1).sampled(Fraction(1, 100)), True),
        (pairs.gaussian(1).sampled(Fraction(1, 100)).swapped(), False),
        (pairs.gaussian(1), False),
        (pairs.laplace(1).sampled(Fraction(1, 100)), False),
        (pairs.response("0.5", Fraction(1, 1000)), False),
    ],
)
def test_only_rare_unbounded_losses_are_heavy(pair, heavy):
    assert is_heavy(LossComposition.of([(pair, 3)])) is heavy
