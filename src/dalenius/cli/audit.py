"""`dalenius audit`: run someone's mechanism on two neighbors and say what it leaks at least."""

import ast
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.cli.output import say, say_json
from dalenius.errors import InvalidParameter, UnknownName

if TYPE_CHECKING:
    from dalenius.audit import Report
    from dalenius.guarantees import Guarantee


def audit(
    target: Annotated[str, typer.Argument(help="module:function, a callable data -> output.")],
    claim: Annotated[
        str, typer.Option(help='What it claims: "epsilon=1", "epsilon=1, delta=1e-6", "mu=1", "rho=0.5".')
    ],
    x: Annotated[str, typer.Option("--x", help="A data set, as a Python literal.")],
    x2: Annotated[str, typer.Option("--x2", help="Its neighbor, as a Python literal.")],
    draws: Annotated[int, typer.Option(help="Outputs drawn on each.")] = 20_000,
    alpha: Annotated[float, typer.Option(help="Chance of a false alarm.")] = 0.05,
    relation: Annotated[str, typer.Option(help='Check that they are "add-remove" or "change-one" neighbors.')] = "",
    seconds: Annotated[float, typer.Option(help="Stop drawing after this long; 0 is never.")] = 0.0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Certify how much a mechanism leaks at least; exit code 1 if that refutes its claim."""
    from dalenius.audit import lower_bound
    from dalenius.neighbors import Relation

    with _progress(wanted=not json and sys.stderr.isatty()) as progress:
        report = lower_bound(
            callable_of(target),
            _literal(x, "x"),
            _literal(x2, "x2"),
            claim=claim_of(claim),
            draws=draws,
            alpha=alpha,
            relation=Relation.of(relation) if relation else None,
            seconds=seconds or None,
            progress=progress,
        )
    if json:
        say_json(_facts(report), indent=None)
    else:
        say(str(report))
    if report.rejects:
        raise typer.Exit(1)


def claim_of(text: str) -> "Guarantee":
    """The guarantee that a text such as "epsilon=1, delta=1e-6" names."""
    from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP

    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    given = {name.strip(): value.strip() for name, _, value in pairs}
    match given:
        case {"epsilon": epsilon, "delta": delta, **rest} if not rest:
            return ApproxDP(epsilon, delta)
        case {"epsilon": epsilon, **rest} if not rest:
            return PureDP(epsilon)
        case {"mu": mu, **rest} if not rest:
            return GDP(mu)
        case {"rho": rho, **rest} if not rest:
            return ZCDP(rho)
    raise InvalidParameter(f'a claim is "epsilon=1", "epsilon=1, delta=1e-6", "mu=1" or "rho=0.5", got {text!r}')


def callable_of(target: str) -> Any:
    """The object that module:name means; modules of the working folder are found too."""
    module, _, name = target.partition(":")
    if not module or not name:
        raise InvalidParameter(f"give module:function, got {target!r}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        member: Any = importlib.import_module(module)
        for part in name.split("."):
            member = getattr(member, part)
    except (ImportError, AttributeError) as error:
        raise UnknownName(f"{target!r} was not found: {error}") from None
    return member


def _literal(text: str, name: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise InvalidParameter(f"--{name} must be a Python literal such as [1, 0, 1], got {text!r}") from None


def _facts(report: "Report") -> dict[str, Any]:
    counts = report.counts
    return {
        "rejects": report.rejects,
        "epsilon": report.epsilon,
        "delta": report.delta,
        "p_value": report.p_value,
        "event": report.event,
        "more_likely_on": "x2" if report.reversed else "x",
        "counts": [counts.first, counts.first_draws, counts.second, counts.second_draws],
        "curve": report.curve,
        "notes": report.notes,
    }


@contextmanager
def _progress(*, wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar of the outputs drawn, on stderr; it is taken away however the block ends."""
    if not wanted:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task("drawing")
        yield lambda done, all_draws: bar.update(task, completed=done, total=all_draws)
