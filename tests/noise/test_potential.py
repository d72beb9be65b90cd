from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dalenius.noise.potential import LinearPotential, Quadratic
from dalenius.numerics import ball, precision

rates = st.fractions(min_value=Fraction(1, 10**12), max_value=100)
places = st.integers(min_value=0, max_value=2**60)


@pytest.mark.parametrize("kind", [LinearPotential, Quadratic])
@given(rate=rates, start=places, way=st.integers(min_value=1, max_value=2**47))
def test_the_rise_in_floats_is_within_its_bound(kind, rate, start, way):
    potential = kind(rate)
    # the start itself is a multiple of a bin in use, so exact as a float; here it is rounded first, once more
    start = int(float(start))
    exact = potential.at(Fraction(start + way)) - potential.at(Fraction(start))
    near = Fraction(float(potential.rise(np.array([float(start)]), np.array([float(way)]))[0]))
    assert abs(near - exact) <= exact / 2**49
    with precision(128):
        rise = potential.rise_ball(Fraction(start), ball(way))
        assert (rise - ball(exact)).contains(0)
        assert rise.rad() <= rise * arb(2) ** -100


@pytest.mark.parametrize("kind", [LinearPotential, Quadratic])
@given(rate=rates, y=places, ahead=places)
def test_it_lies_above_its_tangents(kind, rate, y, ahead):
    potential = kind(rate)
    line = potential.at(Fraction(y)) + potential.slope(Fraction(y)) * (ahead - y)
    assert potential.at(Fraction(ahead)) >= line


@pytest.mark.parametrize("kind", [LinearPotential, Quadratic])
def test_reach_is_where_the_height_is(kind):
    potential = kind(Fraction(1, 50))
    assert float(potential.at(Fraction(potential.reach(23.0)))) == pytest.approx(23)


@pytest.mark.parametrize("kind", [LinearPotential, Quadratic])
def test_a_rate_beyond_the_floats_reaches_nowhere(kind):
    assert kind(Fraction(10**4000)).reach(23.0) == 0
