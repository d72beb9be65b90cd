"""`dalenius query`: one private question to a table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.cli import terms
from dalenius.cli.opened import KeyFile
from dalenius.cli.output import say
from dalenius.errors import InvalidParameter
from dalenius.progress import working

if TYPE_CHECKING:
    from dalenius.curator import Release
    from dalenius.sql import Session

Granted = Annotated[
    str | None, typer.Option("--budget", "--budget-epsilon", help="What all answers may cost, for ever.")
]
GrantedDelta = Annotated[str | None, typer.Option(help="The δ of that budget.")]
LedgerFile = Annotated[
    Path | None, typer.Option(help="The file that keeps the budget; by default table.ledger beside the file.")
]
People = Annotated[str | None, typer.Option(help="The people whose budget pays, if it is not named like the table.")]
Analyst = Annotated[str | None, typer.Option(help="Whose share of the budget pays.")]
RetryKey = Annotated[str | None, typer.Option(help="Makes a retry safe: the same key is the same charge.")]
Purpose = Annotated[str | None, typer.Option(help="What the answer is for; the owner may require it.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Draw, and pay, again though the answer is known.")]
OnlyRequest = Annotated[
    bool, typer.Option("--request", help="Only ask the owner to let this question be run beside your share.")
]
ChartFile = Annotated[Path | None, typer.Option(help="Draw the answer with its intervals: a .png, .svg or .html file.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


def query(
    asked: terms.Asked,
    epsilon: terms.Price = None,
    policy: terms.PolicyFile = None,
    unit: terms.Owner = None,
    contributions: terms.Contributions = None,
    bounds: terms.Bounds = None,
    keys: terms.Keys = None,
    column: terms.Columns = None,
    fill: terms.Fill = None,
    table: terms.Table = None,
    budget: Granted = None,
    budget_delta: GrantedDelta = None,
    ledger: LedgerFile = None,
    dataset: People = None,
    analyst: Analyst = None,
    within: terms.Within = None,
    of: terms.Of = None,
    max_epsilon: terms.MaxEpsilon = None,
    profile: terms.Profile = None,
    key: RetryKey = None,
    purpose: Purpose = None,
    fresh: Fresh = False,
    key_file: KeyFile = None,
    request: OnlyRequest = False,
    delta: terms.Delta = None,
    groups: terms.Groups = None,
    min_units: terms.MinUnits = 1,
    chart: ChartFile = None,
    json: terms.Json = False,
    csv: Csv = False,
) -> None:
    """Ask one private question: the answer, how far off it may be, and what is left."""
    check_chart(chart)
    said = terms.terms_of(asked, policy, unit, contributions, bounds, keys, column, fill, table)
    session = said.session(ledger, budget_of(budget, budget_delta), analyst, dataset, key_file)
    if session.about_synthetic(said.question):
        raise InvalidParameter("a synthetic table is made, and asked with --ask, by dalenius synthesize")
    priced: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "groups": groups, "min_units": min_units}
    if request:
        if within is not None or max_epsilon is not None:
            raise InvalidParameter("the owner approves a price: say --epsilon, not --within")
        say(f"requested: {session.request(said.question, purpose=purpose, **priced)}")
        return
    with working(f"reading {session.policy.table}"):
        answer = session.sql(
            said.question,
            **priced,
            key=key,
            within=within,
            of=of,
            max_epsilon=max_epsilon,
            purpose=purpose,
            fresh=fresh,
            profile=profile,
        )
    show(answer, session, json=json, csv=csv)
    if chart is not None:  # last: an answer that no chart fits is told all the same
        draw(answer, chart)


def show(answer: "Release", session: "Session", *, json: bool, csv: bool) -> None:
    """Print the answer: for machines, or as a table with what is known of its error and what is left."""
    from dalenius.cli import render
    from dalenius.curator import told_of_answer

    if json or csv:
        typer.echo(render.as_json(answer) if json else render.as_csv(answer), nl=json)
        return
    say(render.as_table(answer))
    for line in told_of_answer(answer.outcome):
        say(line)
    say(f"{answer.paid}; left: {session.budget}")


def check_chart(file: Path | None) -> None:
    """Refuse, before anything is charged, a chart that could not be written."""
    if file is None:
        return
    from dalenius.charts.save import check_file

    check_file(file)
    if not file.absolute().parent.is_dir():
        raise InvalidParameter(f"there is no folder {str(file.parent)!r} for the chart")


def draw(answer: "Release", file: Path) -> None:
    """The answer as bars with intervals."""
    from dalenius import charts

    charts.save(charts.answer(answer), file)  # type: ignore[arg-type]
    say(f"chart {file}", err=True)


def budget_of(epsilon: str | None, delta: str | None) -> dict[str, str] | None:
    """The budget that the owner grants, if one is named."""
    if epsilon is None and delta is not None:
        raise InvalidParameter("--budget-delta goes with --budget")
    return None if epsilon is None else {"epsilon": epsilon, "delta": delta or "0"}
