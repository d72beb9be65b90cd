"""Arithmetic on the numbers of a row, in double precision.

Doubles overflow to ±∞ and never raise; division by 0 gives NULL. A NaN can only come of ∞ − ∞ and the like, since NaNs
of columns are NULL; it compares above every number, and aggregates take it for NULL.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.queries import Key
from dalenius.sql.rows.literals import number, number_of
from dalenius.sql.rows.typed import MOST_VALUES, RowReader, Typed, ValueRange, expect, typed
from dalenius.sql.types.kinds import Kind

_Exact = Callable[[Fraction, Fraction], Fraction]
_EXACT: dict[type[exp.Expr], _Exact] = {
    exp.Add: lambda a, b: a + b,
    exp.Sub: lambda a, b: a - b,
    exp.Mul: lambda a, b: a * b,
    exp.Div: lambda a, b: a / b,
}


def binary(node: exp.Expr, read: RowReader) -> Typed:
    """Sums x + y, x − y, x · y: bounds by interval arithmetic."""
    left, right = _operands(node, read)
    operation = _EXACT[type(node)]
    tree = exp.paren(type(node)(this=left.tree, expression=right.tree), copy=False)
    values = _values(left, right, operation)
    whole = left.whole and right.whole
    return typed(Kind.NUMBER, tree, left, right, bounds=_hull(left, right, operation), values=values, whole=whole)


def divide(node: exp.Expr, read: RowReader) -> Typed:
    """Quotients x / y, NULL where y is 0; bounded where y's bounds exclude 0."""
    left, right = _operands(node, read)
    bounds = None
    if right.bounds is not None and (right.bounds[0] > 0 or right.bounds[1] < 0):
        bounds = _hull(left, right, _EXACT[exp.Div])
    return typed(
        Kind.NUMBER,
        _unless_zero(right, exp.Div(this=left.tree, expression=right.tree)),
        left,
        right,
        bounds=bounds,
        copies=2,
    )


def whole_divide(node: exp.Expr, read: RowReader) -> Typed:
    """Whole quotients x // y: the quotient without its fraction, NULL where y is 0."""
    quotient = divide(node, read)
    return _rounded(quotient, exp.Anonymous(this="TRUNC", expressions=[quotient.tree]), math.trunc)


def remainder(node: exp.Expr, read: RowReader) -> Typed:
    """Remainders x % y with the sign of x, NULL where y is 0; below |y| in size."""
    left, right = _operands(node, read)
    bounds = None
    if right.bounds is not None:
        most = max(map(abs, right.bounds))
        most -= 1 if left.whole and right.whole and most >= 1 else 0  # below |y| in size
        bounds = (-most if left.bounds is None or left.bounds[0] < 0 else Fraction(0), most)
    ratio = exp.Anonymous(this="MOD", expressions=[left.tree, right.tree])
    whole = left.whole and right.whole
    return typed(Kind.NUMBER, _unless_zero(right, ratio), left, right, bounds=bounds, copies=2, whole=whole)


def negative(node: exp.Expr, read: RowReader) -> Typed:
    """−x."""
    part = expect(read(node.this), Kind.NUMBER, "−")
    bounds = None if part.bounds is None else (-part.bounds[1], -part.bounds[0])
    literal = number_of(part)
    if literal is not None:
        return number(-literal)
    return typed(Kind.NUMBER, exp.paren(exp.Neg(this=part.tree), copy=False), part, bounds=bounds, whole=part.whole)


def absolute(node: exp.Expr, read: RowReader) -> Typed:
    """|x|."""
    part = expect(read(node.this), Kind.NUMBER, "ABS")
    bounds = None
    if part.bounds is not None:
        low, high = part.bounds
        bounds = (Fraction(0) if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))
    return typed(Kind.NUMBER, exp.Abs(this=part.tree), part, bounds=bounds, whole=part.whole, least=Fraction(0))


