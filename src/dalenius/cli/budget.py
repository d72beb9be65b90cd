"""`dalenius budget`: make, look at and check a ledger."""

from typing import Annotated, Any

import typer

from dalenius.cli import budget_log
from dalenius.cli.opened import File, Json, Name, existing
from dalenius.cli.output import say, say_json, shown
from dalenius.errors import UnknownName
from dalenius.escape import terminal
from dalenius.ledger import Entry, Ledger, decimal, in_decimals

app = typer.Typer(help="Make, look at and check a ledger.", no_args_is_help=True)

Who = Annotated[str, typer.Argument(help="The analyst, or the team.")]
RequestId = Annotated[str, typer.Argument(help="The request, or how its name begins.")]
app.command("log")(budget_log.log)
app.command("export")(budget_log.export)


@app.callback()
def _budget() -> None:
    """Make, look at and check a ledger."""


@app.command("create")
def create(
    ledger: File,
    name: Name,
    epsilon: Annotated[str, typer.Option(help="The ε of the budget.")],
    unit: Annotated[str, typer.Option(help='Who is protected: a column, or "row".')],
    delta: Annotated[str, typer.Option(help="The δ of the budget.")] = "0",
    relation: Annotated[str, typer.Option(help='"add-remove" or "change-one".')] = "add-remove",
    filter_: Annotated[str, typer.Option("--filter", help='"auto", "sum", "renyi" or "gaussian".')] = "auto",
    sample: Annotated[
        str | None, typer.Option(help="The rows are a secret sample: with which probability each person was drawn.")
    ] = None,
    json: Json = False,
) -> None:
    """Give a data set its budget, for ever."""
    from dalenius.neighbors import Relation

    book = Ledger.open(ledger).acting(origin="command line")
    book.create(name, epsilon, delta, unit=unit, relation=Relation.of(relation), filter=filter_, sample=sample)
    if json:
        say_json(_facts(book, name))
        return
    say(f"{name} protects {book.unit(name)}; granted {book.limit(name)}")
    _say_sample(book, name)


@app.command("show")
def show(
    ledger: File,
    name: Annotated[str | None, typer.Argument(help="The data set; left out, the only one, or a list of all.")] = None,
    json: Json = False,
) -> None:
    """What was granted, what was charged and what is left."""
    if name is None:
        names = existing(ledger).datasets()
        if len(names) != 1:
            list_(ledger, json)
            return
        name = names[0]
    _show(existing(ledger), name, json)


def _show(book: Ledger, name: str, json: bool) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    if json:
        facts = _facts(book, name) | {"entries": [_entry(entry) for entry in book.entries(name)]}
        say_json(facts)
        return
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("entry", justify="right")
    for word in ("time", "charged", "analyst", "label"):
        table.add_column(word)
    for entry in book.entries(name):
        row = (str(entry.number), entry.time, str(entry.charged), entry.analyst or "", entry.label or "")
        table.add_row(*map(shown, row))
    console = Console()
    limit, left = book.limit(name), book.remaining(name)
    console.print(shown(f"{name} protects {book.unit(name)}; granted {limit}, left {left}"))
    if (sample := book.sample(name)) is not None:
        console.print(shown(f"{name} is {sample}"))
    console.print(_bars(book, name))
    console.print(table)


@app.command("list")
def list_(ledger: File, json: Json = False) -> None:
    """Every data set with what was granted and what is left."""
    book = existing(ledger)
    rows = [_facts(book, name) for name in book.datasets()]
    if json:
        say_json(rows)
        return
    if not rows:
        say("no data set has a budget here yet: `dalenius budget create` gives one")
    for name in book.datasets():
        say(f"{terminal(name)}: granted {book.limit(name)}, left {book.remaining(name)}")
        _say_sample(book, name)


def _say_sample(book: Ledger, name: str) -> None:
    """That the rows are a secret sample, where they are, and what that assumes."""
    if (sample := book.sample(name)) is not None:
        say(f"  {terminal(name)} is {sample}")


@app.command("share")
def share(
    ledger: File,
    name: Name,
    analyst: Who,
    epsilon: Annotated[str, typer.Option(help="The ε that they may draw in all.")],
    delta: Annotated[str, typer.Option(help="The δ that they may draw in all.")] = "0",
    until: Annotated[str | None, typer.Option(help="When it ends, such as 2027-01-01.")] = None,
) -> None:
    """Give, raise or lower the share of an analyst or a team."""
    existing(ledger).share(name, analyst, epsilon, delta, until=until)
    say(f"{terminal(analyst)} may draw {existing(ledger).shares(name)[analyst]} of {terminal(name)}")


@app.command("revoke")
def revoke(ledger: File, name: Name, analyst: Who) -> None:
    """End a share now; what was spent stays with the name."""
    existing(ledger).revoke(name, analyst)
    say(f"{terminal(analyst)} may draw nothing of {terminal(name)}")


