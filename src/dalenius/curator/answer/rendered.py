"""An answer as a table for people: rounded to its error, never cutting off a digit; as text and as HTML."""

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from dalenius.curator.answer.bias import Bias
from dalenius.curator.answer.chosen import Chosen
from dalenius.curator.answer.key_text import key_text
from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.answer.rounded import Digits, number_shown
from dalenius.curator.answer.shown import Shown, ShownKey
from dalenius.curator.formula import Cell
from dalenius.escape import terminal

_GAP = "  "
_WIDTH = 80
_LEVEL = 0.95
_LARGE = 1e15


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column as it is printed: its name, its cells, whether they end at one side, and whether they are keys."""

    name: str
    cells: tuple[str, ...]
    right: bool = True
    key: bool = False

    @property
    def width(self) -> int:
        """Letters of its widest cell."""
        return max(map(len, (self.name, *self.cells)))

    def padded(self, text: str) -> str:
        """A cell in the width of the column."""
        return text.rjust(self.width) if self.right else text.ljust(self.width)


def text_columns(outcome: Outcome) -> list[TextColumn]:
    """The columns of an answer with the error beside every number, both with the digits that the error leaves."""
    columns: list[TextColumn] = []
    for item in outcome.shown:
        values = outcome.column(item)
        if isinstance(item, ShownKey):
            right = not any(isinstance(value, str) for value in values)
            columns.append(TextColumn(terminal(item.name), tuple(map(key_text, values)), right, key=True))
        else:
            columns += _number_columns(outcome, item, values)
    return columns


def _number_columns(outcome: Outcome, item: Shown, values: Sequence[Any]) -> list[TextColumn]:
    errors = outcome.errors(item, _LEVEL)
    digits = Digits.of(errors, outcome.is_count(item))
    columns = [
        TextColumn(terminal(item.name), tuple(map(number_text(outcome, item, digits), values))),
        TextColumn("± 95 %", tuple(map(digits.radius, errors))),
    ]
    if (ends := outcome.whole(item, _LEVEL)) is not None:
        columns.append(TextColumn("whole 95 %", tuple(whole_text(low, high, digits.places) for low, high in ends)))
    if any(biases := outcome.bias(item)):
        columns.append(TextColumn("bias", tuple("–" if one is None else bias_text(one) for one in biases)))
    return columns


def number_text(outcome: Outcome, item: Shown, digits: Digits) -> Callable[[Any], str]:
    """How a value of a column beside the keys is written: a number, or a key that was chosen."""
    chosen = {column.name for column in outcome.columns if isinstance(column, Chosen)}
    if not isinstance(item.formula, Cell) or item.formula.name not in chosen:
        return digits.number
    return lambda value: key_text(value) if value is None or isinstance(value, str) else digits.number(value)


def table_text(columns: Sequence[TextColumn], width: int | None = None) -> str:
    """The columns side by side; those that do not fit stand below, beside the keys again. No cell is cut.

    Without `width` it is that of the terminal, or 80 letters where there is none.
    """
    width = width or shutil.get_terminal_size((_WIDTH, 24)).columns
    keys = [column for column in columns if column.key]
    blocks: list[list[TextColumn]] = [[*keys]]
    for column in (one for one in columns if not one.key):
        taken = sum(one.width + len(_GAP) for one in blocks[-1])
        # an error stays beside its number
        alone = len(blocks[-1]) > len(keys) and not column.name.startswith("± ")
        if alone and taken + column.width + _following(columns, column) > width:
            blocks.append([*keys])
        blocks[-1].append(column)
    return "\n\n".join(_block(block) for block in blocks if block)


def _following(columns: Sequence[TextColumn], column: TextColumn) -> int:
    place = list(columns).index(column)
    after = columns[place + 1] if place + 1 < len(columns) else None
    return 0 if after is None or not after.name.startswith("± ") else after.width + len(_GAP)


def _block(columns: Sequence[TextColumn]) -> str:
    header = _GAP.join(column.padded(column.name) for column in columns).rstrip()
    rule = "─" * (sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1))
    rows = zip(*(column.cells for column in columns), strict=True)
    lines = (_GAP.join(c.padded(cell) for c, cell in zip(columns, row, strict=True)).rstrip() for row in rows)
    return "\n".join([header, rule, *lines])


def whole_text(low: Any, high: Any, places: int) -> str:
    """The ends of the whole answer, rounded as the number is and outward."""
    step = Decimal(1).scaleb(-places)
    ends = (
        Decimal(end).quantize(step, how) if math.isfinite(end) and abs(end) < _LARGE else None
        for end, how in ((low, ROUND_FLOOR), (high, ROUND_CEILING))
    )
    shown = ["∞" if end is None else number_shown(float(end), places) for end in ends]
    return f"{shown[0]} to {shown[1]}"


def bias_text(bias: Bias) -> str:
    """About how far the number is off by bounding, with three digits."""
    estimate = f"{bias.estimate:+,.3g}" if abs(bias.estimate) < 1000 else f"{float(f'{bias.estimate:.3g}'):+,.0f}"
    return estimate if not bias.at_least else f"{estimate} or further"
