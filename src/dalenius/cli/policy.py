"""`dalenius policy`: the owner's terms in a file."""

import os
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli import terms
from dalenius.cli.output import say, shown
from dalenius.errors import InvalidParameter

app = typer.Typer(help="Write and check the owner's terms.", no_args_is_help=True)

WARNING = "written by a look at the data, for its owner alone: read it, mend it, and keep only what may be public"


@app.callback()
def _policy() -> None:
    """Write and check the owner's terms."""


@app.command("init")
def init(
    file: Annotated[str, typer.Argument(help="A Parquet, CSV or DuckDB file.")],
    out: Annotated[Path, typer.Option(help="Where to write the policy.")] = Path("policy.toml"),
    column: terms.Columns = None,
    table: terms.Table = None,
) -> None:
    """Look at a file once, for its owner, and write a first policy.

    Types of a CSV that are not declared are guessed; everything guessed stands in the file, to be read and mended.
    """
    from rich.console import Console

    from dalenius.sql import guess_types, open_table, survey

    if out.exists():
        raise InvalidParameter(f"{str(out)!r} is there already: name another file with --out, or remove it")
    columns = terms.columns_of(column) or guess_types(file)
    text = survey(open_table(file, columns=columns, table=table), _seen_from(out, file))
    try:
        with out.open("x", encoding="utf-8") as place:
            place.write(text)
    except OSError as failed:
        raise InvalidParameter(f"{str(out)!r} cannot be written: {failed.strerror}") from None
    say(text.removesuffix("\n"))
    Console(stderr=True, soft_wrap=True).print(shown(f"{out}: {WARNING}", style="yellow"))


@app.command("check")
def check(
    policy: Annotated[Path, typer.Argument(help="The policy file.")],
    file: Annotated[str | None, typer.Argument(help="Another file than the policy's source.")] = None,
) -> None:
    """Check a policy against its table, for its owner: after the table has changed, and before others ask.

    The table must have the declared columns, and a CSV must be properly quoted throughout.
    """
    from dalenius.sql import check_source

    check_source(policy, data=file)
    say(f"{policy}: the table has the declared columns, and no quote that could hide rows")


def _seen_from(out: Path, file: str) -> str:
    """The table's place relative to the policy's."""
    return Path(os.path.relpath(file, out.parent)).as_posix()