def floor(node: exp.Expr, read: RowReader) -> Typed:
    """The largest whole number ≤ x; of a bounded x it has finitely many values."""
    _only_this(node, "FLOOR")
    part = expect(read(node.this), Kind.NUMBER, "FLOOR")
    return _rounded(part, exp.Floor(this=part.tree), math.floor)


def ceiling(node: exp.Expr, read: RowReader) -> Typed:
    """The smallest whole number ≥ x; of a bounded x it has finitely many values."""
    _only_this(node, "CEIL")
    part = expect(read(node.this), Kind.NUMBER, "CEIL")
    return _rounded(part, exp.Ceil(this=part.tree), math.ceil)


def truncated(node: exp.Expr, read: RowReader) -> Typed:
    """The number without its fraction."""
    _only_this(node, "TRUNC")
    part = expect(read(node.this), Kind.NUMBER, "TRUNC")
    return _rounded(part, exp.Anonymous(this="TRUNC", expressions=[part.tree]), math.trunc)


def rounded(node: exp.Expr, read: RowReader) -> Typed:
    """Numbers to a whole number, or to a stated number of decimals."""
    part = expect(read(node.this), Kind.NUMBER, "ROUND")
    decimals = node.args.get("decimals")
    places = Fraction(0) if decimals is None else number_of(read(decimals))
    if places is None or places.denominator != 1 or not -300 <= places <= 300:
        raise UnsupportedQuery("ROUND(x, n) takes a whole number n")
    tree = exp.Round(this=part.tree, decimals=exp.Literal.number(int(places)))
    if places == 0:
        return _rounded(part, tree, lambda x: math.floor(x + Fraction(1, 2)))
    slack = Fraction(10) ** -int(places)
    bounds = None if part.bounds is None else (part.bounds[0] - slack, part.bounds[1] + slack)
    return typed(Kind.NUMBER, tree, part, bounds=bounds)


def clamp(parts: list[Typed]) -> Typed:
    """CLAMP(x, lo, hi): x held between two literals, which bound it; NULL stays NULL."""
    if len(parts) != 3:
        raise UnsupportedQuery("CLAMP takes a number and its two bounds: CLAMP(x, lo, hi)")
    part = expect(parts[0], Kind.NUMBER, "CLAMP")
    low, high = (number_of(end) for end in parts[1:])
    if low is None or high is None or low > high:
        raise UnsupportedQuery("CLAMP(x, lo, hi) takes two numbers lo ≤ hi, written out")
    held = exp.Least(
        this=exp.Greatest(this=part.tree, expressions=[number(low).tree], ignore_nulls=True),
        expressions=[number(high).tree],
        ignore_nulls=True,
    )
    # the engine's GREATEST and LEAST pass over NULL
    tree = exp.Case(ifs=[exp.If(this=part.tree.is_(exp.null()), true=exp.null())], default=held)
    bounds = (low, high)
    if part.bounds is not None and not part.by_rows:
        bounds = (min(max(part.bounds[0], low), high), max(min(part.bounds[1], high), low))
    whole = part.whole and low.denominator == high.denominator == 1
    values = None if part.by_rows else _held_values([part], bounds, also=(low, high))
    return typed(Kind.NUMBER, tree, part, bounds=bounds, values=values, copies=2, whole=whole, by_rows=False)


def extreme(node: exp.Expr, read: RowReader) -> Typed:
    """GREATEST and LEAST, which pass over NULL."""
    parts = [expect(read(term), Kind.NUMBER, node.key.upper()) for term in (node.this, *node.expressions)]
    tree = type(node)(this=parts[0].tree, expressions=[part.tree for part in parts[1:]], ignore_nulls=True)
    whole, bounds = all(part.whole for part in parts), _extreme_bounds(parts, isinstance(node, exp.Least))
    written = _extreme_bounds([_unbounded(part) for part in parts], isinstance(node, exp.Least))
    if any(part.by_rows for part in parts) and written is not None:
        return typed(Kind.NUMBER, tree, *parts, bounds=written, whole=whole, by_rows=False)
    return typed(Kind.NUMBER, tree, *parts, bounds=bounds, values=_held_values(parts, bounds), whole=whole)


