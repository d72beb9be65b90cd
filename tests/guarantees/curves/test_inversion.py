import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.inversion import invert_profile


def exact(epsilon):
    return math.exp(-epsilon), math.exp(-epsilon)


def blurred(epsilon):
    return 0.99 * math.exp(-epsilon), 1.01 * math.exp(-epsilon)


@pytest.mark.parametrize("delta", [1e-300, 1e-9, 0.5, 0.999999])
@pytest.mark.parametrize("guess", [None, 0.1, 20.0, 1e6])
def test_ends_are_proved_and_close(delta, guess):
    low, high = invert_profile(exact, Fraction(delta), 1e-9, guess)
    assert exact(low)[0] > delta >= exact(high)[1]
    assert high - low <= 1e-9 * high


def test_a_blurred_profile_gives_a_wider_interval_that_still_holds():
    low, high = invert_profile(blurred, Fraction(1, 1000), 1e-9)
    assert low <= math.log(1000) <= high
    assert high - low < 0.025
    assert blurred(low)[0] > 1e-3 >= blurred(high)[1]


def test_ends_of_the_range():
    assert invert_profile(exact, Fraction(1), 1e-6) == (0.0, 0.0)
    assert invert_profile(lambda e: (0.5, 0.5), Fraction(1, 10), 1e-6)[1] == math.inf


@pytest.mark.parametrize("rtol", [0, 1, -1, float("nan")])
def test_bad_widths_are_refused(rtol):
    with pytest.raises(InvalidParameter):
        invert_profile(exact, Fraction(1, 2), rtol)
