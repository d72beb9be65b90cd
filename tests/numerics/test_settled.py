from fractions import Fraction

import pytest
from flint import arb

from dalenius.numerics import ball, ends, float_above, fraction_above, fraction_below, precision, settled


def test_settles_through_cancellation():
    found = settled(lambda: ball(Fraction(1, 10**60)).expm1() - ball(Fraction(1, 10**60)))
    assert found.rel_accuracy_bits() >= 60
    assert float(found) == pytest.approx(5e-121)


def test_gives_up_at_the_limit_with_a_true_ball():
    found = settled(lambda: ball(2).sqrt() ** 2 - 2, limit=256)
    assert found.contains(arb(0))


def test_ends_enclose():
    with precision(128):
        low, high = ends(ball(Fraction(1, 3)))
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(-7, 11), Fraction(10**40 + 1, 3), Fraction(1, 10**40)])
def test_fractions_are_on_their_side_and_near(number):
    with precision(256):
        high, low = fraction_above(ball(number)), fraction_below(ball(number))
    assert low <= number <= high
    assert high - low <= abs(number) * Fraction(1, 2**90)


def test_nothing_finite_is_refused():
    for function in (fraction_above, fraction_below):
        with pytest.raises(ValueError, match="finite"):
            function(arb("inf"))


def test_float_above_zero_is_plus_zero():
    assert str(float_above(Fraction(0))) == "0.0"
