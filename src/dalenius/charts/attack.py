"""Chart what an attack rebuilt of people's secrets, and how much noise stops it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalenius.charts.theme import PALETTE, altair, finished, side_by_side
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    import altair as alt

SIDE, TALL = 300, 260


def reconstruction(attacks: Mapping[str, Any], truth: Any) -> "alt.HConcatChart":
    """Side by side, for each attack, its score of every person against the person's secret bit.

    `attacks` are the scores of a reconstruction by name, as `Rebuilt.scores`: above ½ the attack says 1. Points of the
    two colors apart on the two sides of the line are secrets that are out; mixed points are secrets that are kept.
    """
    alt = altair()
    secret = [int(bit) for bit in truth]
    if not attacks or not secret or any(len(scores) != len(secret) for scores in attacks.values()):
        raise InvalidParameter("a chart of an attack needs one score for each secret bit, and at least one attack")
    panels = [_panel(alt, name, [float(score) for score in scores], secret) for name, scores in attacks.items()]
    return side_by_side(panels)


def _panel(alt: Any, name: str, scores: list[float], secret: list[int]) -> Any:
    right = sum((score > 0.5) == bool(bit) for score, bit in zip(scores, secret, strict=True)) / len(secret)
    rows = [
        {"person": k, "score": score, "bit": str(bit)}
        for k, (score, bit) in enumerate(zip(scores, secret, strict=True))
    ]
    color = alt.Color("bit:N", title="secret bit", scale=alt.Scale(domain=["0", "1"], range=list(PALETTE[:2])))
    points = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=48, opacity=0.85)
        .encode(
            x=alt.X("person:Q", title="person", axis=alt.Axis(grid=False)),
            y=alt.Y("score:Q", title="what the attack believes", scale=alt.Scale(domain=[-0.05, 1.05], nice=False)),
            color=color,
            shape=alt.Shape("bit:N", title="secret bit", scale=alt.Scale(domain=["0", "1"])),
        )
    )
    line = alt.Chart(alt.Data(values=[{"half": 0.5}])).mark_rule(strokeDash=[5, 4], color="#666666").encode(y="half:Q")
    title = f"{name}: {right:.0%} of the bits right"
    return alt.layer(line, points).properties(width=SIDE, height=TALL, title=title)


def reconstruction_threshold(
    rows: Sequence[Mapping[str, float]], title: str | None = None
) -> "alt.LayerChart | alt.Chart":
    """The share of bits that an attack rebuilds by the error of the answers, in units of √n.

    `rows` hold `ratio` (error over √n) and `agreement`, as `audit.attacks.threshold_curve` gives them: below a fraction
    of √n everything comes back, far above it a guess would do as well  [A Thm 2.2, A Prop 2.1].
    """
    alt = altair()
    given = [{"ratio": float(row["ratio"]), "agreement": float(row["agreement"])} for row in rows]
    if len(given) < 2 or any(row["ratio"] <= 0 for row in given):
        raise InvalidParameter("a chart of the threshold needs at least two levels of noise, each > 0")
    height = alt.Scale(domain=[0.4, 1.02], nice=False)
    share = alt.Y("agreement:Q", title="share of bits rebuilt", scale=height)
    curve = (
        alt.Chart(alt.Data(values=given))
        .mark_line(strokeWidth=2.5, color=PALETTE[0], point=alt.OverlayMarkDef(color=PALETTE[0], size=50))
        .encode(
            x=alt.X(
                "ratio:Q",
                title="largest error of an answer, in units of √n",
                scale=alt.Scale(type="log", nice=False, padding=12),
                axis=alt.Axis(grid=False, values=[0.1, 0.2, 0.5, 1, 2, 5, 10, 20]),
            ),
            y=share,
        )
    )
    coin = alt.Chart(alt.Data(values=[{"agreement": 0.5}])).mark_rule(strokeDash=[5, 4], color="#666666")
    root = alt.Chart(alt.Data(values=[{"ratio": 1.0}])).mark_rule(strokeDash=[2, 3], color=PALETTE[1])
    marks = [coin.encode(y=share), root.encode(x="ratio:Q")]
    return finished(alt.layer(*marks, curve), title or "An error of √n is where reconstruction ends")
