"""A synthetic copy against the tables that it was made from, and, for the owner, against the private rows."""

from typing import TYPE_CHECKING, Any

from dalenius.charts.theme import PALETTE, altair, colors, finished, styled
from dalenius.errors import InvalidParameter
from dalenius.numerics import Number, probability

if TYPE_CHECKING:
    import altair as alt

    from dalenius.synthesis import Comparison, Copy

MOST_BARS = 200
_STEP = 26


def copy_marginal(copy: "Copy", columns: list[str], level: Number = 0.95) -> "alt.LayerChart | alt.Chart":
    """Released counts of one or two columns as bars with their intervals, and the copy's counts as dots; free.

    Both are made of released numbers alone. A dot outside of its whisker is what the copy does not keep, or noise that
    it has smoothed away.
    """
    alt = altair()
    if isinstance(columns, str) or not 1 <= len(columns) <= 2:
        raise InvalidParameter(f"a chart of a copy is of one or two columns, got {columns!r}")
    share = probability(level, "level")
    table = copy.marginal(columns, share)
    if not table.measured:
        raise InvalidParameter(f"{' × '.join(columns)} was not measured: there is nothing released to compare with")
    if table.counts.size > MOST_BARS:
        raise InvalidParameter(f"a chart shows at most {MOST_BARS} bars, got {table.counts.size}")
    rows = _cells(table)
    first = list(table.labels[0])
    side: dict[str, Any] = {"x": alt.X("key:N", title=columns[0], sort=first, axis=alt.Axis(labelAngle=-40))}
    paint: dict[str, Any] = {"color": alt.value(PALETTE[0])}
    if len(columns) == 2:
        second = list(table.labels[1])
        side["xOffset"] = alt.XOffset("name:N", sort=second)
        paint = {"color": colors(second).title(columns[1])}
    chart = alt.Chart(alt.Data(values=rows))
    bars = chart.mark_bar(opacity=0.55).encode(y=alt.Y("released:Q", title="rows"), **side, **paint)
    reach = chart.mark_rule(strokeWidth=1.5, color="#222222").encode(y="lower:Q", y2="upper:Q", **side)
    dots = chart.mark_point(size=50, fill="white", stroke="#000000", strokeWidth=1.5, opacity=1).encode(
        y="copy:Q", **side
    )
    title = f"{' × '.join(columns)}: released counts with {100 * float(share):.4g} % intervals; dots: the copy"
    return finished(alt.layer(bars, reach, dots), title)


def copy_quality(copy: "Copy") -> "alt.LayerChart | alt.Chart":
    """How far the copy is from each released table, against what noise alone would give; free.

    1 says that copy and released table differ as much as the noise does; far above, that the copy misses something.
    """
    report = copy.report()
    values = {table.columns: table.disagreement / max(table.expected, 1e-12) for table in report.measured}
    return _grid(list(copy.columns), values, "distance ÷ noise", "The copy against the released tables", (0, 2))


def copy_distance(comparison: "Comparison") -> "alt.LayerChart | alt.Chart":
    """How far the copy is from the private rows, table by table, as the owner paid to know."""
    distances = comparison.table()
    values = dict(zip(comparison.columns, distances["distance"], strict=True))
    names = list(dict.fromkeys(name for columns in comparison.columns for name in columns))
    top = max(*values.values(), 0.01)
    return _grid(names, values, "total variation", "The copy against the private rows", (0, top))


def _grid(
    names: list[str], values: dict[tuple[str, ...], float], legend: str, title: str, ends: tuple[float, float]
) -> "alt.LayerChart | alt.Chart":
    """A square for each pair of columns, and on the diagonal for each column; of tables by a label, without it."""
    alt = altair()
    shared = set.intersection(*map(set, values)) if values and max(map(len, values)) > 2 else set()
    rows = []
    for columns, value in values.items():
        pair = [name for name in columns if name not in shared] or list(columns)
        for one, other in {(pair[0], pair[-1]), (pair[-1], pair[0])}:
            rows.append({"one": one, "other": other, "value": value, "told": f"{value:.2f}"})
    kept = [name for name in names if name not in shared]
    chart = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("one:N", title=None, sort=kept, axis=alt.Axis(labelAngle=-40, grid=False)),
        y=alt.Y("other:N", title=None, sort=kept, axis=alt.Axis(grid=False)),
    )
    scale = alt.Scale(domain=list(ends), scheme="blues", clamp=True)
    squares = chart.mark_rect().encode(color=alt.Color("value:Q", title=legend, scale=scale))
    middle = (ends[0] + ends[1]) / 2
    ink = alt.condition(alt.datum.value > middle, alt.value("white"), alt.value("#222222"))
    texts = chart.mark_text(fontSize=9).encode(text="told:N", color=ink)
    layers = alt.layer(squares, texts) if len(kept) <= 12 else squares
    size = max(_STEP * len(kept), 200)
    return styled(layers.properties(width=size, height=size, title=title))  # type: ignore[no-any-return]


def _cells(table: Any) -> list[dict[str, Any]]:
    rows = []
    for place, key in enumerate(table.labels[0]):
        others = table.labels[1] if len(table.labels) == 2 else ("",)
        for second, name in enumerate(others):
            at = (place, second) if len(table.labels) == 2 else (place,)
            numbers = {"released": table.counts, "lower": table.lower, "upper": table.upper, "copy": table.modelled}
            rows.append({"key": key, "name": name} | {name: float(values[at]) for name, values in numbers.items()})
    return rows
