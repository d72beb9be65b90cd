"""`dalenius ledger`: care for a ledger's file."""

from pathlib import Path
from typing import Annotated

import typer

import dalenius.ledger as care
from dalenius.cli.output import say

app = typer.Typer(help="Copy, put back, check and compact a ledger's file.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger's file.")]
Head = Annotated[str | None, typer.Option(help="The last head that was kept elsewhere.")]


@app.command("backup")
def backup(ledger: File, copy: Annotated[Path, typer.Argument(help="A new file.")]) -> None:
    """Write a verified copy, also while the ledger is in use."""
    length, head = care.backup(ledger, copy)
    say(f"copied {length} entries; keep this head elsewhere: {head}")


@app.command("restore")
def restore(copy: Annotated[Path, typer.Argument(help="The copy.")], ledger: File, head: Head = None) -> None:
    """Put a copy back; without the last head, or with a later one, every budget in it counts as spent."""
    goes_on = care.restore(copy, ledger, head)
    say("put back; its budgets go on" if goes_on else "put back; every budget in it counts as spent")


@app.command("check")
def check(ledger: File, head: Head = None) -> None:
    """Recompute every hash and total; with --head, find a ledger that was cut short or put back."""
    length, last = care.check(ledger, head)
    say(f"whole: {length} entries, head {last}")


@app.command("compact")
def compact(ledger: File) -> None:
    """Give unused space back to the disk; no entry is removed."""
    before, after = care.compact(ledger)
    say(f"{before} bytes before, {after} now")
