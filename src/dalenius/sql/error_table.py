"""How far off the answers to several questions would be at several prices, before anything is asked or paid."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any

from dalenius.curator import Release
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped, html_table, terminal
from dalenius.numerics import Number, digits_above, positive
from dalenius.sql.plans.sums import QueryExplanation

EPSILONS = ("0.1", "0.3", "1", "3", "10")
"""The prices that are compared where none are named."""
Size = Number | Release
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """One number of an answer: how far off it would be at each price, 95 % of the time in each cell."""

    question: int
    """Which question it belongs to, counted from 1."""
    name: str
    radii: tuple[float, ...]
    told_in: str = ""
    """What the radii are, where they are not the error of the number itself."""
    size: float | None = None

    @property
    def relative(self) -> tuple[float, ...] | None:
        """The errors as parts of the size; None without one."""
        return None if self.size is None else tuple(radius / self.size for radius in self.radii)


@dataclass(frozen=True, slots=True)
class ErrorTable:
    """The errors of questions by price; nothing in it comes from a row, and nothing was charged."""

    epsilons: tuple[Fraction, ...]
    queries: tuple[str, ...]
    lines: tuple[ErrorLine, ...]
    notes: tuple[str, ...]

    @escaped
    def __str__(self) -> str:
        header, rows = self._cells()
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        lines = []
        for row in (header, *rows):
            first, *rest = row
            lines.append("  ".join([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]).rstrip())
        asked = [f"{place}  {terminal(query)}" for place, query in enumerate(self.queries, 1)]
        return "\n".join([*asked, "", *lines, "", *self.notes])

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        header = ["95 % of the time ±", *(f"ε = {digits_above(epsilon)}" for epsilon in self.epsilons)]
        rows = []
        for line in self.lines:
            label = f"{line.question}  {terminal(line.name)}{line.told_in}"
            rows.append([label, *map(_shown, line.radii)])
            if line.relative is not None:
                parts = [f"{_shown(100 * part)} %" for part in line.relative]
                rows.append([f"   of {line.size:g}", *parts])
        return header, rows

    def _repr_html_(self) -> str:
        header, rows = self._cells()
        asked = [f"{place}: {query}" for place, query in enumerate(self.queries, 1)]
        return html_table(header, rows, [*asked, *self.notes])

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        lines = [
            {
                **{"question": line.question, "name": line.name, "told_in": line.told_in.strip()},
                **{"errors": list(line.radii), "size": line.size},
                "relative": None if line.relative is None else list(line.relative),
            }
            for line in self.lines
        ]
        return {
            **{"epsilons": [str(epsilon) for epsilon in self.epsilons], "level": 0.95},
            **{"queries": list(self.queries), "errors": lines, "notes": list(self.notes)},
        }


def error_table(
    explained: Callable[..., QueryExplanation],
    queries: str | Iterable[str],
    epsilons: Iterable[Number],
    sizes: Size | Sequence[Size] | None,
) -> ErrorTable:
    """The table of what is explained of each question at each price."""
    asked = (queries,) if isinstance(queries, str) else tuple(queries)
    prices = tuple(positive(epsilon, "epsilon") for epsilon in epsilons)
    if not asked or not prices:
        raise InvalidParameter("name at least one question and one epsilon")
    lines: list[ErrorLine] = []
    notes: dict[str, None] = {}
    for place, (query, size) in enumerate(zip(asked, _each(sizes, len(asked)), strict=True), 1):
        explanations = [explained(query, epsilon=price) for price in prices]
        lines += _lines(place, explanations, size)
        notes |= dict.fromkeys(" ".join(note.split()) for one in explanations for note in one.notes)
    return ErrorTable(prices, asked, tuple(lines), (*_said(len(asked)), *notes))


def _said(questions: int) -> tuple[str, ...]:
    caveat = "The errors are those of the noise; what bounding cuts off comes on top, at every ε."
    if questions == 1:
        return (caveat,)
    return (f"Each ε is the price of one question: all {questions} cost {questions} times as much.", caveat)


def _each(sizes: Size | Sequence[Size] | None, questions: int) -> list[Size | None]:
    """A size for each question; one that stands alone is for all."""
    if sizes is None or isinstance(sizes, Release | str) or not isinstance(sizes, Sequence):
        return [sizes] * questions
    if len(sizes) != questions:
        raise InvalidParameter(f"sizes must be one for all or one for each of {questions} questions, got {len(sizes)}")
    return list(sizes)


def _lines(place: int, explanations: list[QueryExplanation], size: Size | None) -> list[ErrorLine]:
    """The numbers of an answer whose error is known beforehand, and the noise of the parts of all others."""
    lines, whole = [], True
    for name in explanations[0].errors:
        radii = [one.errors.get(name) for one in explanations]
        known = tuple(radius for radius in radii if radius is not None)
        if len(known) == len(radii):
            lines.append(ErrorLine(place, name, known, size=_size(size, name)))
        else:
            whole = False
    if whole and lines:
        return lines
    of_parts = zip(*(one.lines for one in explanations), strict=True)
    return lines + [
        ErrorLine(place, parts[0].question, tuple(part.error for part in parts), _unit_of(parts[0].told_in))
        for parts in of_parts
    ]


def _unit_of(told_in: str) -> str:
    return f" (in{told_in})" if told_in else " (noise of its parts)"


def _size(size: Size | None, name: str) -> float | None:
    """How large a number is: as stated, or the median of what was released of it."""
    if size is None:
        return None
    if not isinstance(size, Release):
        return float(positive(size, "size"))
    column = size.table_of().get(name, ())
    cells = [abs(float(cell)) for cell in column if isinstance(cell, int | float) and not isinstance(cell, bool)]
    return (median(cells) or None) if cells else None


def _shown(radius: float) -> str:
    """A radius with three digits, rounded up, and thousands apart."""
    if not 1000 <= radius < 1e15:
        return digits_above(radius, _DIGITS)
    step = 10 ** (len(str(int(radius))) - _DIGITS)
    return f"{-int(-radius // step) * step:,}"
