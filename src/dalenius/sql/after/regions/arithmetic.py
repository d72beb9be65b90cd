"""Arithmetic and monotone functions on what is known of numbers."""

import math
from collections.abc import Callable
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dalenius.curator.formula import Formula, Linear, Minus, Over, Plus, Ratio, Times
from dalenius.sql.after.regions.region import JointRegion, nullable, outward
from dalenius.sql.after.regions.values import (
    MISSING,
    Between,
    Exact,
    MadeValue,
    Unknown,
    Value,
    formula_of,
    hull,
    is_number,
    simplified,
)

_OfFloat = Callable[[float], float]
_NONE = Fraction(0)
_FORMULAS: dict[str, type[Formula]] = {"+": Plus, "-": Minus, "*": Times, "/": Over}


def operate(sign: str, left: Value, right: Value, region: JointRegion) -> Value:
    """Left + right, and its like."""
    point = _point(sign, left.point, right.point)
    for side in (left, right):
        if isinstance(side, Unknown):
            return Unknown(side.reason, point)
    if isinstance(left, Exact) and isinstance(right, Exact):
        return Exact(point) if point is not MISSING else Unknown(f"{sign} was computed by the engine alone")
    if any(isinstance(side, Exact) and side.point is None for side in (left, right)):
        return Exact(None)
    maybe_null = nullable(left) or nullable(right) or (sign == "/" and not _is_constant(right))
    a, b = formula_of(left), formula_of(right)
    if (
        sign in _FORMULAS
        and a is not None
        and b is not None
        and (isinstance(left, MadeValue) or isinstance(right, MadeValue))
    ):
        made = _ratio(a, b, region) if sign == "/" else None
        return MadeValue(simplified(made or _FORMULAS[sign](a, b)), point, maybe_null)  # type: ignore[call-arg]
    ends = [region.ends(side) for side in (left, right)]
    if sign not in _FORMULAS or ends[0] is None or ends[1] is None:
        return Unknown(f"{sign} of numbers with noise has no rule for regions", point)
    return Between(*_ends(sign, ends[0], ends[1]), point, maybe_null)


def negative(value: Value, region: JointRegion) -> Value:
    """−x."""
    return operate("-", Exact(0), value, region)


def monotone(
    value: Value,
    region: JointRegion,
    of: Callable[[Any], Any],
    low: Callable[[float], float],
    high: Callable[[float], float],
) -> Value:
    """A function that grows: it lies between what it is of the ends; `low` and `high` round outward."""
    point = _applied(of, value.point)
    if isinstance(value, Exact):
        return Exact(point) if point is not MISSING else Unknown("it was computed by the engine alone")
    ends = region.ends(value)
    if isinstance(value, Unknown) or ends is None:
        reason = value.reason if isinstance(value, Unknown) else "a function of what is no number has no rule"
        return Unknown(reason, point)
    least = -math.inf if math.isinf(ends[0]) else low(ends[0])
    most = math.inf if math.isinf(ends[1]) else high(ends[1])
    return Between(least, most, point, nullable(value))


def rounded(value: Value, places: int, region: JointRegion) -> Value:
    """ROUND(x, places)."""
    return monotone(
        value,
        region,
        lambda x: float(_decimal(x, places, ROUND_HALF_UP)),
        lambda x: math.nextafter(float(_decimal(x, places, ROUND_HALF_DOWN if x > 0 else ROUND_HALF_UP)), -math.inf),
        lambda x: math.nextafter(float(_decimal(x, places, ROUND_HALF_UP if x > 0 else ROUND_HALF_DOWN)), math.inf),
    )


def absolute(value: Value, region: JointRegion) -> Value:
    """ABS(x)."""
    point = _applied(abs, value.point)
    if isinstance(value, Exact):
        return Exact(point)
    ends = region.ends(value)
    if isinstance(value, Unknown) or ends is None:
        return Unknown("ABS of what has no ends has no rule", point)
    low, high = ends
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return Between(least, max(abs(low), abs(high)), point, nullable(value))


