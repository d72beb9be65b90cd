"""Proposed terms of one column: bounds by quantiles, keys by the values that there are."""

import math
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from dalenius.sql.engine import ColumnFacts
from dalenius.sql.policy.person_names import Person, is_number, person_of
from dalenius.sql.types.column_types import KEY_TYPES, REALS, is_whole, kind_of
from dalenius.sql.types.kinds import Kind

MOST_KEYS = 500
_LOW, _HIGH = 2, -3  # the quantiles of 0.5 % and 99.5 %
_FAR = 2.0
_FREE_TEXT = 0.5
_FEW = 20


def bounds_of(facts: ColumnFacts, kind: str) -> list[Any] | None:
    """Bounds that hold all but the farthest values; None for a column that has no numbers or dates.

    The largest value is taken where it is near the quantile of 99.5 %; else that quantile, rounded outward: one outlier
    would widen the bounds, and with them the noise of every answer, a hundredfold.
    """
    if not facts.quantiles or (person_of(facts.name) >= Person.TRACE and is_number(facts.name)):
        return None
    if kind_of(kind) in (Kind.DATE, Kind.TIMESTAMP):
        return _dates(facts.quantiles)
    if kind_of(kind) is not Kind.NUMBER:
        return None
    least, low, high, largest = (float(facts.quantiles[place]) for place in (0, _LOW, _HIGH, -1))
    top = largest if abs(largest - low) <= _FAR * abs(high - low) or high == low else high
    bottom = least if abs(high - least) <= _FAR * abs(high - low) or high == low else low
    if bottom < 0 <= low:  # −1 for what is not known
        bottom = low
    if 0 <= bottom <= abs(top) / 4:
        bottom = 0.0
    ends = _round(bottom, math.floor), _round(top, math.ceil)
    return [int(end) if is_whole(kind) or end.is_integer() else end for end in ends]


def cut_off(facts: ColumnFacts, bounds: list[Any]) -> bool:
    """Whether some values lie outside of the proposed bounds."""
    if not facts.quantiles or isinstance(bounds[0], str):
        return False
    return bool(float(facts.quantiles[0]) < bounds[0] or float(facts.quantiles[-1]) > bounds[1])


def _round(value: float, outward: Callable[[float], int]) -> float:
    """To two leading digits, outward."""
    if value == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    rounded = float(outward(round(value / step, 9)) * step)
    return float(f"{rounded:.12g}")


def _dates(quantiles: tuple[Any, ...]) -> list[str]:
    """Whole months; a date far from nearly all others, such as 9999-12-31, is left out."""
    least, low, high, largest = (quantiles[place] for place in (0, 1, -2, -1))
    width = max((high - low).days, 31)
    first = least if (low - least).days <= width / 2 else low
    last = largest if (largest - high).days <= width / 2 else high
    return [str(first.replace(day=1)), str(_end_of_month(last))]


def _end_of_month(day: date) -> date:
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def keys_of(facts: ColumnFacts, kind: str) -> tuple[list[Any], str | None]:
    """The values that a column has, or none and the reason why."""
    if kind not in KEY_TYPES or kind in REALS or kind == "BOOLEAN":
        return [], None
    if person_of(facts.name) >= Person.TRACE and facts.distinct > (0 if is_number(facts.name) else _FEW):
        return [], "it is called as what names people: their numbers are no public list"
    if facts.values is None:
        return [], f"more than {MOST_KEYS} values"
    if is_whole(kind) and facts.rows > _FEW and facts.distinct > _FREE_TEXT * facts.rows:
        return [], None
    if facts.rows > _FEW and facts.distinct > _FREE_TEXT * (facts.rows - facts.nulls):
        return [], "most rows have a text of their own"
    values = [value for value in facts.values if not (isinstance(value, str) and "\0" in value)]
    if is_whole(kind) and any(abs(value) >= 2**53 for value in values):
        return [], "numbers too long to be keys"
    return values, None
