"""Numbers that callers give, as exact fractions."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real

from dalenius.calls import shown
from dalenius.errors import InvalidParameter

Number = int | float | Fraction | Decimal | str
"""What a caller may write where a number is counted: 0.1, Fraction(1, 3), "1/3"."""

_DIGITS = 4000  # Python prints integers of up to 4300 digits, and a text such as 1e999999999 must not fill the memory
_LIMIT = 10**_DIGITS
_STORED_BITS = 14_285  # 4300 digits: whatever was ever written as a text has no more
_TEXT = re.compile(r"\s*[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)\s*", re.ASCII)
"""A number as a text; Python would read 1_0, and the digits of other alphabets, as 10 besides."""
_EXPONENT = re.compile(r"[eE]([+-]?\d[\d_]*)\s*$")


def rational(value: Number, name: str) -> Fraction:
    """The fraction that `value` means; a float means its shortest decimal, so ten times 0.1 is 1.

    >>> rational(0.1, "epsilon")
    Fraction(1, 10)
    """
    if isinstance(value, bool):
        raise InvalidParameter(f"{name} must be a number, got {value!r}")
    if _too_long(value):
        raise InvalidParameter(f"{name} must have at most {_DIGITS} digits")
    try:
        number = _fraction(value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise InvalidParameter(f"{name} must be a finite number, got {shown(value)}") from None
    if abs(number.numerator) >= _LIMIT or number.denominator >= _LIMIT:
        raise InvalidParameter(f"{name} must have at most {_DIGITS} digits")
    return number


def _fraction(value: Number) -> Fraction:
    if isinstance(value, str) and _TEXT.fullmatch(value) is None:
        raise ValueError
    if isinstance(value, Integral):  # numpy's integers too
        return Fraction(int(value))
    if isinstance(value, Fraction) or not isinstance(value, Real):
        return Fraction(value)
    return Fraction(str(value))  # a float's shortest decimal, for numpy's float32 too


def _too_long(value: Number) -> bool:
    """Whether the number would be longer than the limit once written out, told before it is."""
    if isinstance(value, Decimal):
        return value.is_finite() and abs(value.adjusted()) > _DIGITS
    if not isinstance(value, str):
        return False
    exponent = _EXPONENT.search(value)
    return len(value) > _DIGITS or (exponent is not None and len(exponent[1]) > len(str(_DIGITS)) + 1)


def stored_fraction(value: str | int | float) -> Fraction:
    """A fraction as a ledger or an answer holds it; ValueError if it is longer than Python writes integers.

    What is read may come from another machine, where "1e999999999" would take all memory once it is written out.
    """
    exponent = _EXPONENT.search(value) if isinstance(value, str) else None
    if exponent is not None and len(exponent[1]) > len(str(_DIGITS)) + 1:
        raise ValueError("the exponent of a stored number is too large")
    number = Fraction(value)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _STORED_BITS:
        raise ValueError("a stored number is too long")
    return number


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
    return 0.0 - float_below(-number)  # not −float_below: zero has no sign here


def float_below(number: Fraction) -> float:
    """Largest float ≤ number; −inf when it is beyond the largest float."""
    try:
        near = number.numerator / number.denominator  # true division of integers rounds to nearest
    except OverflowError:
        return math.nextafter(math.inf, 0.0) if number > 0 else -math.inf
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)