def extreme(values: list[Value], largest: bool, region: JointRegion) -> Value:
    """GREATEST or LEAST of several; NULL among them is passed over."""
    present = [value for value in values if not (isinstance(value, Exact) and value.point is None)]
    points = [value.point for value in present]
    point = (
        MISSING if MISSING in points else _applied_list(max if largest else min, [p for p in points if p is not None])
    )
    if all(isinstance(value, Exact) for value in present):
        return Exact(point)
    ends = [region.ends(value) for value in present]
    if any(isinstance(value, Unknown) for value in present) or None in ends:
        return Unknown("GREATEST and LEAST of texts with noise have no rule", point)
    known = [pair for pair in ends if pair is not None]
    sure = [pair for pair, value in zip(known, present, strict=True) if not nullable(value)]
    if largest:
        low = max(a for a, _ in sure) if sure else min(a for a, _ in known)
        return Between(low, max(b for _, b in known), point, not sure)
    high = min(b for _, b in sure) if sure else max(b for _, b in known)
    return Between(min(a for a, _ in known), high, point, not sure)


def _is_constant(value: Value) -> bool:
    return isinstance(value, Exact) and is_number(value.point) and value.point != 0


def _ratio(part: Formula, whole: Formula, region: JointRegion) -> Formula | None:
    """A share: of true counts, none of which is below 0, a/b lies between the least and largest ratio of coefficients.

    Σ aᵢxᵢ / Σ bᵢxᵢ with bᵢ > 0 and xᵢ ≥ 0 is a mean of aᵢ/bᵢ, weighted by bᵢxᵢ.
    """
    a, b = part.linear(), whole.linear()
    if a is None or b is None or a.constant or b.constant or not a.terms or not b.terms:
        return None
    below = _positive(b)
    if below is None or not region.counted >= below.keys() or any(name not in below for name, _ in a.terms):
        return None
    # sums of many have few coefficients, each one object: the pairs of them are few, and are divided once
    ones, factors = [one for _, one in a.terms], [below[name] for name, _ in a.terms]
    pairs = dict(zip(zip(map(id, ones), map(id, factors), strict=True), zip(ones, factors, strict=True), strict=True))
    ratios = [one / factor for one, factor in pairs.values()] + [_NONE] * (len(a.terms) < len(below))
    return None if min(ratios) == max(ratios) else Ratio(part, whole, min(ratios), max(ratios))


@lru_cache(maxsize=64)
def _positive(whole: Linear) -> dict[str, Fraction] | None:
    """The coefficients of a sum by the names of its columns; None if one is not above 0."""
    return None if any(factor <= 0 for _, factor in whole.terms) else dict(whole.terms)


def _ends(sign: str, left: tuple[float, float], right: tuple[float, float]) -> tuple[float, float]:
    (a, b), (c, d) = left, right
    if sign == "+":
        return _whole(*outward(a + c, b + d))
    if sign == "-":
        return _whole(*outward(a - d, b - c))
    if sign == "/":
        if c <= 0 <= d:
            return -math.inf, math.inf
        return _whole(*outward(*hull((x / y, x / y) for x in (a, b) for y in (c, d))))
    return _whole(*outward(*hull((_product(x, y),) * 2 for x in (a, b) for y in (c, d))))


def _product(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def _whole(low: float, high: float) -> tuple[float, float]:
    return (-math.inf if math.isnan(low) else low), (math.inf if math.isnan(high) else high)


def _point(sign: str, x: Any, y: Any) -> Any:
    if x is MISSING or y is MISSING:
        return MISSING
    if x is None or y is None:
        return None
    try:
        if sign == "+":
            return x + y
        if sign == "-":
            return x - y
        if sign == "*":
            return x * y
        if sign == "/":
            return None if y == 0 else float(x) / float(y)
        if sign == "%" and isinstance(x, int) and isinstance(y, int):
            return None if y == 0 else int(math.fmod(x, y))
        if sign == "//" and isinstance(x, int) and isinstance(y, int):
            return None if y == 0 else int(Fraction(x, y))
    except (TypeError, OverflowError, ValueError):
        return MISSING
    return MISSING


def _applied(of: Callable[[Any], Any], point: Any) -> Any:
    if point is None or point is MISSING:
        return point
    try:
        return of(point)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        return MISSING


def _applied_list(of: Callable[[list[Any]], Any], points: list[Any]) -> Any:
    try:
        return of(points) if points else None
    except TypeError:
        return MISSING


def _decimal(x: Any, places: int, rounding: str) -> Decimal:
    exact = Fraction(x)
    return (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(Decimal(1).scaleb(-places), rounding)
