from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.numerics import digits_above, digits_below

numbers = st.fractions() | st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, st.integers(1, 12))
def test_what_is_printed_is_a_bound_and_near(number, digits):
    above, below = Fraction(Decimal(digits_above(number, digits))), Fraction(Decimal(digits_below(number, digits)))
    assert below <= Fraction(number) <= above
    assert above - below <= abs(Fraction(number)) * Fraction(10) ** (1 - digits)


@pytest.mark.parametrize(
    ("number", "above", "below"),
    [
        (4.886554117467102, "4.88656", "4.88655"),
        (1.0, "1", "1"),
        (10.0, "10", "10"),
        (100000.0, "100000", "100000"),
        (Fraction(1, 10**5), "0.00001", "0.00001"),
        (0, "0", "0"),
        (-1.23456789, "-1.23456", "-1.23457"),
        (1.2345678e-9, "1.23457e-9", "1.23456e-9"),
        (1234567.8, "1.23457e6", "1.23456e6"),
        (Fraction(1, 10**400), "1e-400", "1e-400"),
        (float("inf"), "inf", "inf"),
    ],
)
def test_digits_people_expect(number, above, below):
    assert digits_above(number) == above
    assert digits_below(number) == below
