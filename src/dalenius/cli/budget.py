"""`dalenius budget`: make, look at and check a ledger."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dalenius.cli.output import say, say_csv, say_json, shown
from dalenius.errors import UnknownName
from dalenius.escape import terminal
from dalenius.ledger import Entry, Ledger, decimal

app = typer.Typer(help="Make, look at and check a ledger.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger's file.")]
Name = Annotated[str, typer.Argument(help="The data set.")]
Who = Annotated[str, typer.Argument(help="The analyst, or the team.")]
RequestId = Annotated[str, typer.Argument(help="The request, or how its name begins.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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
    json: Json = False,
) -> None:
    """Give a data set its budget, for ever."""
    from dalenius.neighbors import Relation

    book = Ledger.open(ledger).acting(origin="command line")
    book.create(name, epsilon, delta, unit=unit, relation=Relation.of(relation), filter=filter_)
    if json:
        say_json(_facts(book, name))
        return
    say(f"{name} protects {book.unit(name)}; granted {book.limit(name)}")


@app.command("show")
def show(ledger: File, name: Name, json: Json = False) -> None:
    """What was granted, what was charged and what is left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    book = _existing(ledger)
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
    console.print(_bars(book, name))
    console.print(table)


@app.command("list")
def list_(ledger: File, json: Json = False) -> None:
    """Every data set with what was granted and what is left."""
    book = _existing(ledger)
    rows = [_facts(book, name) for name in book.datasets()]
    if json:
        say_json(rows)
        return
    for name in book.datasets():
        say(f"{terminal(name)}: granted {book.limit(name)}, left {book.remaining(name)}")


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
    _existing(ledger).share(name, analyst, epsilon, delta, until=until)
    say(f"{terminal(analyst)} may draw {_existing(ledger).shares(name)[analyst]} of {terminal(name)}")


@app.command("revoke")
def revoke(ledger: File, name: Name, analyst: Who) -> None:
    """End a share now; what was spent stays with the name."""
    _existing(ledger).revoke(name, analyst)
    say(f"{terminal(analyst)} may draw nothing of {terminal(name)}")


@app.command("team")
def team(
    ledger: File,
    name: Name,
    analyst: Annotated[str, typer.Argument(help="The team, which has a share.")],
    members: Annotated[list[str] | None, typer.Argument(help="Who draws with it, from now on.")] = None,
) -> None:
    """Let analysts draw on one share together."""
    _existing(ledger).team(name, analyst, members or [])
    say(f"{terminal(analyst)}: {', '.join(map(terminal, members or [])) or 'nobody'}")


@app.command("join")
def join(ledger: File, names: Annotated[list[str], typer.Argument(help="The data sets.")]) -> None:
    """Put data sets of the same people under one budget, before the first charge."""
    book = _existing(ledger)
    book.join(*names)
    say(f"{', '.join(map(terminal, names))} have {book.limit(names[0])} together")


@app.command("purpose")
def purpose(
    ledger: File, name: Name, optional: Annotated[bool, typer.Option("--optional", help="No longer.")] = False
) -> None:
    """Refuse charges that do not say what they are for."""
    _existing(ledger).require_purpose(name, not optional)
    say(f"a purpose is {'optional' if optional else 'required'} for {terminal(name)}")


@app.command("log")
def log(
    ledger: File,
    name: Name,
    kind: Annotated[str | None, typer.Option(help='Only this kind, such as "reserve" or "share".')] = None,
    analyst: Annotated[str | None, typer.Option(help="Only entries that name this analyst.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from this time on, such as 2026-03-01.")] = None,
    until: Annotated[str | None, typer.Option(help="Only before this time.")] = None,
    containing: Annotated[str | None, typer.Option(help="Only with these words in text, purpose or label.")] = None,
    json: Json = False,
) -> None:
    """Charges and decisions, in order."""
    terms = {"kind": kind, "analyst": analyst, "since": since, "until": until, "containing": containing}
    found = _existing(ledger).log(name, **terms)
    if json:
        rows = [{"number": e.number, "kind": e.kind, "hash": e.hash, "words": e.words} for e in found]
        say_json(rows)
        return
    for entry in found:
        said = [entry.words.get(word) for word in ("label", "purpose", "text", "reason")]
        words = (str(entry.number), entry.time, entry.kind, entry.analyst or "owner", entry.origin or "", *said)
        say("  ".join(terminal(word) for word in words if word))


@app.command("requests")
def requests(ledger: File, name: Name, json: Json = False) -> None:
    """What analysts have asked for."""
    found = _existing(ledger).requests(name)
    if json:
        say_json([one.to_dict() for one in found])
        return
    for one in found:
        words = (one.id[:12], one.state, one.analyst, str(one.price), one.purpose or "", one.text or "more budget")
        say("  ".join(map(terminal, words)))


@app.command("approve")
def approve(ledger: File, name: Name, request: RequestId) -> None:
    """Grant a request."""
    book = _existing(ledger)
    book.approve(name, _request(book, name, request))
    say("approved")


@app.command("decline")
def decline(
    ledger: File, name: Name, request: RequestId, reason: Annotated[str | None, typer.Option(help="Why.")] = None
) -> None:
    """Refuse a request."""
    book = _existing(ledger)
    book.decline(name, _request(book, name, request), reason)
    say("declined")


@app.command("verify")
def verify(
    ledger: File,
    head: Annotated[str | None, typer.Option(help="The head of an earlier receipt, kept elsewhere.")] = None,
    json: Json = False,
) -> None:
    """Recompute every hash and total; with --head, also find a ledger that was cut short or put back."""
    length, last = _existing(ledger).verify(head)
    if json:
        say_json({"entries": length, "head": last})
        return
    say(f"whole: {length} entries, head {last}")


@app.command("export")
def export(ledger: File, name: Name, json: Json = False) -> None:
    """Every charge with all that it records: CSV, or JSON."""
    rows = [_entry(entry) for entry in _existing(ledger).entries(name)]
    if json:
        say_json(rows)
        return
    columns = (
        "number",
        "time",
        "analyst",
        "label",
        "purpose",
        "text",
        "by",
        "origin",
        "key",
        "fingerprint",
        "epsilon",
        "delta",
        "rho",
        "guarantee",
        "hash",
    )
    say_csv(columns, ([row[column] for column in columns] for row in rows))


def _existing(ledger: Path) -> Ledger:
    if not ledger.is_file():
        raise UnknownName(f"there is no ledger {str(ledger)!r}")
    return Ledger.open(ledger).acting(origin="command line")


def _request(book: Ledger, name: str, begins: str) -> str:
    found = [one.id for one in book.requests(name) if one.id.startswith(begins)]
    if len(found) != 1:
        raise UnknownName(f"{len(found)} requests of {name!r} begin with {begins!r}")
    return found[0]


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
        "charged": cost.to_dict(),
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
