"""Numbers as people read them, rounded in a direction: what is printed of a bound is still a bound."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction


def digits_above(number: float | Fraction, digits: int = 6) -> str:
    """The number with so many digits, rounded up.

    >>> digits_above(4.8865541, 4)
    '4.887'
    """
    return _digits(number, digits, ROUND_CEILING)


def digits_below(number: float | Fraction, digits: int = 6) -> str:
    """The number with so many digits, rounded down."""
    return _digits(number, digits, ROUND_FLOOR)


def _digits(number: float | Fraction, digits: int, rounding: str) -> str:
    if isinstance(number, float) and not math.isfinite(number):
        return str(number)
    n, d = number.as_integer_ratio()
    shown = Context(prec=digits, rounding=rounding).divide(Decimal(n), Decimal(d))
    if shown == 0:
        return "0"
    if -5 <= shown.adjusted() < digits:
        text = f"{shown:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{shown:e}".replace("e+", "e")
