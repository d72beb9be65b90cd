"""An answer as the rows of a page: numbers with the digits that their error leaves meaning to."""

from dataclasses import dataclass

from dalenius import charts
from dalenius.curator import Release, ShownKey, key_text, number_text, told_of_answer
from dalenius.curator.answer.rounded import Digits
from dalenius.escape import terminal
from dalenius.server.answers import statement
from dalenius.words import counted_rows


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A key, or a number with its error."""

    text: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Column names, rows of cells, and what is said of bounding."""

    columns: list[str]
    rows: list[tuple[ShownCell, ...]]
    notes: list[str]
    is_chart: bool
    """Whether the answer can be drawn: keys, numbers with an interval, and no more bars than a picture shows."""


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """All that a page shows of an answer; `stored` is its receipt, if it is stored under one as it is."""

    table: AnswerTable
    statement: str
    receipt: str
    stored: str | None


def shown_answer(release: Release, stored: str | None) -> ShownAnswer:
    """An answer for a page: made where the work is done, since its intervals take some time."""
    return ShownAnswer(answer_table(release), statement(release), release.receipt.head, stored)


def answer_table(release: Release) -> AnswerTable:
    """The answer as a page shows it."""
    outcome = release.outcome
    columns: list[list[ShownCell]] = []
    for item in outcome.shown:
        values = outcome.column(item)
        if isinstance(item, ShownKey):
            columns.append([ShownCell(key_text(value)) for value in values])
            continue
        errors = outcome.errors(item, 0.95)
        digits = Digits.of(errors, outcome.is_count(item))
        texts = map(number_text(outcome, item, digits), values)
        columns.append([ShownCell(text, digits.radius(error)) for text, error in zip(texts, errors, strict=True)])
    return AnswerTable(
        [terminal(item.name) for item in outcome.shown],
        list(zip(*columns, strict=True)),
        told_of_answer(outcome) or [_noise_only(release)],
        charts.is_drawable(release),
    )


def _noise_only(release: Release) -> str:
    """What is said of a stored answer, beside which its notes are not kept: what ± leaves out of it."""
    most, unit = release.outcome.notes.get("contributions"), release.receipt.unit.column
    beyond = (
        f", nor what one {terminal(unit)} has beyond {counted_rows(most)}" if unit and isinstance(most, int) else ""
    )
    return f"± is noise only: what lies beyond the declared bounds is not in it{beyond}."
