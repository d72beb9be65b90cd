"""Roots, logarithms, powers and steps of numbers: NULL where they have no value, so that none can fail.

The engine computes each from one row's numbers, as its mathematical library does: a last digit may differ from another
library's, but not from row to row. Bounds are taken at the ends, where these functions are monotone, and made wider by
more than any library is off; whoever relies on them clamps.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.casts import without_nan
from dalenius.sql.rows.literals import number, number_of
from dalenius.sql.rows.typed import RowReader, Typed, ValueRange, expect, typed
from dalenius.sql.types.kinds import Kind

_WIDER = Fraction(1, 10**12)
_MOST_BUCKETS = 10_000


def square_root(node: exp.Expr, read: RowReader) -> Typed:
    """√x, NULL below 0."""
    part = expect(read(node.this), Kind.NUMBER, "SQRT")
    return _monotone("SQRT", part, math.sqrt, Fraction(0))


def natural_logarithm(node: exp.Expr, read: RowReader) -> Typed:
    """The logarithm to the base e, NULL at 0 and below."""
    return _monotone("LN", expect(read(node.this), Kind.NUMBER, "LN"), math.log, None)


def logarithm(node: exp.Expr, read: RowReader) -> Typed:
    """LOG(x) and LOG10(x) to the base 10, LOG2(x) and LOG(b, x) to another; NULL at 0 and below."""
    base, inner = Fraction(10), node.this
    if node.expression is not None:
        base, inner = number_of(read(node.this)) or Fraction(0), node.expression
    part = expect(read(inner), Kind.NUMBER, "LOG")
    if base == 10:
        return _monotone("LOG10", part, math.log10, None)
    if base == 2:
        return _monotone("LOG2", part, math.log2, None)
    raise UnsupportedQuery("LOG has the base 10 or 2: write LN(x) / LN(b) for another")


def exponential(node: exp.Expr, read: RowReader) -> Typed:
    """The power eˣ, which is ∞ where x is large."""
    part = expect(read(node.this), Kind.NUMBER, "EXP")
    bounds = _image(part.bounds, math.exp)
    return typed(Kind.NUMBER, without_nan(exp.Exp(this=part.tree)), part, bounds=bounds, copies=2)


def power(node: exp.Expr, read: RowReader) -> Typed:
    """The power xʸ with a y that is written out; NULL where it is no number."""
    base, exponent = (expect(read(side), Kind.NUMBER, "POWER") for side in (node.this, node.expression))
    fixed = number_of(exponent)
    if fixed is None:
        raise UnsupportedQuery("POWER(x, y) takes a y that is written out: EXP(y * LN(x)) has a rule")
    tree = without_nan(exp.Anonymous(this="POWER", expressions=[base.tree, exponent.tree]))
    whole = base.whole and fixed.denominator == 1 and fixed >= 0
    return typed(Kind.NUMBER, tree, base, exponent, bounds=_powers(base.bounds, fixed), copies=2, whole=whole)


def sign(node: exp.Expr, read: RowReader) -> Typed:
    """The sign −1, 0 or 1."""
    part = expect(read(node.this), Kind.NUMBER, "SIGN")
    tree = exp.cast(exp.Sign(this=part.tree), "DOUBLE")
    return typed(Kind.NUMBER, tree, part, bounds=(Fraction(-1), Fraction(1)), whole=True)


def width_bucket(node: exp.Expr, read: RowReader) -> Typed:
    """WIDTH_BUCKET(x, lo, hi, n): which of n equal steps from lo to hi, 0 below and n + 1 from hi on.

    The engine has no such function, so it is arithmetic; x is held between the ends before it is cast to a step.
    """
    part = expect(read(node.this), Kind.NUMBER, "WIDTH_BUCKET")
    low, high, count = (number_of(read(node.args[name])) for name in ("min_value", "max_value", "num_buckets"))
    if low is None or high is None or count is None or count.denominator != 1 or not 1 <= count <= _MOST_BUCKETS:
        raise UnsupportedQuery("WIDTH_BUCKET(x, lo, hi, n) takes numbers lo < hi and a whole n ≥ 1, written out")
    if not low < high:
        raise UnsupportedQuery(f"WIDTH_BUCKET(x, lo, hi, n) takes lo < hi, got {float(low):g} and {float(high):g}")
    steps, (first, last) = int(count), (number(low).tree, number(high).tree)
    share = exp.Div(
        this=exp.paren(exp.Sub(this=part.tree.copy(), expression=first.copy())), expression=_width(low, high)
    )
    step = exp.Floor(this=exp.Add(this=exp.Mul(this=share, expression=_double(steps)), expression=_double(1)))
    inside = exp.Anonymous(this="LEAST", expressions=[step, _double(steps)])
    tree = exp.Case(
        ifs=[
            exp.If(this=part.tree.copy().is_(exp.null()), true=exp.null()),
            exp.If(this=exp.LT(this=part.tree.copy(), expression=first), true=_double(0)),
            exp.If(this=exp.GTE(this=part.tree.copy(), expression=last), true=_double(steps + 1)),
        ],
        default=inside,
    )
    ends = (Fraction(0), count + 1)
    if part.bounds is not None:
        ends = _bucket(part.bounds[0], low, high, steps), _bucket(part.bounds[1], low, high, steps)
    return typed(Kind.NUMBER, tree, part, bounds=ends, copies=4, whole=True)


def _bucket(value: Fraction, low: Fraction, high: Fraction, steps: int) -> Fraction:
    if value < low:
        return Fraction(0)
    return Fraction(min(math.floor((value - low) / (high - low) * steps) + 1, steps + 1))


def _width(low: Fraction, high: Fraction) -> exp.Expr:
    return number(high - low).tree


def _double(value: int) -> exp.Expr:
    return number(Fraction(value)).tree


def _monotone(name: str, part: Typed, function: Callable[[float], float], at_zero: Fraction | None) -> Typed:
    """A function that grows with x and has a value above 0, perhaps at 0 too: the rest is NULL before it is asked."""
    zero = _double(0)
    inside = (exp.GT if at_zero is None else exp.GTE)(this=part.tree.copy(), expression=zero)
    kept = exp.Case(ifs=[exp.If(this=inside, true=part.tree.copy())])
    bounds = part.bounds
    if bounds is not None:
        bounds = None if at_zero is None and bounds[0] <= 0 else (max(bounds[0], Fraction(0)), bounds[1])
        bounds = None if bounds is None or bounds[1] < bounds[0] else _image(bounds, function)
    return typed(Kind.NUMBER, exp.Anonymous(this=name, expressions=[kept]), part, bounds=bounds, copies=2)


def _image(bounds: ValueRange | None, function: Callable[[float], float]) -> ValueRange | None:
    """The function at both ends, a little wider."""
    if bounds is None:
        return None
    try:
        low, high = (Fraction(function(float(end))) for end in bounds)
    except (OverflowError, ValueError):
        return None
    return low - abs(low) * _WIDER, high + abs(high) * _WIDER


def _powers(bounds: ValueRange | None, exponent: Fraction) -> ValueRange | None:
    if bounds is None or abs(exponent) > 100:
        return None
    low, high = bounds
    if exponent.denominator == 1 and exponent >= 0:
        ends = [end ** int(exponent) for end in bounds]
        return (Fraction(0) if low <= 0 <= high and exponent % 2 == 0 and exponent > 0 else min(ends)), max(ends)
    if low < 0 or (low == 0 and exponent < 0):
        return None
    return _image((low, high) if exponent > 0 else (high, low), lambda x: x ** float(exponent))
