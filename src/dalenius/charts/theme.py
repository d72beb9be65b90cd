"""The theme of every chart: palette, fonts and sizes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.escape import chart_text

if TYPE_CHECKING:
    import altair as alt

# Okabe and Ito's colors, which people with any color vision tell apart
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
WIDTH, HEIGHT = 460, 320


def altair() -> Any:
    """The library, imported when the first chart is drawn."""
    try:
        import altair
    except ImportError:
        raise MissingCharts("charts need altair: pip install 'dalenius[charts]'") from None
    return altair


class MissingCharts(DaleniusError, ImportError):
    """The libraries that draw are not installed."""


def named(guarantees: Any) -> Mapping[str, Any]:
    """Guarantees by name; one alone goes by its own words."""
    if not isinstance(guarantees, Mapping):
        return {repr(guarantees): guarantees}
    if not guarantees:
        raise InvalidParameter("a chart needs at least one guarantee")
    return guarantees


def finished(chart: Any, title: str) -> "alt.LayerChart | alt.Chart":
    """Size, title, type and palette, the same everywhere."""
    done: alt.LayerChart | alt.Chart = styled(chart.properties(width=WIDTH, height=HEIGHT, title=title))
    return done


def side_by_side(panels: list[Any]) -> "alt.HConcatChart":
    """Charts of their own size in one row."""
    joined: alt.HConcatChart = styled(altair().hconcat(*panels, spacing=30))
    return joined


def styled(chart: Any) -> Any:
    """Type and colors of a chart that has its size already; no text in it acts, wherever the chart is shown."""
    return (
        _escaped(chart)
        .configure_title(fontSize=15, anchor="start", offset=12)
        .configure_axis(labelFontSize=12, titleFontSize=13, gridColor="#e6e6e6", domainColor="#888888")
        .configure_legend(labelFontSize=12, titleFontSize=12, orient="bottom", labelLimit=420, columns=2)
        .configure_view(stroke=None)
    )


def _escaped(part: Any) -> Any:
    """The same part of a chart with every text escaped, rows of data among them: a notebook's page runs no key."""
    if isinstance(part, str):
        return chart_text(part)
    if isinstance(part, dict):
        return {name: _escaped(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_escaped(value) for value in part]
    if isinstance(part, altair().SchemaBase):
        copied = part.copy(deep=False)
        copied._kwds.update({name: _escaped(value) for name, value in part._kwds.items()})
        return copied
    return part


def colors(names: list[str]) -> Any:
    """One color for each name, in the order given."""
    scale = altair().Scale(domain=names, range=[PALETTE[i % len(PALETTE)] for i in range(len(names))])
    return altair().Color("name:N", scale=scale, title=None)
