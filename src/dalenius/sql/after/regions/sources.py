"""Released tables as the rules for regions read them: public keys, and formulas over draws of noise."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from dalenius.curator import Measured, Release, Shown, ShownKey
from dalenius.curator.formula import Cell, Formula, Held, Ratio
from dalenius.sql.after.regions.rows import Relation, Row
from dalenius.sql.after.regions.values import Exact, Made, NoRule, Unknown, Value, simplified


@dataclass(frozen=True, slots=True)
class Source:
    """A released table, and the name of its draws: two tables of one draw have the same noise.

    `unknown` says why nothing is known of it, if so.
    """

    release: Release
    draws: str
    unknown: str = ""

    def read(self, table: str) -> tuple[Relation, dict[str, Measured]]:
        """The table's rows, and every number that was drawn for them under a name of its own."""
        outcome = self.release.outcome
        if self.unknown:
            raise NoRule(self.unknown)
        if outcome.picked_by_noise or outcome.looks != 1:
            raise NoRule("noisy numbers have picked the rows of a view")
        measured = {column.name: column for column in outcome.columns if isinstance(column, Measured)}
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
                        Exact(told[number])
                        if isinstance(item, ShownKey)
                        else self._number(item, told[number], cell, measured)
                        for item, told in columns
                    )
                )
            )
        return Relation(tuple((table, item.name) for item, _ in columns), tuple(rows)), drawn

    def _number(self, item: Shown, point: Any, cell: int, measured: Mapping[str, Measured]) -> Value:
        if not item.formula.names <= set(measured):
            return Unknown("a quantile, a mode or what was computed before errs in no units of its own", point)
        formula = simplified(_renamed(item.formula, {name: self._called(name, cell) for name in item.formula.names}))
        is_total = formula.linear() is not None or isinstance(formula, Ratio | Held)
        return Made(formula, point, nullable=not is_total)

    def _called(self, name: str, cell: int) -> str:
        return f"{self.draws} {name} {cell}"


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """A formula over other columns."""
    if isinstance(part, Cell):
        return Cell(names[part.name])
    if isinstance(part, Formula):
        return type(part)(**{field.name: _renamed(getattr(part, field.name), names) for field in fields(part)})  # type: ignore[arg-type]
    return tuple(_renamed(one, names) for one in part) if isinstance(part, tuple) else part
