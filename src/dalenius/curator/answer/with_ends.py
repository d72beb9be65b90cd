"""The columns of an answer, each number followed by the ends of its interval: what every exit for programs writes."""

import math
from typing import Any

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.answer.shown import Shown
from dalenius.numerics import Number


def with_ends(outcome: Outcome, level: Number, typed: bool = False) -> dict[str, tuple[Any, ...]]:
    """Columns by name; name_lower and name_upper follow a number. An end that is not known or not finite is None.

    With `typed`, keys that are dates or times have that type; else they are texts.
    """
    columns: dict[str, tuple[Any, ...]] = {}
    for item in outcome.shown:
        columns[item.name] = outcome.typed_column(item) if typed else outcome.column(item)
        ends = outcome.interval(item, level) if isinstance(item, Shown) else None
        if ends is not None:
            columns[f"{item.name}_lower"] = tuple(finite(low) for low, _ in ends)
            columns[f"{item.name}_upper"] = tuple(finite(high) for _, high in ends)
    return columns


def finite(end: float) -> float | None:
    """An end as JSON and CSV hold it."""
    return end if math.isfinite(end) else None
