"""Releases as tables for people, JSON or CSV for programs."""

import csv
import io
import json
import math
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from dalenius.curator import Release, Shown, ShownKey
from dalenius.curator.outcome import shown, shown_above


def as_table(answer: Release) -> Table:
    """A table with the error beside every number."""
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    cells: list[list[Text | str]] = []
    for item in answer.outcome.shown:
        told = [shown(value) for value in answer.outcome.column(item)]
        if isinstance(item, ShownKey):
            table.add_column(Text(item.name))
            cells.append([Text(value) for value in told])
            continue
        table.add_column(Text(item.name), justify="right", style="cyan")
        table.add_column("± 95 %", justify="right", style="dim")
        cells += [list(map(Text, told)), [shown_above(error) for error in answer.outcome.errors(item, 0.95)]]
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    return table


def as_json(answer: Release) -> str:
    """Everything that was released, with the intervals."""
    rows = [dict(zip(_columns(answer), row, strict=True)) for row in zip(*_columns(answer).values(), strict=True)]
    return json.dumps({"rows": rows, "level": 0.95, "release": answer.to_dict()}, ensure_ascii=False, indent=2)


def as_csv(answer: Release) -> str:
    """Columns with their intervals."""
    columns = _columns(answer)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def _columns(answer: Release) -> dict[str, tuple[Any, ...]]:
    """The answer's columns, each number followed by its ends; an end that is not known is absent."""
    outcome, told = answer.outcome, {}
    for item in outcome.shown:
        told[item.name] = outcome.column(item)
        ends = outcome.interval(item, 0.95) if isinstance(item, Shown) else None
        if ends is not None:
            told[f"{item.name}_lower"] = tuple(map(_finite, (low for low, _ in ends)))
            told[f"{item.name}_upper"] = tuple(map(_finite, (high for _, high in ends)))
    return told


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None
