"""`dalenius ledger`: care for a ledger's file."""

from pathlib import Path
from typing import Annotated

import typer

import dalenius.ledger as care
from dalenius.cli.opened import File, KeyFile, existing
from dalenius.cli.output import say

app = typer.Typer(help="Copy, put back, check, compact and encrypt a ledger's file.", no_args_is_help=True)

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
    book = care.Ledger.open(ledger)
    spent = [name for name in book.datasets() if book.written_off(name) is not None]
    book.close()
    consequence = "its budgets go on" if goes_on else f"what counts as spent: the budget of {', '.join(spent)}"
    say(f"put back; {consequence}")


@app.command("check")
def check(ledger: File, head: Head = None, key_file: KeyFile = None) -> None:
    """Recompute every hash and total; with --head, find a ledger that was cut short or put back."""
    length, last = care.check(ledger, head, key_file)
    book = care.Ledger.open(ledger, key_file)
    locked = book.locked_answers()
    book.close()
    say(f"whole: {length} entries, head {last}")
    if locked:
        say(f"{locked} encrypted answers were not opened: give --key-file to check them too")


@app.command("compact")
def compact(ledger: File) -> None:
    """Give unused space back to the disk; no entry is removed."""
    before, after = care.compact(ledger)
    say(f"{before} bytes before, {after} now")


@app.command("write-off")
def write_off(
    ledger: File,
    name: Annotated[str, typer.Argument(help="The data set.")],
    reason: Annotated[str, typer.Option(help="Why, for the log.")],
) -> None:
    """Count all that is left of a budget as spent, for ever: for a ledger that was lost."""
    existing(ledger).write_off(name, reason)
    say(f"the budget of {name} counts as spent")


@app.command("new-key")
def new_key(file: Annotated[Path, typer.Argument(help="A new file, for its owner alone.")]) -> None:
    """Make a key to encrypt answers under; who loses it loses the answers, never the budget."""
    say(f"key {care.new_encryption_key(file).id} in {file}; keep a copy of it apart from the ledger")


@app.command("encrypt")
def encrypt(
    ledger: File,
    key_file: Annotated[Path, typer.Option(help="The file of the new key.")],
    old_key_file: Annotated[list[Path] | None, typer.Option(help="To change keys: the file of the old one.")] = None,
    lost: Annotated[
        bool, typer.Option("--lost", help="Keys that are not given are lost: their answers must be paid again.")
    ] = False,
) -> None:
    """Encrypt every stored answer, and all that come, under a key; also to change keys."""
    written = care.encrypt(ledger, [key_file, *(old_key_file or [])], lost=lost)
    say(f"{written} answers were encrypted anew; all that come need --key-file {key_file}")
