"""What one row adds to the parts of an aggregated expression.

A bounded number x in [l, u] becomes a whole number a = ⌊(x − l)·2^k + ½⌋ held in [0, R], and the row adds the Bernstein
polynomials of a / R to as many parts: (R − a, a), or ((R − a)², 2a(R − a), a²) with fewer digits. They are never
negative and sum to R, whatever x is: so one row moves all parts together by R in ℓ1, and COUNT, SUM, AVG and VARIANCE
of x follow from them at the price of one. A row without a number adds R to a part of its own if rows are counted too.
"""

from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.rows import Typed

MOST_BITS = 30
WEIGHT_BITS = 20


@dataclass(frozen=True, slots=True)
class Share:
    """Whole-number terms of a row, and the parts that they make.

    `whole` reads the row's value "v" and gives a whole number "a", or NULL; `terms` read "a". `parts` are linear in the
    sums of terms and in "n", the number of rows, so a unit's rows may be summed before they are weighted. In each row
    the parts are at most `most` in ℓ1, and a single one lies in [low, high]. `plain` shares are counts, which weights
    make finer; `people` are counted once in a cell.
    """

    question: str
    value: Typed | None
    whole: exp.Expr | None
    terms: tuple[tuple[str, exp.Expr], ...]
    parts: tuple[tuple[str, exp.Expr], ...]
    most: int
    low: int
    high: int
    lattice: Lattice = INTEGERS
    plain: bool = False
    people: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The parts' names."""
        return tuple(name for name, _ in self.parts)


@dataclass(frozen=True, slots=True)
class Scale:
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

    def whole(self) -> exp.Expr:
        """The whole number of the value "v"; NULL of NULL and NaN. Total: what is not NaN is held before it is cast."""
        value = exp.column("v", quoted=True)
        moved = exp.Sub(this=value.copy(), expression=_double(float(self.base))) if self.base else value.copy()
        scaled = exp.Mul(this=exp.paren(moved), expression=_double(2.0**self.digits))
        held = _call("LEAST", _call("GREATEST", scaled, _double(float(self.low))), _double(float(self.high)))
        whole = exp.cast(exp.Floor(this=exp.Add(this=held, expression=_double(0.5))), "BIGINT")
        absent = exp.Or(this=value.copy().is_(exp.null()), expression=exp.IsNan(this=value.copy()))
        return exp.Case(ifs=[exp.If(this=absent, true=exp.null())], default=whole)


def scale_between(low: Fraction, high: Fraction, bits: int) -> Scale:
    """From the lowest value on, in the finest steps of which the width has no more than 2^bits."""
    base = Fraction(float(low))
    width = max(high - base, Fraction(0)) or Fraction(1)
    digits = _digits(width, bits)
    return Scale(base, digits, 0, _up(width, digits))


def scale_around(low: Fraction, high: Fraction, bits: int) -> Scale:
    """From 0 on, so that a sum alone is as far off as its largest term."""
    digits = _digits(max(abs(low), abs(high)) or Fraction(1), bits)
    return Scale(Fraction(0), digits, -_up(-low, digits), _up(high, digits))


def _digits(width: Fraction, bits: int) -> int:
    digits = bits - (width.numerator.bit_length() - width.denominator.bit_length()) + 1
    while _up(width, digits) > 1 << bits:
        digits -= 1
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
