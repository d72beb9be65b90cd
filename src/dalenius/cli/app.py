"""All commands under one name."""

from typing import Annotated

import typer

import dalenius
from dalenius.cli import (
    account,
    audit,
    budget,
    demo,
    describe,
    epsilon,
    explain,
    key,
    ledger,
    mechanisms,
    policy,
    query,
    serve,
    synthesize,
)

app = typer.Typer(
    help="Ask a table in public: every answer is private for each person in it, and says how far off it may be.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.command("query")(query.query)
app.command("explain")(explain.explain)
app.command("epsilon")(epsilon.epsilon)
app.command("describe")(describe.describe)
app.command("synthesize")(synthesize.synthesize)
app.command("mechanisms")(mechanisms.mechanisms)
app.command("audit")(audit.audit)
app.add_typer(policy.app, name="policy")
app.add_typer(budget.app, name="budget")
app.command("serve")(serve.serve)
app.add_typer(key.app, name="key")
app.add_typer(ledger.app, name="ledger")
app.add_typer(account.app, name="account")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"dalenius {dalenius.__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before any command."""
