"""Chart ε against the number of steps or releases."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalenius.charts.theme import altair, colors, finished, named
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee

if TYPE_CHECKING:
    import altair as alt

POINTS = 40


def epsilon_by_steps(
    guarantees: Guarantee | Mapping[str, Guarantee], steps: int, delta: float
) -> "alt.LayerChart | alt.Chart":
    """Proven ε at δ after 1, 2, … `steps` repetitions of each guarantee."""
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise InvalidParameter(f"steps must be a whole number ≥ 1, got {steps!r}")
    curves = named(guarantees)
    alt = altair()
    counts = sorted({max(1, round(steps * i / POINTS)) for i in range(1, POINTS + 1)} | {1})
    rows = [
        {"steps": count, "epsilon": guarantee.repeat(count).epsilon(delta), "name": name}
        for name, guarantee in curves.items()
        for count in counts
    ]
    drawn = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X("steps:Q", title="releases"),
            y=alt.Y("epsilon:Q", title=f"ε at δ = {delta:g}, at most"),
            color=colors(list(curves)),
        )
    )
    return finished(drawn, "What is known of you after so many releases")
