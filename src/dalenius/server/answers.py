"""Answers as programs read them: JSON, CSV or Arrow."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dalenius.curator import Release
from dalenius.escape import csv_text
from dalenius.ledger import to_form
from dalenius.sql import QueryExplanation

LEVEL = 0.95
REPEATED = "Dalenius-Repeated"
"""The header that says whether an answer was paid before: the same answer has the same bytes, each time it is sent."""


def answer_json(release: Release) -> dict[str, Any]:
    """Rows with their ends, what they cost and whom they protect, and the release itself, as it is stored.

    `form` says how to read the release: `dalenius.connect` makes of it the answer that an embedded session gives.
    """
    columns = release.told(LEVEL)
    return {
        "state": "answered",
        "columns": list(columns),
        "rows": [list(map(_plain, row)) for row in zip(*columns.values(), strict=True)],
        "level": LEVEL,
        "guarantee": str(release.guarantee),
        "protects": str(release.unit),
        "statement": statement(release),
        "receipt": release.receipt.head,
        "form": release.form,
        "release": _plain(release.to_dict()),
    } | ({"warnings": list(release.warnings)} if release.warnings else {})


def statement(release: Release) -> str:
    """What an answer says of anybody, in one sentence that travels with it; all of it is public."""
    return f"Private by {release.guarantee}, for {release.unit}; ends are {LEVEL:.0%} intervals of the noise"


def answer_csv(release: Release, stated: bool = False) -> str:
    """Columns with their ends, in which no cell is a formula; `stated` adds the privacy statement as a last column."""
    columns = dict(release.told(LEVEL))
    rows = len(next(iter(columns.values()), ()))
    if release.warnings:  # a table of text has no other place to say it
        columns["warning"] = [release.warnings[0]] * rows
    if stated:
        columns[_free_name("privacy", columns)] = [f"{statement(release)}; receipt {release.receipt.head}"] * rows
    return csv_text(columns, zip(*columns.values(), strict=True))


def answer_arrow(release: Release) -> bytes:
    """An Arrow stream of the columns with their ends."""
    import pyarrow as pa

    table = pa.table({name: list(column) for name, column in release.told(LEVEL).items()})
    words = {"privacy": statement(release)} | ({"warnings": "\n".join(release.warnings)} if release.warnings else {})
    table = table.replace_schema_metadata(words)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def explanation_json(explanation: QueryExplanation) -> dict[str, Any]:
    """Price and error before anything is spent; `facts` and what follows them are for programs."""
    facts = explanation.to_dict()
    return facts | {
        "guarantee": str(explanation.guarantee),
        "text": str(explanation),
        "facts": facts,
        "form": to_form(explanation.guarantee),
        "unit_column": explanation.unit.column,
        "lines": [_plain(asdict(line)) for line in explanation.lines],
    }


def _free_name(name: str, taken: dict[str, Any]) -> str:
    """The name, with as many lines under it as no column of the asker's has."""
    return name if name not in taken else _free_name(f"{name}_", taken)


def _plain(value: Any) -> Any:
    """A value as JSON holds it: dates, times and fractions are texts."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
