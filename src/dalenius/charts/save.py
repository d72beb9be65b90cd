"""From a chart to a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from dalenius.charts.theme import altair
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    import altair as alt

KINDS = (".png", ".svg", ".html", ".json")


def save(chart: "alt.LayerChart | alt.Chart | alt.HConcatChart", path: str | Path) -> Path:
    """Write a chart as PNG, SVG, HTML or JSON, by the ending of its name."""
    file = check_file(path)
    chart.save(str(file), scale_factor=2.0 if file.suffix == ".png" else 1.0)
    return file


def check_file(path: str | Path) -> Path:
    """The file, if a chart can be written to one of that ending here."""
    file = Path(path)
    if file.suffix not in KINDS:
        raise InvalidParameter(f"a chart is saved as {', '.join(KINDS)}; got {file.name!r}")
    altair()
    return file
