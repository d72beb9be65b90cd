"""The command line: one file a command. Translation only: no mathematics, no SQL."""

import sys

from dalenius.errors import DaleniusError


def main() -> None:
    """Run a command; a refusal is one plain line on stderr and exit code 1, misuse exits with 2."""
    from rich.console import Console

    from dalenius.cli.app import app

    try:
        app(prog_name="dalenius")
    except DaleniusError as refusal:
        Console(stderr=True, soft_wrap=True).print(f"{refusal}", style="red", markup=False, highlight=False)
        sys.exit(1)


__all__ = ["main"]
