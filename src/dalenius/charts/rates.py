"""Chart how fast an error falls as rows are added."""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from dalenius.charts.theme import altair, colors, finished
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    import altair as alt

Errors = Mapping[int, Sequence[float]]
"""For each number of rows, the errors of several runs."""
_AXIS = {"labelOverlap": "greedy", "tickCount": 6}


def error_by_rows(errors: Mapping[str, Errors], title: str | None = None) -> "alt.LayerChart | alt.Chart":
    """The median error against the number of rows, both on logarithmic axes, with the fitted power of n in the legend.

    A line of slope −1 is an error of O(1/n), one of slope −½ an error of O(1/√n)  [A Thm 7.12, A Thm 7.10].
    """
    if not errors:
        raise InvalidParameter("a chart needs the errors of at least one method")
    alt = altair()
    middles = {name: _medians(name, by_count) for name, by_count in errors.items()}
    named = {name: f"{name}: n^{_signed(exponent(by_count))}" for name, by_count in middles.items()}
    rows = [
        {"rows": count, "error": error, "name": named[name]}
        for name, by_count in middles.items()
        for count, error in by_count.items()
    ]
    chart = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("rows:Q", title="rows n", scale=alt.Scale(type="log", nice=False), axis=_AXIS | {"format": "~s"}),
        y=alt.Y(
            "error:Q",
            title="median error",
            scale=alt.Scale(type="log", nice=False, padding=12),
            axis=_AXIS | {"format": "~g"},
        ),
        color=colors(list(named.values())),
    )
    both = alt.layer(chart.mark_line(strokeWidth=2.5), chart.mark_point(size=60, filled=True, opacity=1))
    return finished(both, title or "How the error falls as rows are added")


def exponent(medians: Mapping[int, float]) -> float:
    """The slope of log error against log rows, by least squares."""
    at = [math.log(count) for count in medians]
    values = [math.log(error) for error in medians.values()]
    middle, level = sum(at) / len(at), sum(values) / len(values)
    spread = sum((x - middle) ** 2 for x in at)
    return sum((x - middle) * (y - level) for x, y in zip(at, values, strict=True)) / spread


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _medians(name: str, by_count: Errors) -> dict[int, float]:
    middles = {int(count): float(median(errors)) for count, errors in sorted(by_count.items())}
    if len(middles) < 2 or not all(count >= 1 and 0 < error < math.inf for count, error in middles.items()):
        raise InvalidParameter(f"{name!r} needs positive errors at two or more numbers of rows")
    return middles
