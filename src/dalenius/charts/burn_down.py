"""How a budget was spent over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalenius.charts.theme import PALETTE, altair, finished

if TYPE_CHECKING:
    import altair as alt


def burn_down(charges: Sequence[tuple[str, float]], granted: float) -> "alt.LayerChart | alt.Chart":
    """What is left of a budget after each charge, as steps from what was granted down to nothing.

    Args:
        charges: the time of each charge, as the ledger writes it, and how much it took; the first is the grant, of 0.
        granted: what may be spent in all.
    """
    alt = altair()
    left, rows = granted, []
    for time, taken in charges:
        left = max(0.0, left - taken)
        rows.append({"time": time, "left": left})
    steps = alt.Chart(alt.Data(values=rows)).mark_line(
        color=PALETTE[0], interpolate="step-after", point={"color": PALETTE[0], "filled": True}
    )
    drawn = steps.encode(
        x=alt.X("time:T", title="time"), y=alt.Y("left:Q", title="ε left", scale=alt.Scale(domain=[0, granted]))
    )
    return finished(drawn, "What is left of the budget")
