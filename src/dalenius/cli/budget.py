"""`dalenius budget`: make, look at and check a ledger."""

import json as json_
from pathlib import Path
from typing import Annotated, Any

import typer

from dalenius.errors import UnknownName
from dalenius.ledger import Entry, Ledger

app = typer.Typer(help="Make, look at and check a ledger.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger's file.")]
Name = Annotated[str, typer.Argument(help="The data set.")]
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

    book = Ledger.open(ledger)
    book.create(name, epsilon, delta, unit=unit, relation=Relation.of(relation), filter=filter_)
    if json:
        typer.echo(json_.dumps(_facts(book, name), indent=2, ensure_ascii=False))
        return
    typer.echo(f"{name} protects {book.unit(name)}; granted {book.limit(name)}")


@app.command("show")
def show(ledger: File, name: Name, json: Json = False) -> None:
    """What was granted, what was charged and what is left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    book = _existing(ledger)
    if json:
        facts = _facts(book, name) | {"entries": [_entry(entry) for entry in book.entries(name)]}
        typer.echo(json_.dumps(facts, indent=2, ensure_ascii=False))
        return
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("entry", justify="right")
    for word in ("time", "charged", "analyst", "label"):
        table.add_column(word)
    for entry in book.entries(name):
        row = (str(entry.number), entry.time, str(entry.charged), Text(entry.analyst or ""), Text(entry.label or ""))
        table.add_row(*row)
    console = Console()
    limit, left = book.limit(name), book.remaining(name)
    console.print(f"{name} protects {book.unit(name)}; granted {limit}, left {left}", highlight=False, markup=False)
    console.print(_bars(book, name))
    console.print(table)


@app.command("verify")
def verify(
    ledger: File,
    head: Annotated[str | None, typer.Option(help="The head of an earlier receipt, kept elsewhere.")] = None,
    json: Json = False,
) -> None:
    """Recompute every hash and total; with --head, also find a ledger that was cut short or put back."""
    length, last = _existing(ledger).verify(head)
    if json:
        typer.echo(json_.dumps({"entries": length, "head": last}, indent=2))
        return
    typer.echo(f"whole: {length} entries, head {last}")


@app.command("export")
def export(ledger: File, name: Name, json: Json = False) -> None:
    """Every charge with all that it records: CSV, or JSON."""
    import csv
    import io

    rows = [_entry(entry) for entry in _existing(ledger).entries(name)]
    if json:
        typer.echo(json_.dumps(rows, indent=2, ensure_ascii=False))
        return
    out = io.StringIO()
    columns = (
        "number",
        "time",
        "analyst",
        "label",
        "key",
        "fingerprint",
        "epsilon",
        "delta",
        "rho",
        "guarantee",
        "hash",
    )
    writer = csv.DictWriter(out, fieldnames=columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    typer.echo(out.getvalue(), nl=False)


def _existing(ledger: Path) -> Ledger:
    if not ledger.is_file():
        raise UnknownName(f"there is no ledger {str(ledger)!r}")
    return Ledger.open(ledger)


def _facts(book: Ledger, name: str) -> dict[str, Any]:
    unit, left = book.unit(name), book.remaining(name)
    shares = {analyst: book.budget(name, analyst=analyst).to_dict() for analyst in book.shares(name)}
    return {"dataset": name, "unit": unit.name, "relation": unit.relation.value} | {
        **book.budget(name).to_dict(),
        "left": {"epsilon": str(left.epsilon), "delta": str(left.delta)},
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
        "blocks": None if entry.blocks is None else entry.blocks.to_dict(),
        "key": entry.key,
        "fingerprint": entry.fingerprint,
        **{word: None if value is None else str(value) for word, value in figures.items()},
        "charged": cost.to_dict(),
        "guarantee": repr(entry.guarantee),
        "hash": entry.hash,
    }


def _bars(book: Ledger, name: str) -> Any:
    """A bar of what is spent: of the data set, and of each share."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    standings = {name: book.budget(name)} | {f"share of {a}": book.budget(name, analyst=a) for a in book.shares(name)}
    for who, stands in standings.items():
        used = float(stands.used)
        bar = ProgressBar(total=1, completed=used, width=30)
        grid.add_row(Text(who), bar, f"{used:.0%} spent", Text(f"left {stands.left}"))
    return grid