@app.command("team")
def team(
    ledger: File,
    name: Name,
    analyst: Annotated[str, typer.Argument(help="The team, which has a share.")],
    members: Annotated[list[str] | None, typer.Argument(help="Who draws with it, from now on.")] = None,
) -> None:
    """Let analysts draw on one share together."""
    existing(ledger).team(name, analyst, members or [])
    say(f"{terminal(analyst)}: {', '.join(map(terminal, members or [])) or 'nobody'}")


@app.command("join")
def join(ledger: File, names: Annotated[list[str], typer.Argument(help="The data sets.")]) -> None:
    """Put data sets of the same people under one budget, before the first charge."""
    book = existing(ledger)
    book.join(*names)
    say(f"{', '.join(map(terminal, names))} have {book.limit(names[0])} together")


@app.command("purpose")
def purpose(
    ledger: File, name: Name, optional: Annotated[bool, typer.Option("--optional", help="No longer.")] = False
) -> None:
    """Refuse charges that do not say what they are for."""
    existing(ledger).require_purpose(name, not optional)
    say(f"a purpose is {'optional' if optional else 'required'} for {terminal(name)}")


@app.command("request")
def request(
    ledger: File,
    name: Name,
    analyst: Who,
    epsilon: Annotated[str, typer.Option(help="The ε that they want besides their share.")],
    delta: Annotated[str, typer.Option(help="The δ that they want besides their share.")] = "0",
    purpose: Annotated[str | None, typer.Option(help="What it is for.")] = None,
) -> None:
    """Ask the owner for more budget; for one question, see `dalenius query --request`."""
    book = existing(ledger).acting(analyst, "command line")
    say(f"requested: {book.request_budget(name, analyst, epsilon, delta, purpose=purpose)}")


@app.command("requests")
def requests(ledger: File, name: Name, json: Json = False) -> None:
    """What analysts have asked for."""
    listed = existing(ledger).requests(name)
    if json:
        say_json([one.to_dict() for one in listed])
        return
    for one in listed:
        words = (one.id[:12], one.state, one.analyst, str(one.price), one.purpose or "", one.text or "more budget")
        say("  ".join(map(terminal, words)))
        for line in (one.error or "").splitlines() if one.state == "open" else []:
            say(f"    {terminal(line)}")


@app.command("approve")
def approve(ledger: File, name: Name, request: RequestId) -> None:
    """Grant a request."""
    book = existing(ledger)
    book.approve(name, _request(book, name, request))
    say("approved")


@app.command("decline")
def decline(
    ledger: File, name: Name, request: RequestId, reason: Annotated[str | None, typer.Option(help="Why.")] = None
) -> None:
    """Refuse a request."""
    book = existing(ledger)
    book.decline(name, _request(book, name, request), reason)
    say("declined")


@app.command("verify")
def verify(
    ledger: File,
    head: Annotated[str | None, typer.Option(help="The head of an earlier receipt, kept elsewhere.")] = None,
    json: Json = False,
) -> None:
    """Recompute every hash and total; with --head, also find a ledger that was cut short or put back."""
    length, last = existing(ledger).verify(head)
    if json:
        say_json({"entries": length, "head": last})
        return
    say(f"whole: {length} entries, head {last}")


def _request(book: Ledger, name: str, begins: str) -> str:
    ids = [one.id for one in book.requests(name) if one.id.startswith(begins)]
    if len(ids) != 1:
        raise UnknownName(f"{len(ids)} requests of {name!r} begin with {begins!r}")
    return ids[0]


def _facts(book: Ledger, name: str) -> dict[str, Any]:
    unit, left = book.unit(name), book.remaining(name)
    shares = {analyst: book.budget(name, analyst=analyst).to_dict() for analyst in book.shares(name)}
    return {"dataset": name, "unit": unit.name, "relation": unit.relation.value} | {
        **book.budget(name).to_dict(),
        "left": left.to_dict(),
        "shares": shares,
    }


def _entry(entry: Entry) -> dict[str, Any]:
    cost = entry.charged
    figures = {"epsilon": cost.epsilon, "delta": cost.delta, "rho": cost.rho}
    return {
        "number": entry.number,
        "time": entry.time,
        "analyst": entry.analyst,
        "label": entry.label,
        "text": entry.text,
        "purpose": entry.purpose,
        "by": entry.by,
        "origin": entry.origin,
        "blocks": None if entry.blocks is None else entry.blocks.to_dict(),
        "key": entry.key,
        "fingerprint": entry.fingerprint,
        **{word: None if value is None else decimal(value) for word, value in figures.items()},
        "charged": in_decimals({"cost": cost.to_dict()})["cost"],
        "guarantee": repr(entry.guarantee),
        "hash": entry.hash,
    }


def _bars(book: Ledger, name: str) -> Any:
    """A bar of what is spent: of the data set, and of each share."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    standings = {name: book.budget(name)} | {f"share of {a}": book.budget(name, analyst=a) for a in book.shares(name)}
    for who, stands in standings.items():
        used = float(stands.used)
        bar = ProgressBar(total=1, completed=used, width=30)
        grid.add_row(shown(who), bar, shown(f"{used:.0%} spent"), shown(f"left {stands.left}"))
    return grid
