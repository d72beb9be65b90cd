"""Numbers that callers give, as exact fractions."""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral

from dalenius.errors import InvalidParameter

Number = int | float | Fraction | Decimal | str
"""What a caller may write where a number is counted: 0.1, Fraction(1, 3), "1/3"."""


def rational(value: Number, name: str) -> Fraction:
    """The fraction that `value` means; a float means its shortest decimal, so ten times 0.1 is 1.

    >>> rational(0.1, "epsilon")
    Fraction(1, 10)
    """
    if isinstance(value, bool):
        raise InvalidParameter(f"{name} must be a number, got {value!r}")
    if isinstance(value, Integral):  # numpy's integers too
        return Fraction(int(value))
    try:
        return Fraction(repr(float(value)) if isinstance(value, float) else value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise InvalidParameter(f"{name} must be a finite number, got {value}") from None


def positive(value: Number, name: str) -> Fraction:
    """`rational`, refused unless > 0."""
    number = rational(value, name)
    if number <= 0:
        raise InvalidParameter(f"{name} must be > 0, got {value}")
    return number


def nonnegative(value: Number, name: str) -> Fraction:
    """`rational`, refused unless ≥ 0."""
    number = rational(value, name)
    if number < 0:
        raise InvalidParameter(f"{name} must be ≥ 0, got {value}")
    return number


def probability(value: Number, name: str) -> Fraction:
    """`rational`, refused unless in [0, 1]."""
    number = rational(value, name)
    if not 0 <= number <= 1:
        raise InvalidParameter(f"{name} must lie in [0, 1], got {value}")
    return number


def float_above(number: Fraction) -> float:
    """Smallest float ≥ number; +inf when it is beyond the largest float."""
    return 0.0 - float_below(-number)


def float_below(number: Fraction) -> float:
    """Largest float ≤ number; −inf when it is beyond the largest float."""
    try:
        near = number.numerator / number.denominator  # true division of integers rounds to nearest
    except OverflowError:
        return math.nextafter(math.inf, 0.0) if number > 0 else -math.inf
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)
