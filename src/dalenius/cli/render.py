"""Releases as tables for people, JSON or CSV for programs."""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from dalenius.cli.output import shown
from dalenius.curator import Release, ShownKey, with_ends
from dalenius.curator.answer.bias import Bias
from dalenius.curator.answer.measured import Value
from dalenius.curator.answer.with_ends import finite
from dalenius.escape import csv_text, json_text, terminal

if TYPE_CHECKING:
    pass

_PLACES = 3
_LEAST, _LARGEST = Decimal("1e-6"), Decimal("1e15")


def as_table(answer: Release) -> Table:
    """A table with the error beside every number, both with the digits that the error leaves meaning to."""
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    cells: list[list[Text]] = []
    for item in answer.outcome.shown:
        told = answer.outcome.column(item)
        if isinstance(item, ShownKey):
            table.add_column(shown(item.name))
            cells.append([shown("–" if value is None else str(value)) for value in told])
            continue
        errors = answer.outcome.errors(item, 0.95)
        table.add_column(shown(item.name), justify="right", style="cyan")
        table.add_column("± 95 %", justify="right", style="dim")
        places = _places(errors)
        cells += [[Text(_number(value, places)) for value in told], [Text(radius_above(error)) for error in errors]]
        if any(biases := answer.outcome.bias(item)):
            table.add_column("bias", justify="right", style="dim")
            cells.append([Text("–" if bias is None else _bias(bias)) for bias in biases])
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    return table


def _bias(bias: Bias) -> str:
    """About how far the number is off by bounding, with three digits."""
    told = f"{bias.estimate:+,.3g}" if abs(bias.estimate) < 1000 else f"{float(f'{bias.estimate:.3g}'):+,.0f}"
    return told if not bias.at_least else f"{told} or further"


def radius_above(radius: Value | None) -> str:
    """An error radius with two digits, rounded up.

    >>> radius_above(4512.3), radius_above(0.0123), radius_above(None)
    ('4,600', '0.013', '–')
    """
    if radius is None or math.isinf(radius):
        return "–" if radius is None else "∞"
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(radius))
    return f"{rounded:,f}" if rounded == 0 or _LEAST <= rounded < _LARGEST else f"{rounded:e}"


def _places(errors: Sequence[Value | None]) -> int:
    """How many decimals the smallest error of a column leaves meaning to."""
    known = [error for error in errors if error is not None and 0 < error < math.inf]
    if not known:
        return _PLACES
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(min(known)))
    return min(max(0, 1 - rounded.adjusted()), 2 * _PLACES)


def _number(value: Any, places: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return terminal(str(value))
    if abs(value) >= _LARGEST:
        return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
    return f"{value:,}" if isinstance(value, int) else f"{round(value, places) + 0.0:,.{places}f}"


def as_json(answer: Release) -> str:
    """Everything that was released, with the intervals."""
    columns = with_ends(answer.outcome, 0.95)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    told = {"rows": rows, "level": 0.95, "bias": _biases(answer), "release": answer.to_dict()}
    return json_text(told, indent=2)


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
