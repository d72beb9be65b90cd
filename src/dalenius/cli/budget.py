"""`dalenius budget`: what a ledger holds."""

import json as json_
from pathlib import Path
from typing import Annotated

import typer

from dalenius.errors import UnknownName
from dalenius.ledger import Ledger

app = typer.Typer(help="Look at a ledger.", no_args_is_help=True)


@app.callback()
def _budget() -> None:
    """Look at a ledger."""


@app.command("show")
def show(
    ledger: Annotated[Path, typer.Argument(help="The ledger's file.")],
    name: Annotated[str, typer.Argument(help="The data set.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What was granted, what was charged and what is left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not ledger.is_file():
        raise UnknownName(f"there is no ledger {str(ledger)!r}")
    book = Ledger.open(ledger)
    limit, left, entries = book.limit(name), book.remaining(name), book.entries(name)
    if json:
        facts = {
            "dataset": name,
            "unit": book.unit(name).name,
            "relation": book.unit(name).relation.value,
            "granted": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
            "left": {"epsilon": str(left.epsilon), "delta": str(left.delta)},
            "entries": [{"number": e.number, "time": e.time, "epsilon": str(e.charged.epsilon)} for e in entries],
        }
        typer.echo(json_.dumps(facts, indent=2))
        return
    table = Table("entry", "time", "charged", "analyst", header_style="bold", box=box.SIMPLE_HEAD, show_edge=False)
    for entry in entries:
        table.add_row(str(entry.number), entry.time, str(entry.charged), Text(entry.analyst or ""))
    console = Console()
    console.print(f"{name} protects {book.unit(name)}; granted {limit}, left {left}", highlight=False, markup=False)
    console.print(table)
