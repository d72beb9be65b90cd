import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.numerics import float_above, float_below, nonnegative, positive, probability, rational

LARGEST = Fraction(sys.float_info.max)
TINY = Fraction(math.ulp(0.0))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.1, Fraction(1, 10)),
        (1e-300, Fraction(1, 10**300)),
        (5e-324, Fraction(5, 10**324)),
        (-0.0, Fraction(0)),
        (3, Fraction(3)),
        (10**400, Fraction(10**400)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.25"), Fraction(1, 4)),
        ("1/3", Fraction(1, 3)),
        ("0.1", Fraction(1, 10)),
        ("2e-3", Fraction(1, 500)),
        (" +.5\n", Fraction(1, 2)),
        ("-2.", Fraction(-2)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (np.uint8(7), Fraction(7)),
    ],
)
def test_number_means_what_is_written(written, meant):
    assert rational(written, "x") == meant


def test_ten_times_a_tenth_is_one():
    assert 10 * rational(0.1, "epsilon") == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_survives_the_way_through_its_shortest_decimal(x):
    assert float(rational(x, "x")) == x


NO_NUMBERS = [math.nan, math.inf, -math.inf, "nan", "inf", "", "one", "1/0", None, True, False, [1], 1j, b"1"]
NO_NUMBERS += [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")]
NO_NUMBERS += [
    "1_0",
    "0.0_1",
    "1e1_0",
    "1_0/3",
    "1/1_0",
    "\u0661\u0660",
    "0.\uff11",
    "1\u00a0",
    "0x10",
    "1e",
    "1/2.5",
    ".",
]
NO_NUMBERS += [np.True_, np.float32("nan"), np.float64("inf"), np.array([1.0])]


@pytest.mark.parametrize("bad", NO_NUMBERS, ids=repr)
def test_what_is_no_finite_number_is_refused_by_name(bad):
    with pytest.raises(InvalidParameter, match="epsilon"):
        rational(bad, "epsilon")


TOO_LONG = {
    "text": "1e999999999999",
    "small text": "1e-999999999",
    "text with underscores": "1e9_999_999",
    "decimal": Decimal("1e999999"),
    "small decimal": Decimal("1e-999999"),
    "digits": "9" * 5000,
    "integer": 10**5000,
    "negative integer": -(10**5000),
    "fraction": Fraction(1, 10**5000),
}


@pytest.mark.parametrize("huge", TOO_LONG.values(), ids=TOO_LONG.keys())
def test_a_number_too_long_to_print_is_refused_at_once(huge):
    with pytest.raises(InvalidParameter, match="at most 4000 digits"):
        rational(huge, "epsilon")


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (positive, ["1e-400", 5e-324, 1], [0, -0.0, -1, "-1e-400"]),
        (nonnegative, [0, -0.0, "1e-400"], ["-1e-400", -5e-324]),
        (probability, [0, 1, 0.5, "1e-400"], [1.0000000000000002, "-1e-400", 2]),
    ],
)
def test_range_is_checked_on_the_exact_number(check, good, bad):
    for value in good:
        assert check(value, "delta") == rational(value, "delta")
    for value in bad:
        with pytest.raises(InvalidParameter, match="delta must"):
            check(value, "delta")


@given(st.fractions() | st.floats(allow_nan=False, allow_infinity=False).map(Fraction))
@example(LARGEST)
@example(LARGEST + 1)
@example(-LARGEST - 1)
@example(TINY / 2)
@example(-TINY / 2)
@example(Fraction(3, 2) * TINY)
@example(1 + Fraction(1, 2**60))
@example(Fraction(0))
def test_ends_are_the_nearest_floats_on_their_side(number):
    low, high = float_below(number), float_above(number)
    assert low == -math.inf or Fraction(low) <= number
    assert high == math.inf or Fraction(high) >= number
    up, down = math.nextafter(low, math.inf), math.nextafter(high, -math.inf)
    assert up == math.inf or Fraction(up) > number
    assert down == -math.inf or Fraction(down) < number


def test_zero_has_no_sign():
    for value in (float_below(Fraction(0)), float_above(Fraction(0)), float_above(-TINY / 2), float_below(TINY / 2)):
        assert math.copysign(1.0, value) == 1.0
        assert value == 0
