"""Bounded numbers as whole ones: a = ⌊(x − l)·2^k + ½⌋, held between whole ends."""

from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery

MOST_BITS = 30
_FINEST = 1000  # 2¹⁰²⁴ is no double


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """How a bounded number becomes a whole one: a = ⌊(x − base)·2^digits + ½⌋, held in [low, high]."""

    base: Fraction
    digits: int
    low: int
    high: int

    @property
    def step(self) -> Fraction:
        """What 1 is worth."""
        return Fraction(2) ** -self.digits

    @property
    def width(self) -> Fraction:
        """What `high` is worth."""
        return self.high * self.step

    def whole(self, name: str = "v") -> exp.Expr:
        """The whole number of a value; NULL of NULL and NaN. Total: what is not NaN is held before it is cast."""
        value = exp.column(name, quoted=True)
        moved = exp.Sub(this=value.copy(), expression=_double(float(self.base))) if self.base else value.copy()
        scaled = exp.Mul(this=exp.paren(moved), expression=_double(2.0**self.digits))
        held = _call("LEAST", _call("GREATEST", scaled, _double(float(self.low))), _double(float(self.high)))
        whole = exp.cast(exp.Floor(this=exp.Add(this=held, expression=_double(0.5))), "BIGINT")
        absent = exp.Or(this=value.copy().is_(exp.null()), expression=exp.IsNan(this=value.copy()))
        return exp.Case(ifs=[exp.If(this=absent, true=exp.null())], default=whole)


def scale_between(low: Fraction, high: Fraction, bits: int) -> FixedPoint:
    """From the lowest value on, in the finest steps of which the width has no more than 2^bits."""
    base = Fraction(float(low))
    width = max(high - base, Fraction(0)) or Fraction(1)
    digits = _digits(width, bits)
    return FixedPoint(base, digits, 0, _up(width, digits))


def scale_of_none() -> FixedPoint:
    """0 for every number, of which is asked only that it is there."""
    return FixedPoint(Fraction(0), 0, 0, 0)


def scale_around(low: Fraction, high: Fraction, bits: int) -> FixedPoint:
    """From 0 on, so that a sum alone is as far off as its largest term."""
    digits = _digits(max(abs(low), abs(high)) or Fraction(1), bits)
    return FixedPoint(Fraction(0), digits, -_up(-low, digits), _up(high, digits))


def _digits(width: Fraction, bits: int) -> int:
    digits = bits - (width.numerator.bit_length() - width.denominator.bit_length()) + 1
    while _up(width, digits) > 1 << bits:
        digits -= 1
    if digits > _FINEST:
        raise UnsupportedQuery("a sum or mean has bounds too near to 0 or to each other: write wider ones")
    return digits


def _up(value: Fraction, digits: int) -> int:
    scaled = value * Fraction(2) ** digits
    return -(-scaled.numerator // scaled.denominator)


def _double(value: float) -> exp.Expr:
    written = f"{abs(value):.17g}"
    literal = exp.Literal.number(written if "e" in written else f"{written}e0")
    return exp.paren(exp.Neg(this=literal), copy=False) if value < 0 else literal


def _call(name: str, *parts: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(parts))
