"""Conditions in SQL's logic of three values, over all that is possible."""

import operator
from collections.abc import Callable
from datetime import datetime
from typing import Any

from dalenius.curator.formula import Minus
from dalenius.sql.after.regions.dates import moment
from dalenius.sql.after.regions.region import JointRegion, never_null, nullable
from dalenius.sql.after.regions.values import (
    MISSING,
    Exact,
    MadeValue,
    OneOf,
    Unknown,
    Value,
    choices,
    formula_of,
    is_number,
)

ALL = frozenset({True, False, None})
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    **{"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
}


def compare(sign: str, left: Value, right: Value, region: JointRegion) -> Value:
    """Whether left = right, and its like; two numbers are compared by one statement about their difference."""
    point = _compared(sign, left.point, right.point)
    if isinstance(left, Exact) and isinstance(right, Exact):
        return Exact(point) if point is not MISSING else Unknown("a comparison that the engine alone has made")
    listed = choices(left), choices(right)
    if listed[0] is not None and listed[1] is not None:
        results = {_compared(sign, x, y) for x in listed[0] for y in listed[1]}
        return OneOf(ALL if MISSING in results else frozenset(results), point)
    null = {None} if nullable(left) or nullable(right) else set()
    low, high = _difference(left, right, region)
    possible: set[bool | None] = set()
    if sign in ("<", ">="):
        possible |= ({sign == "<"} if low < 0 else set()) | ({sign != "<"} if high >= 0 else set())
    elif sign in (">", "<="):
        possible |= ({sign == ">"} if high > 0 else set()) | ({sign != ">"} if low <= 0 else set())
    else:
        possible |= ({sign == "="} if low <= 0 <= high else set()) | ({sign != "="} if low < 0 or high > 0 else set())
    return OneOf(frozenset(possible | null), point)


def same(left: Value, right: Value, region: JointRegion) -> Value:
    """X IS NOT DISTINCT FROM y: as x = y, where two NULLs are the same and one alone is not; never NULL itself."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Exact) and one.point is None:
            return is_null(other)
    equal = compare("=", left, right, region)
    points = left.point, right.point
    point = MISSING if MISSING in points else points == (None, None) if None in points else equal.point
    if isinstance(left, Exact) and isinstance(right, Exact):
        return Exact(point) if point is not MISSING else Unknown("a comparison that the engine alone has made")
    possible = truths(equal) - {None}
    if nullable(left) or nullable(right):
        possible |= {False} | ({True} if nullable(left) and nullable(right) else set())
    return OneOf(possible, point)


def _difference(left: Value, right: Value, region: JointRegion) -> tuple[float, float]:
    a, b = formula_of(left), formula_of(right)
    if a is not None and b is not None and (isinstance(left, MadeValue) or isinstance(right, MadeValue)):
        return region.formula(Minus(a, b))
    ends = region.ends(left), region.ends(right)
    if ends[0] is None or ends[1] is None:
        return -float("inf"), float("inf")
    low, high = ends[0][0] - ends[1][1], ends[0][1] - ends[1][0]
    return (low if low == low else -float("inf")), (high if high == high else float("inf"))


def truths(value: Value) -> frozenset[Any]:
    """Which of true, false and NULL a condition may be."""
    listed = choices(value)
    return ALL if listed is None or not listed <= ALL else listed


def negated(value: Value) -> Value:
    """NOT x."""
    return _logical(lambda x: None if x is None else not x, value)


def conjunction(left: Value, right: Value) -> Value:
    """X AND y."""
    return _logical(_and, left, right)


def disjunction(left: Value, right: Value) -> Value:
    """X OR y."""
    return _logical(lambda x, y: _not(_and(_not(x), _not(y))), left, right)


def is_null(value: Value) -> Value:
    """X IS NULL."""
    if isinstance(value, Exact) or never_null(value):
        return Exact(value.point is None)
    point = MISSING if value.point is MISSING else value.point is None
    listed = choices(value)
    if listed is not None:
        return OneOf(frozenset(one is None for one in listed), point)
    return OneOf(frozenset({True, False} if nullable(value) else {False}), point)


def _logical(of: Callable[..., bool | None], *values: Value) -> Value:
    points = [value.point for value in values]
    point = MISSING if MISSING in points else of(*points)
    if all(isinstance(value, Exact) for value in values):
        return Exact(point)
    results = (
        {of(x) for x in truths(values[0])}
        if len(values) == 1
        else {of(x, y) for x in truths(values[0]) for y in truths(values[1])}
    )
    return OneOf(frozenset(results), point)


def _and(x: bool | None, y: bool | None) -> bool | None:
    return False if x is False or y is False else None if x is None or y is None else True


def _not(x: bool | None) -> bool | None:
    return None if x is None else not x


def _compared(sign: str, x: Any, y: Any) -> Any:
    if x is MISSING or y is MISSING:
        return MISSING
    if x is None or y is None:
        return None
    if isinstance(x, datetime) or isinstance(y, datetime):
        x, y = moment(x), moment(y)
        return MISSING if x is None or y is None else bool(_COMPARE[sign](x, y))
    if is_number(x) != is_number(y):
        return MISSING
    try:
        return bool(_COMPARE[sign](x, y))
    except TypeError:
        return MISSING
