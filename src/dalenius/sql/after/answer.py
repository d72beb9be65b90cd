"""The answer of a statement: what the engine computes from released tables, and how far off it may be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from dalenius.curator import COMPUTED, Computed, Labels, Outcome, Release, Shown, ShownKey, told_of_answer
from dalenius.curator.answer import key_types
from dalenius.curator.formula import Cell
from dalenius.curator.release import released
from dalenius.ledger import Receipt
from dalenius.sql.after.regions.carried import Carried
from dalenius.sql.after.regions.sources import PublicSource, ReleasedSource
from dalenius.sql.after.regions.values import NoRule, is_number
from dalenius.sql.after.released_tables import TableShape, run
from dalenius.sql.after.split import SplitStatement

if TYPE_CHECKING:
    import pyarrow as pa

_TIMES = {"date32": key_types.DATE, "timestamp": key_types.TIMESTAMP}


@dataclass(frozen=True, slots=True)
class StatementTables:
    """A statement, the released tables that it reads by name, and their shapes."""

    split: SplitStatement
    sources: Mapping[str, ReleasedSource]
    shapes: Mapping[str, TableShape]

    @property
    def public(self) -> dict[str, "pa.Table"]:
        """The public tables that stand beside them."""
        return {name: shape.public for name, shape in self.shapes.items() if shape.public is not None}


def answer(statement: StatementTables, receipt: Receipt) -> Release:
    """Compute the answer; a column that noise reached is a number, with its ends where a rule carries them so far."""
    rows = {
        name: statement.shapes[name].rows([source.outcome.column(item) for item in source.outcome.shown])
        for name, source in statement.sources.items()
    }
    rows |= statement.public
    computed = run(statement.split.outer, rows)
    table = columns_of(computed)
    size = len(next(iter(table.values()), ()))
    columns, remarks = _columns(statement, table)
    labels = [name for name in table if name not in columns]
    layout = [Shown(name, Cell(name)) if name in columns else ShownKey(name, labels.index(name)) for name in table]
    cells = tuple(zip(*(table[name] for name in labels), strict=True)) if labels else ((),) * size
    below = dict.fromkeys(line for one in statement.sources.values() for line in told_of_answer(one.release.outcome))
    outcome = Outcome(
        tuple(columns.values()),
        layout=tuple(layout),
        notes={COMPUTED: [*below, *statement.split.notes, *remarks]} | key_types.noted(_times(computed, labels)),
        labels=Labels(tuple(labels), cells),
    )
    return released(outcome, receipt)


def _columns(statement: StatementTables, table: Mapping[str, list[Any]]) -> tuple[dict[str, Computed], list[str]]:
    """The columns that noise reached, and what is said of them."""
    engine = list(zip(*table.values(), strict=True))
    try:
        public = {name: PublicSource(table.to_pydict()) for name, table in statement.public.items()}
        carried = Carried.of(statement.split.outer, {**statement.sources, **public}, engine)
    except NoRule as refused:
        return _without_ends(table, str(refused))
    except Exception:  # an overflow, say: the answer is paid and there, so it is told, without an interval
        return _without_ends(table, "the rules for regions cannot follow what was computed")
    columns, remarks = {}, []
    for place, ((name, values), known) in enumerate(zip(table.items(), carried.columns, strict=True)):
        if known.exact:
            continue
        if known.reason:
            remarks.append(f"no interval for {name}: {known.reason}")
            if any(map(is_number, values)):
                columns[name] = Computed(name, tuple(values), None, known.reason)
        else:
            columns[name] = Computed(name, tuple(values), partial(carried.ends, place))
    if carried.picked:
        remarks.append("noisy numbers picked these rows: ± holds for all rows that could be here, at once")
    return columns, remarks


def _without_ends(table: Mapping[str, list[Any]], reason: str) -> tuple[dict[str, Computed], list[str]]:
    numbers = {name: values for name, values in table.items() if any(map(is_number, values))}
    return {name: Computed(name, tuple(values), None, reason) for name, values in numbers.items()}, [
        f"no interval: {reason}"
    ]


def _times(answer: "pa.Table", labels: Sequence[str]) -> dict[int, str]:
    """Which labels are dates or times, by the types that the engine gave them."""
    types = {name: str(column.type).partition("[")[0] for name, column in named_columns(answer)}
    return {number: _TIMES[types[name]] for number, name in enumerate(labels) if types[name] in _TIMES}


def columns_of(table: "pa.Table") -> dict[str, list[Any]]:
    """Columns by name; a name that comes twice gets a number, so that nothing is lost."""
    return {name: [_plain(value) for value in column.to_pylist()] for name, column in named_columns(table)}


def named_columns(table: "pa.Table") -> list[tuple[str, "pa.ChunkedArray[Any]"]]:
    """The columns in order, each under a name of its own."""
    columns: dict[str, pa.ChunkedArray[Any]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        unused, number = name, 1
        while unused in columns:
            unused, number = f"{name}_{number}", number + 1
        columns[unused] = column
    return list(columns.items())


def _plain(value: Any) -> Any:
    """A number as Python has it: a sum of whole numbers is one, whatever width the engine gave it.

    Dates and times are texts in the form of ISO 8601, as the keys of every answer are.
    """
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and value.as_tuple().exponent == 0 else float(value)
    return value
