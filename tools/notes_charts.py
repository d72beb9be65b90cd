"""Draw the charts of docs/theory/questions.md: errors that the notes compare, from plans and by simulation."""

from pathlib import Path

import altair as alt
import numpy as np

from dalenius.charts import save
from dalenius.curator import Facts
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.queries.moment_bound import MomentBound
from dalenius.statistics import heavy_tailed_mean, marginals

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images" / "notes"
ROWS = 10_000


def noise_by_columns() -> alt.LayerChart:
    """The noise on each of d shares, pure and Gaussian  [A Ex 10.1]."""
    public = Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=ROWS)
    points = []
    for d in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        names = [f"c{place}" for place in range(d)]
        for kind, delta in (("pure: grows as d", None), ("δ = 1e-6: grows as √d", 1e-6)):
            plan = marginals(names, epsilon=1, delta=delta, about=public)
            mechanism = plan.plan.plan.mechanism  # type: ignore[attr-defined]
            points.append({"columns": d, "noise": mechanism.noise.variance**0.5 / ROWS, "kind": kind})
    x = alt.X("columns:Q", scale=alt.Scale(type="log", base=2), title="columns d")
    y = alt.Y("noise:Q", scale=alt.Scale(type="log"), title=f"noise on a share of {ROWS} rows at ε = 1 (deviation)")
    base = alt.Chart(alt.Data(values=points)).encode(x, y, color=alt.Color("kind:N", title=None))
    return (base.mark_line() + base.mark_point(filled=True)).properties(width=520, height=320)


def error_by_moment() -> alt.LayerChart:
    """The squared error of the hardest law under a moment bound: simulated, with the rates of A §4.2.2 as lines."""
    rng, points, lines = np.random.default_rng(1), [], []  # noqa: TID251  data to draw, no noise
    for order in (2, 4):
        moment = MomentBound(order, 1)  # type: ignore[arg-type]
        for rows in (300, 1_000, 3_000, 10_000, 30_000, 100_000):
            plan = heavy_tailed_mean("x", order, 1, epsilon=1, rows=rows)
            clamp = float(moment.clamp(rows, 1))
            far = clamp * order / (order - 1)
            errors = []
            for _ in range(200):
                data = np.where(rng.random(rows) < far**-order, far, 0.0)
                outcome = plan.run(Table.of({"x": data}), Bits())
                errors.append(float(outcome.column(outcome.numbers[0])[0]) - far ** (1 - order))  # type: ignore[arg-type]
            kind = f"central, E|X|^{order} ≤ 1"
            points.append({"rows": rows, "error": float(np.mean(np.square(errors))), "kind": kind})
            lines.append({"rows": rows, "error": rows ** (-2 * (order - 1) / order), "kind": kind})
            local = f"local, E|X|^{order} ≤ 1 (rate alone)"
            lines.append({"rows": rows, "error": rows ** (-(order - 1) / order), "kind": local})
    x = alt.X("rows:Q", scale=alt.Scale(type="log"), title="people n, at ε = 1")
    y = alt.Y("error:Q", scale=alt.Scale(type="log"), title="mean squared error: lines are rates, dots are simulated")
    color = alt.Color("kind:N", title=None)
    rates = alt.Chart(alt.Data(values=lines)).mark_line(strokeDash=[4, 3]).encode(x, y, color=color)
    dots = alt.Chart(alt.Data(values=points)).mark_point(filled=True, size=60).encode(x, y, color=color)
    return (rates + dots).properties(width=520, height=320)


def main() -> int:
    """Write both charts."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    save(noise_by_columns(), FOLDER / "noise-by-columns.png")
    save(error_by_moment(), FOLDER / "error-by-moment.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
