"""Releases as tables for people, JSON or CSV for programs."""

from typing import Any

from dalenius.curator import Release, table_text, text_columns, with_ends
from dalenius.curator.answer.with_ends import finite
from dalenius.escape import csv_text, json_text


def as_table(answer: Release) -> str:
    """A table with the error beside every number, as `print` shows it."""
    return table_text(text_columns(answer.outcome))


def as_json(answer: Release) -> str:
    """Everything that was released, with the intervals."""
    columns = with_ends(answer.outcome, 0.95)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    document = {"rows": rows, "level": 0.95, "bias": _biases(answer), "release": answer.to_dict()}
    return json_text(document, indent=2)


def _biases(answer: Release) -> dict[str, list[Any]]:
    """For each number of which that is known, what bounding cut off each cell: three estimates, middle, low, high."""
    biases = {item.name: answer.outcome.bias(item) for item in answer.outcome.numbers}
    return {
        name: [None if one is None else [one.estimate, finite(one.low), finite(one.high)] for one in column]
        for name, column in biases.items()
        if any(column)
    }


def as_csv(answer: Release) -> str:
    """Columns with their intervals."""
    columns = with_ends(answer.outcome, 0.95)
    return csv_text(columns, zip(*columns.values(), strict=True))
