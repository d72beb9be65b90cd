"""`dalenius budget log` and `export`: all that was written about data sets."""

import json as json_module
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from dalenius.cli.opened import File, Json, Name, existing
from dalenius.cli.output import say, say_csv, say_json
from dalenius.escape import terminal
from dalenius.ledger import LogEntry

Kind = Annotated[str | None, typer.Option(help='Only this kind, such as "reserve" or "share".')]
Analyst = Annotated[str | None, typer.Option(help="Only entries that name this analyst.")]
Since = Annotated[str | None, typer.Option(help="Only from this time on, such as 2026-03-01.")]
Until = Annotated[str | None, typer.Option(help="Only before this time.")]
Containing = Annotated[str | None, typer.Option(help="Only with these words in text, purpose or label.")]

COLUMNS = (
    *("dataset", "number", "time", "kind", "analyst", "by", "origin", "label", "purpose", "text", "key"),
    *("epsilon", "delta", "rho", "guarantee", "until", "request", "reason", "fingerprint", "hash"),
)
"""Columns of the CSV; what else an entry says is JSON in the last one."""


def log(
    ledger: File,
    name: Name,
    kind: Kind = None,
    analyst: Analyst = None,
    since: Since = None,
    until: Until = None,
    containing: Containing = None,
    json: Json = False,
) -> None:
    """Charges and decisions, in order."""
    terms = {"kind": kind, "analyst": analyst, "since": since, "until": until, "containing": containing}
    entries = existing(ledger).log(name, **terms)
    if json:
        say_json([entry.to_dict() for entry in entries])
        return
    for entry in entries:
        said = [entry.words.get(word) for word in ("label", "purpose", "text", "reason")]
        words = (str(entry.number), entry.time, entry.kind, entry.analyst or "owner", entry.origin or "", *said)
        say("  ".join(terminal(word) for word in words if word))


def export(
    ledger: File,
    name: Annotated[str | None, typer.Argument(help="The data set; without one, all of them.")] = None,
    kind: Kind = None,
    analyst: Analyst = None,
    since: Since = None,
    until: Until = None,
    containing: Containing = None,
    json: Json = False,
) -> None:
    """Everything that was written, with all that it records: CSV, or JSON."""
    book = existing(ledger)
    terms = {"kind": kind, "analyst": analyst, "since": since, "until": until, "containing": containing}
    entries = [entry for one in (book.datasets() if name is None else [name]) for entry in book.log(one, **terms)]
    if json:
        say_json([entry.to_dict() for entry in entries])
        return
    say_csv((*COLUMNS, "more"), rows_of(entries))


def rows_of(entries: Iterable[LogEntry]) -> Iterable[list[Any]]:
    """The entries as rows of a CSV."""
    for entry in entries:
        fields = entry.to_dict()
        for branch, figures in (fields.pop("cost", None) or {}).items():
            fields |= figures or {} if branch == "sum" else {"rho": figures and figures.get("rho")}
        cells = [fields.pop(column, None) for column in COLUMNS]
        left = {word: value for word, value in fields.items() if word not in ("chain", "previous", "version")}
        yield [*cells, json_module.dumps(left, ensure_ascii=False, sort_keys=True) if left else None]