def _unbounded(part: Typed) -> Typed:
    """The part without bounds that nobody wrote, of which the lower stays where it is that of a count."""
    if not part.by_rows or part.bounds is None:
        return part
    return replace(part, bounds=None, values=None, least=Fraction(0) if part.bounds[0] >= 0 else None)


def _held_values(
    parts: list[Typed], bounds: ValueRange | None, also: tuple[Fraction, ...] = ()
) -> tuple[Key, ...] | None:
    """The whole numbers that some part, or a clamp's end, can be between the bounds, in order; None if one is not."""
    listed: list[Key | Fraction] = [*also]
    for part in parts:
        if part.values is None:
            return None
        listed += part.values
    exact = {Fraction(value) for value in listed if isinstance(value, int | float | Fraction)}
    if bounds is None or len(exact) > MOST_VALUES or any(value.denominator != 1 for value in exact):
        return None
    return tuple(int(value) for value in sorted(exact) if bounds[0] <= value <= bounds[1])


def _extreme_bounds(parts: list[Typed], is_least: bool) -> ValueRange | None:
    """Between the ends of all parts; and a part that is never NULL, a constant, holds the rest at its side."""
    fixed = [part.bounds for part in parts if part.constant and part.bounds is not None]
    lows = [part.least if part.bounds is None else part.bounds[0] for part in parts]
    highs = [None if part.bounds is None else part.bounds[1] for part in parts]
    low = None if None in lows else min(end for end in lows if end is not None)
    high = None if None in highs else max(end for end in highs if end is not None)
    if fixed and is_least:
        most = min(end for _, end in fixed)
        high = most if high is None else min(high, most)
    elif fixed:
        least = max(end for end, _ in fixed)
        low = least if low is None else max(low, least)
    return None if low is None or high is None else (low, high)


def _operands(node: exp.Expr, read: RowReader) -> tuple[Typed, Typed]:
    word = node.key.upper()
    return expect(read(node.this), Kind.NUMBER, word), expect(read(node.expression), Kind.NUMBER, word)


def _hull(left: Typed, right: Typed, operation: _Exact) -> ValueRange | None:
    if left.bounds is None or right.bounds is None:
        return None
    ends = [operation(a, b) for a in left.bounds for b in right.bounds]
    return min(ends), max(ends)


def _values(left: Typed, right: Typed, operation: _Exact) -> tuple[int | float, ...] | None:
    """The image of a finite range under an operation with a whole number, when it is exact in doubles."""
    for part, other, swapped in ((left, right, False), (right, left, True)):
        step = number_of(other)
        if part.values is None or step is None:
            continue
        exact = [Fraction(value) for value in part.values if isinstance(value, int | float)]
        image = [operation(step, value) if swapped else operation(value, step) for value in exact]
        if all(value.denominator == 1 and abs(value) < 2**53 for value in (*image, *exact, step)):
            return tuple(dict.fromkeys(int(value) for value in image))
    return None


def _rounded(part: Typed, tree: exp.Expr, whole: Callable[[Fraction], int]) -> Typed:
    if part.bounds is None:
        return typed(Kind.NUMBER, tree, part, whole=True, least=part.least if part.least == 0 else None)
    bounds = Fraction(whole(part.bounds[0])), Fraction(whole(part.bounds[1]))
    return typed(Kind.NUMBER, tree, part, bounds=bounds, whole=True)


def _unless_zero(divisor: Typed, tree: exp.Expr) -> exp.Expr:
    zero = exp.EQ(this=divisor.tree, expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=zero, true=exp.null())], default=tree)


def _only_this(node: exp.Expr, word: str) -> None:
    if any(value for name, value in node.args.items() if name != "this"):
        raise UnsupportedQuery(f"{word} takes one number")
