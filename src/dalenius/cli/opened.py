"""A ledger that a command names: it must be there, and its entries say that they came from the command line."""

from pathlib import Path
from typing import Annotated

import typer

from dalenius.errors import UnknownName
from dalenius.ledger import Ledger

File = Annotated[Path, typer.Argument(help="The ledger's file.")]
Name = Annotated[str, typer.Argument(help="The data set.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
KeyFile = Annotated[
    Path | None,
    typer.Option(envvar="DALENIUS_KEY_FILE", help="The file of the key that the ledger's answers are encrypted under."),
]


def existing(ledger: Path) -> Ledger:
    """The ledger in a file that is there: none is made by a slip of the pen."""
    if not ledger.is_file():
        raise UnknownName(f"there is no ledger {str(ledger)!r}")
    return Ledger.open(ledger).acting(origin="command line")
