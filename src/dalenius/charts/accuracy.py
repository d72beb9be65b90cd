"""Chart accuracy against ε."""

import math
from collections.abc import Mapping, Sequence
from statistics import mean, quantiles
from typing import TYPE_CHECKING

from dalenius.charts.theme import altair, colors, finished
from dalenius.errors import InvalidParameter
from dalenius.numerics import Number

if TYPE_CHECKING:
    import altair as alt

Scores = Mapping[Number, Sequence[float]]
"""For each ε, the scores of several fits."""


def accuracy_by_epsilon(
    scores: Mapping[str, Scores], *, plain: float | None = None, score: str = "accuracy"
) -> "alt.LayerChart | alt.Chart":
    """The mean score of each method against ε, with a band that holds the middle four fifths of its fits.

    `plain` is what a model without privacy scores, drawn as a dashed line. Scores on private rows are not public.
    """
    if not scores:
        raise InvalidParameter("a chart needs the scores of at least one method")
    alt = altair()
    rows = [row for name, by_epsilon in scores.items() for row in _rows(name, by_epsilon)]
    chart = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "epsilon:Q",
            title="ε",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(format="~g", labelOverlap="greedy"),
        ),
        color=colors(list(scores)).legend(symbolOpacity=1),
    )
    level = alt.Y("score:Q", title=score, scale=alt.Scale(zero=False))
    layers = [
        chart.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", scale=alt.Scale(zero=False), title=score), y2="high:Q"),
        chart.mark_line(strokeWidth=2.5).encode(y=level),
        chart.mark_point(size=45, filled=True, opacity=1).encode(y=level),
    ]
    if plain is not None:
        line = alt.Chart(alt.Data(values=[{"score": float(plain)}])).mark_rule(strokeDash=[5, 4], color="#666666")
        layers.append(line.encode(y=level))
    return finished(alt.layer(*layers), f"What a smaller ε costs in {score}")


def _rows(name: str, by_epsilon: Scores) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for epsilon, values in sorted(by_epsilon.items(), key=lambda pair: float(pair[0])):
        if not len(values) or not 0 < float(epsilon) < math.inf or not all(math.isfinite(value) for value in values):
            raise InvalidParameter(f"{name!r} needs an ε > 0 and at least one finite score at each")
        cuts = quantiles(values, n=10) if len(values) > 1 else [values[0]] * 9
        low, high = max(cuts[0], min(values)), min(cuts[-1], max(values))
        middle = float(mean(values))
        rows.append({"epsilon": float(epsilon), "score": middle, "low": float(low), "high": float(high), "name": name})
    return rows
