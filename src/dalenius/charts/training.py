"""A loss that falls while the privacy spent rises."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalenius.charts.theme import PALETTE, altair, finished
from dalenius.errors import InvalidParameter
from dalenius.numerics import Number

if TYPE_CHECKING:
    import altair as alt

Step = tuple[int, float, Number]
"""(step, loss, ε spent up to and with it)."""


def training(steps: Sequence[Step], *, loss: str = "loss", delta: Number | None = None) -> "alt.LayerChart | alt.Chart":
    """The loss after each step, and the ε spent by then on an axis of its own.

    `steps` holds (step, loss, ε), what was released or computed on public rows: a loss on private rows is no public
    number. ε must not fall from step to step, for what is spent stays spent. A loss that is no number is not drawn.
    """
    rows = _rows(steps)
    alt = altair()
    at = f" at δ = {delta}" if delta is not None else ""
    chart = alt.Chart(alt.Data(values=rows)).encode(x=alt.X("step:Q", title="step"))
    curve = chart.mark_line(strokeWidth=2.5, color=PALETTE[0]).encode(
        y=alt.Y("loss:Q", title=loss, scale=alt.Scale(zero=False), axis=alt.Axis(titleColor=PALETTE[0]))
    )
    price = chart.mark_line(strokeWidth=2.5, color=PALETTE[1], strokeDash=[6, 3]).encode(
        y=alt.Y("epsilon:Q", title=f"ε spent{at}, at most", axis=alt.Axis(titleColor=PALETTE[1], grid=False))
    )
    both = alt.layer(curve, price).resolve_scale(y="independent")
    return finished(both, "What each step taught, and what it cost")


def _rows(steps: Sequence[Step]) -> list[dict[str, Any]]:
    spent = [float(epsilon) for _, _, epsilon in steps]
    if not spent:
        raise InvalidParameter("steps must hold at least one (step, loss, ε)")
    if not all(math.isfinite(value) and value >= 0 for value in spent) or spent != sorted(spent):
        raise InvalidParameter("the ε spent must be finite and must not fall from one step to the next")
    return [
        {"step": int(step), "loss": _drawn(loss), "epsilon": epsilon}
        for (step, loss, _), epsilon in zip(steps, spent, strict=True)
    ]


def _drawn(loss: float) -> float | None:
    number = float(loss)
    return number if math.isfinite(number) else None
