"""Released tables as the rules for regions read them: public keys, and formulas over draws of noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dalenius.curator import Measured, Outcome, Release, Shown, ShownKey
from dalenius.curator.formula import Cell, Formula, Held, Ratio
from dalenius.sql.after.regions.dates import moment
from dalenius.sql.after.regions.rows import MOST_ROWS, Row, RowRelation
from dalenius.sql.after.regions.values import Exact, MadeValue, NoRule, Unknown, Value, simplified
from dalenius.sql.plans.top_k import RANK


@dataclass(frozen=True, slots=True)
class PublicSource:
    """A public table: all of it is exact, and nothing was drawn for it."""

    columns: Mapping[str, Sequence[Any]]

    def read(self, table: str) -> tuple[RowRelation, dict[str, Measured]]:
        """The table's rows."""
        size = len(next(iter(self.columns.values()), ()))
        if size > MOST_ROWS:
            raise NoRule(f"a public table of more than {MOST_ROWS} rows has no rule for regions")
        exact = [[Exact(_public(value)) for value in column] for column in self.columns.values()]
        names = tuple((table, name) for name in self.columns)
        return RowRelation(names, tuple(Row(values) for values in zip(*exact, strict=True))), {}


def _public(value: Any) -> Any:
    """A value as the rules for regions hold it: a date as its first moment, a decimal as the number that it is."""
    if isinstance(value, Decimal):
        return Fraction(value)
    if isinstance(value, date):
        return moment(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise NoRule(
        "a public table with values that are neither numbers, texts, booleans nor dates has no rule for regions"
    )


@dataclass(frozen=True, slots=True)
class ReleasedSource:
    """A released table, and the name of its draws: two tables of one draw have the same noise."""

    release: Release
    draws: str
    times: frozenset[str] = frozenset()
    """Columns that are dates or times, which a release holds as texts."""

    @property
    def outcome(self) -> Outcome:
        """What was released."""
        return self.release.outcome

    def read(self, table: str) -> tuple[RowRelation, dict[str, Measured]]:
        """The table's rows, and every number that was drawn for them under a name of its own."""
        outcome = self.release.outcome
        measured = {column.name: column for column in outcome.columns if isinstance(column, Measured)}
        if outcome.has_found_keys:
            raise NoRule("its keys were found, and there may be others")
        picked = outcome.picked_by_noise or outcome.looks != 1 or any(one.name == RANK for one in outcome.columns)
        if picked or outcome.labels is not None:  # of rows that were computed before nobody has kept what picked them
            raise NoRule("noisy numbers have picked the rows of a view, or may have")
        drawn: dict[str, Measured] = {}
        columns = list(zip(outcome.shown, map(outcome.column, outcome.shown), strict=True))
        rows = []
        for number, cell in enumerate(outcome.rows().tolist()):
            for name, column in measured.items():
                called = self._called(name, cell)
                drawn[called] = Measured(called, (column.cells[cell],), column.lattice, column.mechanism, column.counts)
            rows.append(
                Row(
                    tuple(
                        self._key(item.name, values[number])
                        if isinstance(item, ShownKey)
                        else self._number(item, values[number], cell, measured)
                        for item, values in columns
                    )
                )
            )
        names = tuple((table, item.name) for item, _ in columns)
        return RowRelation(names, tuple(rows), outcome.ordered_by_noise), drawn

    def _number(self, item: Shown, point: Any, cell: int, measured: Mapping[str, Measured]) -> Value:
        if not item.formula.names <= set(measured):
            return Unknown(
                "a quantile is off by ranks and a mode by rows, not by units of its own: none can be told", point
            )
        formula = simplified(_renamed(item.formula, {name: self._called(name, cell) for name in item.formula.names}))
        is_total = formula.linear() is not None or isinstance(formula, Ratio | Held)
        return MadeValue(formula, point, nullable=not is_total)

    def _key(self, name: str, value: Any) -> Exact:
        return Exact(value if value is None or name not in self.times else moment(value))

    def _called(self, name: str, cell: int) -> str:
        return f"{self.draws} {name} {cell}"


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """A formula over other columns."""
    if isinstance(part, Cell):
        return Cell(names[part.name])
    if isinstance(part, Formula):
        return type(part)(**{field.name: _renamed(getattr(part, field.name), names) for field in fields(part)})  # type: ignore[arg-type]
    return tuple(_renamed(one, names) for one in part) if isinstance(part, tuple) else part
