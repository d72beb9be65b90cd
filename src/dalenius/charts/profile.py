"""δ for every ε."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dalenius.charts.theme import altair, colors, finished, named
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee

if TYPE_CHECKING:
    import altair as alt

POINTS = 200
SMALLEST = 1e-12


def privacy_profile(
    guarantees: Guarantee | Mapping[str, Guarantee], epsilons: Sequence[float] | None = None
) -> "alt.LayerChart | alt.Chart":
    """The smallest proven δ against ε, on a logarithmic axis; each curve is a proven upper bound."""
    curves = named(guarantees)
    alt = altair()
    grid = _grid(curves) if epsilons is None else list(epsilons)
    if not grid:
        raise InvalidParameter("epsilons must hold at least one number")
    rows = [
        {"epsilon": epsilon, "delta": delta, "name": name}
        for name, guarantee in curves.items()
        for epsilon in grid
        if (delta := guarantee.delta(epsilon)) >= SMALLEST
    ]
    chart = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2.5)
    drawn = chart.encode(
        x=alt.X("epsilon:Q", title="ε"),
        y=alt.Y(
            "delta:Q", title="δ, at most", scale=alt.Scale(type="log", domain=[SMALLEST, 1]), axis=alt.Axis(format="~e")
        ),
        color=colors(list(curves)),
    )
    return finished(drawn, "The price of a smaller ε: the chance δ that it fails")


def _grid(curves: Mapping[str, Guarantee]) -> list[float]:
    most = max(guarantee.epsilon(SMALLEST) for guarantee in curves.values())
    return [most * i / (POINTS - 1) for i in range(POINTS)]
