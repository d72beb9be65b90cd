"""Releases as tables for people, JSON or CSV for programs."""

import csv
import io
import json

from rich import box
from rich.table import Table
from rich.text import Text

from dalenius.curator import NumberRelease, Release, TableRelease
from dalenius.curator.outcome import shown, shown_above


def as_table(answer: Release) -> Table:
    """A table with the error beside every number."""
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    if isinstance(answer, TableRelease):
        table.add_column(Text(answer.keys.column))
        for name in answer.columns[1:]:
            table.add_column(Text(name), justify="right", style="cyan")
            table.add_column("± 95 %", justify="right", style="dim")
        errors = [shown_above(error) for error in answer.accuracy(0.05).values()]
        for key, *values in answer.rows:
            cells = [text for value, error in zip(values, errors, strict=True) for text in (shown(value), error)]
            table.add_row(Text(str(key)), *cells)
    elif isinstance(answer, NumberRelease):
        table.add_column(Text(answer.outcome.measured[0].name), justify="right", style="cyan")
        table.add_column("± 95 %", justify="right", style="dim")
        table.add_row(shown(answer.value), shown_above(answer.accuracy(0.05)))
    return table


def as_json(answer: Release) -> str:
    """Everything that was released, with the intervals."""
    if isinstance(answer, TableRelease):
        columns = answer.intervals(0.95)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    else:
        low, high = answer.interval(0.95)
        name = answer.outcome.measured[0].name
        rows = [{name: answer.value, f"{name}_lower": low, f"{name}_upper": high}]
    return json.dumps({"rows": rows, "level": 0.95, "release": answer.to_dict()}, ensure_ascii=False, indent=2)


def as_csv(answer: Release) -> str:
    """Columns with their intervals."""
    out = io.StringIO()
    rows = json.loads(as_json(answer))["rows"]
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
