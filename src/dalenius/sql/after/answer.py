"""The answer of a statement: what the engine computes from released tables, and how far off it may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dalenius.curator import COMPUTED, Computed, Labels, Outcome, Release, Shown, ShownKey, told_of_answer
from dalenius.curator.formula import Cell
from dalenius.curator.release import released
from dalenius.ledger import Receipt
from dalenius.sql.after.released_tables import Shape, run
from dalenius.sql.after.split import Split

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class StatementTables:
    """A statement, the releases that it reads by name, and their shapes."""

    split: Split
    releases: Mapping[str, Release]
    shapes: Mapping[str, Shape]


def answer(statement: StatementTables, receipt: Receipt) -> Release:
    """Compute the answer; a column that noise reached is a number, with its ends where a rule carries them so far."""
    rows = {
        name: statement.shapes[name].rows(list(release.table_of().values()))
        for name, release in statement.releases.items()
    }
    table = columns_of(run(statement.split.outer, rows))
    columns: list[Computed] = []
    layout: list[Shown | ShownKey] = []
    labels: dict[str, list[Any]] = {}
    for name, values in table.items():
        if any(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            columns.append(Computed(name, tuple(values), None, "it was computed above the release"))
            layout.append(Shown(name, Cell(name)))
        else:
            layout.append(ShownKey(name, len(labels)))
            labels[name] = values
    size = len(next(iter(table.values()), ()))
    rows_of_labels = tuple(zip(*labels.values(), strict=True)) if labels else ((),) * size
    notes = list(dict.fromkeys(line for one in statement.releases.values() for line in told_of_answer(one.outcome)))
    untold = [f"no interval for {one.name}: {one.reason}" for one in columns if one.ends is None]
    outcome = Outcome(
        tuple(columns),
        layout=tuple(layout),
        notes={COMPUTED: [*notes, *statement.split.notes, *untold]},
        labels=Labels(tuple(labels), rows_of_labels),
    )
    return released(outcome, receipt)


def columns_of(table: "pa.Table") -> dict[str, list[Any]]:
    """Columns by name; a name that comes twice gets a number, so that nothing is lost."""
    columns: dict[str, list[Any]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        unused, number = name, 1
        while unused in columns:
            unused, number = f"{name}_{number}", number + 1
        columns[unused] = [_plain(value) for value in column.to_pylist()]
    return columns


def _plain(value: Any) -> Any:
    """A number as Python has it: a sum of whole numbers is one, whatever width the engine gave it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and value.as_tuple().exponent == 0 else float(value)
    return value
