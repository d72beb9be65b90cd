"""`dalenius key`: make, list and revoke the keys of a server."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.output import say, say_json
from dalenius.errors import InvalidParameter
from dalenius.escape import terminal
from dalenius.ledger import AS_BEFORE, Ledger

app = typer.Typer(help="Make, list and revoke the keys of a server.", no_args_is_help=True)

File = Annotated[Path, typer.Option("--ledger", help="The ledger's file.")]
_SPANS = {"h": "hours", "d": "days", "w": "weeks"}


@app.callback()
def _key() -> None:
    """Make, list, change and revoke the keys of a server."""


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="Whose key it is: the analyst whose share pays.")],
    ledger: File,
    dataset: Annotated[list[str], typer.Option(help="A data set that it opens; once for each.")],
    role: Annotated[str, typer.Option(help="owner, analyst or viewer.")] = "analyst",
    epsilon: Annotated[str | None, typer.Option(help="The share of ε that the analyst is given in each.")] = None,
    delta: Annotated[str, typer.Option(help="The share of δ.")] = "0",
    expires: Annotated[str | None, typer.Option(help="When it ends: 90d, 12h, 4w or 2027-01-01.")] = None,
) -> None:
    """Make a key, and print it this once.

    An analyst draws on a share: give one with --epsilon, unless they have one.
    """
    book = _existing(ledger)
    until = None if expires is None else end_of(expires)
    if role != "analyst" and epsilon is not None:
        raise InvalidParameter("--epsilon is an analyst's share: owners and viewers have none")
    if role == "analyst" and epsilon is None:
        _check_shares(book, name, dataset)
    if epsilon is not None:
        for one in dataset:
            book.share(one, name, epsilon, delta)
    secret, key = book.create_key(name, role, dataset, until=until)
    say(secret)
    say(f"shown this once; fingerprint {key.fingerprint}", err=True)


@app.command("login")
def login(
    identity: Annotated[str, typer.Argument(help="As the console shows it to who is not let in yet.")],
    ledger: File,
    name: Annotated[str, typer.Option(help="The analyst whose share pays.")],
    dataset: Annotated[list[str], typer.Option(help="A data set that is opened; once for each.")],
    role: Annotated[str, typer.Option(help="owner, analyst or viewer.")] = "analyst",
    expires: Annotated[str | None, typer.Option(help="When it ends: 90d, 12h, 4w or 2027-01-01.")] = None,
) -> None:
    """Let in whom a provider or a trusted proxy knows by this identity; revoked as a key is."""
    until = None if expires is None else end_of(expires)
    key = _existing(ledger).grant_login(identity, name, role, dataset, until=until)
    say(f"{terminal(identity)} is let in as {terminal(name)}; fingerprint {key.fingerprint}")


@app.command("list")
def list_(ledger: File, json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Every key that was ever made."""
    keys = _existing(ledger).all_keys()
    if json:
        rows = [
            {
                "name": key.name,
                "fingerprint": key.fingerprint,
                "roles": dict(key.roles),
                "until": key.until,
                "used": key.used,
                "revoked": key.revoked,
            }
            for key in keys
        ]
        say_json(rows)
        return
    for key in keys:
        opened = ", ".join(f"{role} of {name}" for name, role in key.roles.items()) or "opens nothing"
        end = "" if key.until is None else f", until {key.until}"
        used = "never used" if key.used is None else f"used {key.used}"
        say(f"{key.fingerprint}  {terminal(key.name)}: {terminal(opened)}{end}, {used}")


@app.command("change")
def change(
    fingerprint: Annotated[str, typer.Argument(help="The key's fingerprint.")],
    ledger: File,
    role: Annotated[str, typer.Option(help="owner, analyst or viewer.")],
    dataset: Annotated[list[str], typer.Option(help="A data set in which it changes; once for each.")],
    expires: Annotated[
        str | None, typer.Option(help="When it ends: 90d, 12h, 4w, 2027-01-01 or never; as before if left out.")
    ] = None,
) -> None:
    """Give a key another role or end, in data sets that it opens."""
    until = AS_BEFORE if expires is None else None if expires == "never" else end_of(expires)
    key = _existing(ledger).change_key(fingerprint, role, dataset, until=until)
    opened = ", ".join(f"{role} of {name}" for name, role in key.roles.items())
    end = "" if key.until is None else f", until {key.until}"
    say(f"{terminal(fingerprint)} of {terminal(key.name)}: {terminal(opened)}{end}")


@app.command("revoke")
def revoke(fingerprint: Annotated[str, typer.Argument(help="The key's fingerprint.")], ledger: File) -> None:
    """Let a key open nothing any more, from the next request on."""
    _existing(ledger).revoke_key(fingerprint)
    say(f"{terminal(fingerprint)} opens nothing any more")


def end_of(text: str) -> str:
    """A moment, or a span from now.

    >>> end_of("2027-01-01")
    '2027-01-01'
    """
    span = re.fullmatch("([0-9]{1,5})([hdw])", text)
    if span is None:
        return text
    return (datetime.now(UTC) + timedelta(**{_SPANS[span[2]]: int(span[1])})).isoformat()


def _existing(path: Path) -> Ledger:
    if not path.exists():
        raise InvalidParameter(f"there is no ledger {str(path)!r}")
    return Ledger.open(path).acting(origin="command line")


def _check_shares(book: Ledger, name: str, datasets: list[str]) -> None:
    for dataset in datasets:
        team = any(name in members for members in book.teams(dataset).values())
        if name not in book.shares(dataset) and not team:
            raise InvalidParameter(f"{name!r} has no share of {dataset!r}: give one with --epsilon")
