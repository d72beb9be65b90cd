from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS

exponents = st.integers(min_value=-1022, max_value=960)


@given(scale=st.fractions(min_value=Fraction(1, 10**280), max_value=10**280).filter(bool))
def test_the_lattice_under_a_scale_is_the_coarsest_that_is_fine_enough(scale):
    step = Lattice.under(scale).step
    assert step <= scale / 2**20 < 2 * step


@given(exponent=exponents, values=st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_rounding_goes_toward_zero_and_never_past(exponent, values):
    lattice = Lattice(exponent)
    for value, steps in zip(values, lattice.toward_zero(np.array(values)).tolist(), strict=True):
        exact = abs(Fraction(value)) / lattice.step
        assert abs(steps) == min(exact.__floor__(), 2**62)
        assert steps * value >= 0


def test_rounding_is_total():
    odd = np.array([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0])
    for exponent in (-1022, 0, 960):
        steps = Lattice(exponent).toward_zero(odd)
        assert steps[0] == 0
        assert steps[1] == -steps[2] == 2**62
        assert (np.abs(steps) <= 2**62).all()
        with np.errstate(all="raise"):
            assert (Lattice(exponent).toward_zero(np.append(odd, 1e-300))[:-1] == steps).all()


@given(exponent=exponents, steps=st.lists(st.integers(min_value=-(2**63), max_value=2**63 - 1), max_size=20))
def test_values_are_the_nearest_floats(exponent, steps):
    lattice = Lattice(exponent)
    for step, value in zip(steps, lattice.values(np.array(steps, np.int64)).tolist(), strict=True):
        assert value == float(step) * 2.0**exponent
        if abs(step) <= 2**53:
            assert Fraction(value) == step * lattice.step


def test_integers_beyond_the_exact_floats_are_added_exactly():
    big = np.array([2**60 + 1], np.int64)
    assert (big + 1)[0] == 2**60 + 2  # the sum that floats would lose
    assert INTEGERS.values(big)[0] == 2.0**60


@pytest.mark.parametrize("exponent", [-1023, 961, 0.5, "0", True])
def test_exponents_out_of_range_are_refused(exponent):
    with pytest.raises(InvalidParameter):
        Lattice(exponent)


@pytest.mark.parametrize("scale", [0, -1, "1e-310", "1e300"])
def test_scales_out_of_range_are_refused(scale):
    with pytest.raises(InvalidParameter):
        Lattice.under(scale)


@pytest.mark.parametrize("scale", [Fraction(1, 1000), 1, 2**20, 2**22, 2**39])
def test_steps_of_a_mechanism_are_at_most_one(scale):
    """A count that moves by 1, released as a number of steps, must not move by more than the 1 that is claimed."""
    assert Lattice.for_steps(scale).step <= min(1, Fraction(scale) / 2**20)
