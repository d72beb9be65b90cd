"""`dalenius describe`: what analysts may know of the tables of a policy, for nothing."""

from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli import terms
from dalenius.cli.output import say, say_json


def describe(
    policy: Annotated[Path, typer.Argument(help="The policy file.")],
    table: Annotated[str | None, typer.Argument(help="One of its tables; all of them if left out.")] = None,
    json: terms.Json = False,
) -> None:
    """Tables, columns, types, bounds and keys, as their owner has declared them: no table is opened."""
    from dalenius.sql import describe as described

    tables = described(policy, table)
    if json:
        say_json([dict(zip(one.columns, row, strict=True)) for one in tables for row in one.rows])
    else:
        say("\n\n".join(str(one) for one in tables))
