"""A released table, with how far off each of its numbers may be."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalenius.charts.theme import PALETTE, altair, colors, finished
from dalenius.curator import Release, TableRelease, key_text
from dalenius.curator.answer.outcome import Told
from dalenius.curator.answer.shown import ShownKey
from dalenius.errors import InvalidParameter
from dalenius.numerics import Number, probability

if TYPE_CHECKING:
    import altair as alt

MOST_BARS = 200
_WIDEST = 80
"""Letters of labels that fit side by side."""


def answer(release: TableRelease, level: Number = 0.95, column: str | None = None) -> "alt.LayerChart | alt.Chart":
    """One bar for each key with its interval at `level`; with a second key, bars side by side in its colors.

    `column` chooses one of several released numbers. A whisker holds the bounded answer with probability at least
    `level`, each on its own; an end that is infinite is not drawn. What is absent has no bar.
    """
    alt = altair()
    keys, name = _shape(release, column)
    share = probability(level, "level")
    rows = _rows(release.intervals(share), keys, name)
    if len(rows) > MOST_BARS:
        raise InvalidParameter(f"a chart shows at most {MOST_BARS} bars, got {len(rows)}: ask with LIMIT or HAVING")
    first = list(dict.fromkeys(row["key"] for row in rows))
    x = alt.X("key:N", title=keys[0], sort=first, axis=alt.Axis(labelAngle=0 if _fits(first) else -40))
    side: dict[str, Any] = {"x": x}
    paint: dict[str, Any] = {"color": alt.value(PALETTE[0])}
    if len(keys) == 2:
        second = list(dict.fromkeys(row["name"] for row in rows))
        side["xOffset"] = alt.XOffset("name:N", sort=second)
        paint = {"color": colors(second).title(keys[1])}
    chart = alt.Chart(alt.Data(values=rows))
    bars = chart.mark_bar(opacity=0.75).encode(y=alt.Y("value:Q", title=name), **side, **paint)
    whole = chart.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
    reach = whole.mark_rule(strokeWidth=1.5, color="#222222").encode(y="lower:Q", y2="upper:Q", **side)
    ends = [
        chart.transform_filter(f"isValid(datum.{end})")
        .mark_tick(color="#222222", size=8, thickness=1.5, opacity=1)
        .encode(y=f"{end}:Q", **side)
        for end in ("lower", "upper")
    ]
    return finished(
        alt.layer(bars, reach, *ends), f"{name} by {' and '.join(keys)}, with {100 * float(share):.4g} % intervals"
    )


def is_drawable(release: Release) -> bool:
    """Whether `answer` draws a release: one or two keys, a number with an interval, and no more bars than it shows."""
    if not isinstance(release, TableRelease):
        return False
    try:
        _shape(release, None)
    except InvalidParameter:
        return False
    return len(release.rows) <= MOST_BARS


def _shape(release: TableRelease, column: str | None) -> tuple[list[str], str]:
    """The names of the keys, and of the number that is drawn."""
    if not isinstance(release, TableRelease):
        raise InvalidParameter("a chart of an answer needs a table: ask with GROUP BY")
    keys = [item.name for item in release.outcome.shown if isinstance(item, ShownKey)]
    if not 1 <= len(keys) <= 2:
        raise InvalidParameter(f"a chart of an answer has one or two keys, got {len(keys)}")
    numbers = list(release.interval(0.5))
    if not numbers:
        raise InvalidParameter("the answer shows no number with an interval")
    if column is not None and column not in numbers:
        raise InvalidParameter(f"column must be one of {', '.join(numbers)}, got {column!r}")
    return keys, column or numbers[0]


def _rows(table: Mapping[str, tuple[Told, ...]], keys: list[str], name: str) -> list[dict[str, Any]]:
    labels = [list(map(key_text, table[key])) for key in keys]
    numbers = (table[name], table[f"{name}_lower"], table[f"{name}_upper"])
    return [
        {
            "key": row[0],
            "name": row[-1],
            **{place: _drawn(value) for place, value in zip(("value", "lower", "upper"), values, strict=True)},
        }
        for row, values in zip(zip(*labels, strict=True), zip(*numbers, strict=True), strict=True)
    ]


def _drawn(value: Any) -> float | None:
    """A number that a picture can hold."""
    try:
        number = float(value)
    except (TypeError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _fits(labels: list[str]) -> bool:
    return sum(map(len, labels)) + 2 * len(labels) <= _WIDEST
