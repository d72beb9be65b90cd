"""From a chart to a file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalenius.charts.theme import altair
from dalenius.errors import InvalidParameter
from dalenius.escape import json_in_html

if TYPE_CHECKING:
    import altair as alt

KINDS = (".png", ".svg", ".html", ".json")


def save(chart: "alt.LayerChart | alt.Chart | alt.HConcatChart", path: str | Path) -> Path:
    """Write a chart as PNG, SVG, HTML or JSON, by the ending of its name."""
    file = check_file(path)
    page: dict[str, Any] = {"json_kwds": {"cls": _ForPages}} if file.suffix == ".html" else {}
    chart.save(str(file), scale_factor=2.0 if file.suffix == ".png" else 1.0, **page)
    return file


def svg_text(chart: "alt.LayerChart | alt.Chart | alt.HConcatChart") -> str:
    """A chart as the text of an SVG picture."""
    altair()
    import vl_convert

    return str(vl_convert.vegalite_to_svg(chart.to_json()))


class _ForPages(json.JSONEncoder):
    """JSON that stands in a page's script: a key of the data must not end it."""

    def encode(self, o: Any) -> str:
        """The text, without a letter that a page would read."""
        return json_in_html(super().encode(o))


def check_file(path: str | Path) -> Path:
    """The file, if a chart can be written to one of that ending here."""
    file = Path(path)
    if file.suffix not in KINDS:
        raise InvalidParameter(f"a chart is saved as {', '.join(KINDS)}; got {file.name!r}")
    altair()
    return file
