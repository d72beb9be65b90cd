"""`dalenius account`: any two of noise, promise and number of releases give the third."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.output import say, say_json
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.numerics import digits_above, digits_below, positive, probability

app = typer.Typer(
    help="Privacy accounting: give two of noise, (ε, δ) and releases, get the third, proved from both sides.",
    no_args_is_help=True,
)

Scale = Annotated[str | None, typer.Option("--noise", help="Noise scale: σ, or b for Laplace, or ε₀ of one response.")]
Sensitivity = Annotated[str, typer.Option(help="How far one unit moves the answer.")]
Epsilon = Annotated[str | None, typer.Option(help="The ε to keep.")]
Delta = Annotated[str, typer.Option(help="The δ to keep.")]
Releases = Annotated[int | None, typer.Option("--steps", help="How many releases.")]
Chart = Annotated[Path | None, typer.Option(help="Draw δ against ε: .png, .svg or .html.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Build = Callable[[Fraction], Guarantee]


@app.command("gaussian")
def gaussian(
    noise: Scale = None,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    steps: Releases = None,
    sensitivity: Sensitivity = "1",
    chart: Chart = None,
    json: Json = False,
) -> None:
    """Gaussian noise of standard deviation σ; sensitivity in ℓ2."""
    from dalenius.guarantees import GDP

    size = positive(sensitivity, "sensitivity")
    _answer("Gaussian, σ", lambda scale: GDP(size / scale), noise, epsilon, delta, steps, chart, json)


@app.command("laplace")
def laplace(
    noise: Scale = None,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    steps: Releases = None,
    sensitivity: Sensitivity = "1",
    chart: Chart = None,
    json: Json = False,
) -> None:
    """Laplace noise of scale b; sensitivity in ℓ1."""
    from dalenius.guarantees import LossDistribution, loss

    size = positive(sensitivity, "sensitivity")

    def build(scale: Fraction) -> Guarantee:
        return LossDistribution.of(loss.laplace(size / scale))

    _answer("Laplace, b", build, noise, epsilon, delta, steps, chart, json)


@app.command("dpsgd")
def dpsgd(
    batch: Annotated[int, typer.Option(help="Expected batch size.")],
    population: Annotated[int, typer.Option(help="How many examples there are.")],
    noise: Scale = None,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    steps: Releases = None,
    chart: Chart = None,
    json: Json = False,
) -> None:
    """DP-SGD with Poisson batches (each example joins with chance batch/population).

    Noise is σ over the clipping norm.
    """
    from dalenius.guarantees import GDP, PoissonSampling

    if not 1 <= batch <= population:
        raise InvalidParameter(f"batch must lie between 1 and the population {population}, got {batch}")
    sampling = PoissonSampling(Fraction(batch, population))
    _answer("DP-SGD, σ", lambda scale: GDP(1 / scale).amplify(sampling), noise, epsilon, delta, steps, chart, json)


@app.command("fixed-batches")
def fixed_batches(
    batch: Annotated[int, typer.Option(help="Batch size, the same every time.")],
    population: Annotated[int, typer.Option(help="How many examples there are.")],
    noise: Scale = None,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    steps: Releases = None,
    chart: Chart = None,
    json: Json = False,
) -> None:
    """DP-SGD with batches of a fixed size, for change-one neighbors: noise is σ over twice the clipping norm."""
    from dalenius.guarantees import GDP, SubsetSampling
    from dalenius.neighbors import Relation

    sampling = SubsetSampling(batch, population)

    def build(scale: Fraction) -> Guarantee:
        return GDP(1 / scale, Relation.CHANGE_ONE).amplify(sampling)

    _answer("fixed batches, σ", build, noise, epsilon, delta, steps, chart, json)


@app.command("rr")
def rr(
    noise: Scale = None,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    steps: Releases = None,
    chart: Chart = None,
    json: Json = False,
) -> None:
    """Randomized response, or any ε₀-private mechanism; noise is 1/ε₀."""
    from dalenius.guarantees import PureDP

    _answer("pure, 1/ε₀", lambda scale: PureDP(1 / scale), noise, epsilon, delta, steps, chart, json)


def _answer(
    family: str,
    build: Build,
    noise: str | None,
    epsilon: str | None,
    delta: str,
    steps: int | None,
    chart: Path | None,
    json: bool,
) -> None:
    """Find what was left out, and say what is proved of the whole."""
    from dalenius.guarantees import least_scale, most_repetitions

    given = [noise is not None, epsilon is not None, steps is not None]
    if sum(given) != 2:
        raise InvalidParameter("give two of --noise, --epsilon (with --delta) and --steps; the third is the answer")
    facts_of_noise: dict[str, float]
    if noise is None:
        below, scale = least_scale(lambda s: build(s).repeat(_steps(steps)), str(epsilon), delta)
        facts_of_noise, releases = {"noise": float(scale), "noise_lower": float(below)}, _steps(steps)
    else:
        scale = positive(noise, "noise")
        releases = (
            most_repetitions(build(scale), epsilon, delta) if steps is None and epsilon is not None else _steps(steps)
        )
        facts_of_noise = {"steps": releases} if steps is None else {}
    total = build(scale).repeat(releases)
    at = float(probability(delta, "delta"))
    low, high = total.epsilon_interval(at)
    facts = facts_of_noise | {"epsilon": high, "epsilon_lower": low, "delta": at}
    _print(f"{family} = {float(scale):.10g}, {releases} releases", facts, json)
    if chart is not None:
        from dalenius.charts import privacy_profile, save

        save(privacy_profile({f"{family} = {float(scale):.6g}, {releases} releases": total}), chart)


def _steps(steps: int | None) -> int:
    if steps is None or steps < 1:
        raise InvalidParameter(f"steps must be a whole number ≥ 1, got {steps}")
    return steps


def _print(what: str, facts: dict[str, float], json: bool) -> None:
    if json:
        say_json(facts, indent=None)
        return
    if "noise" in facts:
        say(f"noise {digits_above(facts['noise'], 12)} is enough; {digits_below(facts['noise_lower'], 12)} is not")
    elif "steps" in facts:
        say(f"{facts['steps']} releases are proved")
    say(f"{what}: ({digits_above(facts['epsilon'], 7)}, {facts['delta']:g})-differential privacy")
    low, high = digits_below(facts["epsilon_lower"], 10), digits_above(facts["epsilon"], 10)
    say(f"the smallest ε lies between {low} and {high}")
