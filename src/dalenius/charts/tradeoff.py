"""Chart the trade-off function: what a test of "is this person in the data?" can reach."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dalenius.charts.theme import altair, colors, finished, named
from dalenius.guarantees import Guarantee

if TYPE_CHECKING:
    import altair as alt

POINTS = 201


def trade_off(
    guarantees: Guarantee | Mapping[str, Guarantee], epsilons: Sequence[float] = ()
) -> "alt.LayerChart | alt.Chart":
    """Type II against type I error of the best test, one curve a guarantee.

    For each of `epsilons`, the two supporting lines of (ε, δ(ε)) of the first guarantee are drawn too: the curve is the
    upper envelope of all such lines  [A Prop 13.8].
    """
    curves = named(guarantees)
    alt = altair()
    rows = [
        {"alpha": alpha, "beta": guarantee.beta(alpha), "name": name}
        for name, guarantee in curves.items()
        for alpha in _levels()
    ]
    level = alt.X("alpha:Q", title="type I error (false alarms)", scale=alt.Scale(domain=[0, 1]))
    miss = alt.Y("beta:Q", title="type II error (misses), at least", scale=alt.Scale(domain=[0, 1]))
    diagonal = alt.Chart(alt.Data(values=[{"alpha": 0, "beta": 1}, {"alpha": 1, "beta": 0}])).mark_line(
        color="#999999", strokeDash=[4, 4]
    )
    layers = [diagonal.encode(x=level, y=miss)]
    first = next(iter(curves.values()))
    for epsilon in epsilons:
        for segment in _supporting(epsilon, first.delta(epsilon)):
            line = alt.Chart(alt.Data(values=segment)).mark_line(color="#bbbbbb", strokeWidth=1)
            layers.append(line.encode(x=level, y=miss))
    drawn = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2.5)
    layers.append(drawn.encode(x=level, y=miss, color=colors(list(curves))))
    return finished(alt.layer(*layers), "How well can anyone tell whether you are in the data?")


def _levels() -> list[float]:
    """Closer together near 0 and 1, where the curves bend."""
    return [0.5 - 0.5 * math.cos(math.pi * i / (POINTS - 1)) for i in range(POINTS)]


def _supporting(epsilon: float, delta: float) -> list[list[dict[str, float]]]:
    """β = 1 − δ − e^ε α and its mirror image, from axis to axis."""
    top, foot = 1 - delta, (1 - delta) * math.exp(-epsilon)
    return [
        [{"alpha": 0.0, "beta": top}, {"alpha": foot, "beta": 0.0}],
        [{"alpha": 0.0, "beta": foot}, {"alpha": top, "beta": 0.0}],
    ]
