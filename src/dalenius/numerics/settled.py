"""Enclosures made as narrow as is asked."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dalenius.numerics.enclosure import exact, lower, precision, upper


def settled(compute: Callable[[], arb], bits: int = 60, start: int = 128, limit: int = 16384) -> arb:
    """What `compute` gives at doubling precision, until `bits` bits of it are known or `limit` is reached."""
    working = start
    while True:
        with precision(working):
            enclosure = compute()
        if enclosure.rel_accuracy_bits() >= bits or working >= limit:
            return enclosure
        working *= 2


def ends(enclosure: arb) -> tuple[float, float]:
    """(largest float proved below, smallest float proved above)."""
    return lower(enclosure), upper(enclosure)


def fraction_above(enclosure: arb, bits: int = 96) -> Fraction:
    """A fraction of about `bits` bits that is provably ≥ the number, or ValueError if none is known."""
    if not enclosure.is_finite():
        raise ValueError("the enclosure is not finite")
    end = exact(enclosure.upper())
    return -_rounded_down(-end, bits)


def fraction_below(enclosure: arb, bits: int = 96) -> Fraction:
    """A fraction of about `bits` bits that is provably ≤ the number, or ValueError if none is known."""
    if not enclosure.is_finite():
        raise ValueError("the enclosure is not finite")
    return _rounded_down(exact(enclosure.lower()), bits)


def _rounded_down(number: Fraction, bits: int) -> Fraction:
    if number == 0:
        return number
    shift = bits - (abs(number.numerator).bit_length() - number.denominator.bit_length())
    scaled = number * (1 << shift) if shift >= 0 else number / (1 << -shift)
    whole = scaled.numerator // scaled.denominator
    return Fraction(whole, 1 << shift) if shift >= 0 else Fraction(whole * (1 << -shift))
