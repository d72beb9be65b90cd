"""A guarantee seen three ways at once."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalenius.charts.profile import privacy_profile
from dalenius.charts.theme import altair, colors, named, side_by_side
from dalenius.charts.tradeoff import trade_off
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee

if TYPE_CHECKING:
    import altair as alt

_WIDTH, _HEIGHT, _CELLS = 280, 260, 300


def three_views(guarantees: Guarantee | Mapping[str, Guarantee]) -> "alt.HConcatChart":
    """The law of the privacy loss, the trade-off function and the profile δ(ε), side by side  [A Def 14.2, A Def 9.1].

    Parameters
    ----------
    guarantees : one, or several by name; each must have a law of its loss (`loss()`). The loss of a removal is drawn.
    """
    curves = named(guarantees)
    panels = [loss_law(curves), trade_off(curves), privacy_profile(curves)]
    return side_by_side([_bare(panel) for panel in panels])


def loss_law(guarantees: Guarantee | Mapping[str, Guarantee]) -> Any:
    """The mass of the privacy loss in equal cells over their width: atoms stand out as spikes."""
    curves = named(guarantees)
    alt, rows = altair(), []
    for name, guarantee in curves.items():
        loss = getattr(guarantee, "loss", None)
        distribution = loss() if loss is not None else None
        if distribution is None:
            raise InvalidParameter(f"{type(guarantee).__name__} has no law of its privacy loss to draw")
        middles, masses = distribution.laws[0].masses(_CELLS)
        width = float(middles[1] - middles[0])
        rows += [
            {"loss": float(at), "density": float(mass) / width, "name": name}
            for at, mass in zip(middles, masses, strict=True)
        ]
    chart = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2, interpolate="step")
    return chart.encode(
        x=alt.X("loss:Q", title="privacy loss"),
        y=alt.Y("density:Q", title="density"),
        color=colors(list(curves)),
    ).properties(title="Privacy loss")


def _bare(chart: Any) -> Any:
    """The chart without a configuration of its own, which a row of charts has once."""
    plain = chart.copy(deep=False)
    plain._kwds["config"] = altair().Undefined
    return plain.properties(width=_WIDTH, height=_HEIGHT)
