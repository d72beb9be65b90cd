from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dalenius.learning.sums.hinge import HuberHinge

AT = np.linspace(-4, 4, 801)[:, None]


@pytest.mark.parametrize("width", [Fraction(1, 64), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("label", [0.0, 1.0])
def test_slopes_and_bends_are_derivatives_within_the_bounds(width, label):
    loss, target, step = HuberHinge(width), np.full(len(AT), label), 1e-7
    slopes = loss.slopes(AT, target)[:, 0]
    rise = (loss.values(AT + step, target) - loss.values(AT - step, target)) / (2 * step)
    assert slopes == pytest.approx(rise, abs=1e-5)
    assert np.abs(slopes).max() <= loss.gradient
    assert np.all(np.diff(slopes) >= 0)  # convex
    bend = loss.bend(AT, target, np.ones_like(AT))[:, 0]
    assert 0 < bend.max() <= loss.trace
    inside = (np.abs(np.diff(bend)) == 0)[1:] & (np.abs(np.diff(bend)) == 0)[:-1]
    turn = (loss.slopes(AT + step, target) - loss.slopes(AT - step, target))[:, 0] / (2 * step)
    assert bend[1:-1][inside] == pytest.approx(turn[1:-1][inside], abs=1e-4)


def test_it_is_the_hinge_but_for_its_corner():
    far = AT[np.abs(AT[:, 0] - 1) > 0.5]
    values = HuberHinge(Fraction(1, 2)).values(far, np.ones(len(far)))
    assert values == pytest.approx(np.maximum(0, 1 - far[:, 0]))


def test_enclosures_hold_the_slopes_and_rows_without_a_label_say_nothing():
    loss = HuberHinge(Fraction(1, 4))
    for m in (-2.0, 0.8, 1.1, 3.0):
        for label in (0.0, 1.0):
            (slope,) = loss.enclosed([arb(m)], label)
            assert float(slope.mid()) == pytest.approx(loss.slopes(np.array([[m]]), np.array([label]))[0, 0], abs=1e-12)
    nothing = np.array([np.nan])
    assert loss.slopes(np.ones((1, 1)), nothing)[0, 0] == 0
    assert loss.values(np.ones((1, 1)), nothing)[0] == 0
    assert loss.steady
    assert not HuberHinge(Fraction(1, 8)).steady
