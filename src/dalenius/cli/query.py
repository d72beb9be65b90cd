"""`dalenius query`: one private question to a Parquet file."""

from pathlib import Path
from typing import Annotated

import typer

from dalenius.queries import Key


def query(
    file: Annotated[Path, typer.Argument(help="A Parquet file; its table is named by the file's stem.")],
    question: Annotated[str, typer.Argument(help="SELECT key, COUNT(*) FROM table GROUP BY key")],
    unit: Annotated[str, typer.Option(help="Who is protected: a column that names people, or row.")],
    epsilon: Annotated[str, typer.Option(help="What this answer may cost.")],
    budget: Annotated[str, typer.Option(help="What all answers together may cost, for ever.")],
    ledger: Annotated[Path, typer.Option(help="The file that keeps the budget.")],
    keys: Annotated[list[str] | None, typer.Option(help="Public values of a column: sex=Female,Male")] = None,
    contributions: Annotated[int | None, typer.Option(help="How many rows of one unit count in full.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Ask one private question."""
    from rich.console import Console

    from dalenius.cli import render
    from dalenius.sql import connect

    declared = {name: _typed(values) for name, values in map(_declaration, keys or [])}
    session = connect(
        file, unit=unit, budget={"epsilon": budget}, ledger=ledger, keys=declared, contributions=contributions
    )
    answer = session.sql(question, epsilon=epsilon)
    if json or csv:
        typer.echo(render.as_json(answer) if json else render.as_csv(answer), nl=json)
        return
    console = Console()
    console.print(render.as_table(answer))
    console.print(f"cost {answer.guarantee}; left: {session.budget}", highlight=False)


def _declaration(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals or not name or not values:
        raise typer.BadParameter(f"write column=value,value, got {text!r}", param_hint="--keys")
    return name, values.split(",")


def _typed(values: list[str]) -> list[Key]:
    """Whole numbers if all of them are, else text."""
    try:
        return [int(value) for value in values]
    except ValueError:
        return list(values)
