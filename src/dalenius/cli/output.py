"""What commands print. Everything goes through here, so that names and keys are escaped once, for every command."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from dalenius.escape import csv_text, json_text, terminal

if TYPE_CHECKING:
    from rich.text import Text


def say(text: str, *, err: bool = False) -> None:
    """One text, of one line or several."""
    typer.echo(terminal(text, lines=True), err=err)


def say_json(value: Any, indent: int | None = 2) -> None:
    """A value as JSON."""
    typer.echo(json_text(value, indent))


def say_csv(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    """A table as CSV."""
    typer.echo(csv_text(header, rows), nl=False)


def shown(text: str, style: str = "", *, lines: bool = False) -> "Text":
    """A cell, a line or several for rich: no code of a terminal, no markup."""
    from rich.text import Text

    return Text(terminal(text, lines=lines), style=style)
